// manifolds.h - the manifolds of a step: contact points, with the impulses of the solve before.
#pragma once

#include "world/contacts/search.h"

// Where bodies are and how fast, as contacts are looked for.
typedef struct CnLook {
    const CnBodyState* states; // poses; velocities to look ahead along   [bodies]
    double dt;                 // time to look ahead [s]

    // Scheme implicit, when contact points must not get lost: those that a search does not find
    // again stay, with the gap along the straight line from where bodies were. NULL: none stays.
    const CnBodyState* before; // poses and velocities of the last look   [bodies]
    const CnBodyState* now;    // and of this one
} CnLook;

// Brings all manifolds up to date, of the pairs that cn_world_find_pairs() has found for the same
// states: pairs that are still keep theirs, the others get what a search
// finds, contacts given by hand get their point. A point keeps its impulse by its feature; impulses
// whose features are gone go to the nearest point of the same pair: docs/theory/warm_start.md (11).
// Then lists the manifolds in world->step.manifolds: by pair of shapes, then those given by hand.
// CN_OK or CN_NO_MEMORY.
CnStatus cn_manifolds_update(CnWorld* world, const CnLook* look);

// Advances the gap of every point along the straight line from one look to the next.
void cn_manifolds_follow(CnWorld* world, const CnLook* look);

// Bodies of a manifold: indices, -1 for the immovable world.
void cn_manifold_bodies(const CnWorld* world, const CnManifold* manifold, int bodies[2]);
