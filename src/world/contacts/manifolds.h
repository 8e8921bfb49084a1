// manifolds.h - the manifolds of a step: contact points, with the impulses of the solve before.
#pragma once

#include "world/contacts/search.h"

// Where bodies are and how fast, as contacts are looked for.
typedef struct CnLook {
    // Poses; velocities to look ahead along. NULL: the present ones, where neither contacts given
    // by hand nor a user's filter ask for them.   [bodies]
    const CnBodyState* states;
    double dt; // time to look ahead [s]

    // Scheme implicit, when contact points must not get lost: those that a search does not find
    // again stay, with the gap along the straight line from where bodies were. NULL: none stays.
    const CnBodyState* before; // poses and velocities of the last look   [bodies]
    const CnBodyState* now;    // and of this one
} CnLook;

// Brings all manifolds up to date, of the pairs that cn_world_find_pairs() has found for the same
// states. CN_OK or CN_NO_MEMORY. The next three are its parts, for a stage that hands the tasks of
// the search out itself.
CnStatus cn_manifolds_update(CnWorld* world, const CnLook* look);

// Lists the pairs whose manifolds are out of date, for cn_search_next(); those that are still keep
// theirs. From the world's arena.
CnStatus cn_manifolds_begin(CnWorld* world, const CnLook* look, CnSearch* search);

// What a part of the search found becomes the manifolds of its pairs. A point keeps its impulse by
// its feature; impulses whose features are gone go to the nearest point of the same pair:
// docs/theory/warm_start.md (11). Workers have done so for pairs that have one manifold, or none,
// before and after; here manifolds come and go, in the order of pairs.
CnStatus cn_manifolds_take(CnWorld* world, const CnLook* look, const CnSearch* search);

// After the last part: contacts given by hand get their point, and world->step.manifolds lists the
// manifolds, by pair of shapes, then those given by hand.
CnStatus cn_manifolds_end(CnWorld* world, const CnLook* look);

// Advances the gap of every point along the straight line from one look to the next.
void cn_manifolds_follow(CnWorld* world, const CnLook* look);

// Bodies of a manifold: indices, -1 for the immovable world.
void cn_manifold_bodies(const CnWorld* world, const CnManifold* manifold, int bodies[2]);

// Lists the manifolds of all pairs, then those given by hand, that the user's filter and sleepers
// admit, in world->step.manifolds. CN_OK or CN_NO_MEMORY.
CnStatus cn_manifolds_list(CnWorld* world, const CnBodyState* states);
