// contacts.h - contacts at given poses, as a list: of manifolds, and for those who only look.
#pragma once

#include "world/contacts/search.h"

// A contact of a manifold without its point. A grain is that at the given poses; NULL: those of the
// last problem.
CnContact cn_manifold_contact(const CnWorld* world, const CnManifold* manifold,
                              const CnBodyState* states);
void cn_contact_set_point(CnContact* contact, const CnManifold* manifold, int point,
                          const CnTouchExtras* extras); // extras may be NULL

// Keeps what the materials of a pair make of its contacts, if that is friction and restitution and
// nothing else, until a material changes: most contacts need not look at materials again.
void cn_contact_keep_surface(const CnWorld* world, CnPairRecord* record);

// The same from step to step, and of no other contact.
uint64_t cn_contact_key(const CnWorld* world, const CnContact* contact);

// Every contact with a gap of at most contact_margin + dt * (speeds of the two bodies there) at the
// given poses, in the order of manifolds. Replaces what was in found; manifolds stay as they are.
// Sets the end_gap of all pairs and contacts given by hand. CN_OK or CN_NO_MEMORY.
CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   CnContactArray* found);

// The same where bodies are now, those of sleepers too.
CnStatus cn_world_collect_everything(CnWorld* world, const CnBodyState* states,
                                     CnContactArray* found);

// Only those of them with an overlap above a tolerance [m], of pairs that had none of them where
// the problem was posed: adds what the part of a search of CN_SEARCH_MOVED at the same poses found.
CnStatus cn_world_list_overlaps(CnWorld* world, const CnBodyState* states, const CnSearch* search,
                                double tolerance, CnContactArray* found);

// After the last part: adds those given by hand. *least_gap: of all contacts, listed or not, still
// or not [m]; infinite when there is none.
CnStatus cn_world_end_overlaps(CnWorld* world, const CnBodyState* states, double* least_gap,
                               CnContactArray* found);

// The same for poses that differ from those of the last collection, which made the old list, in
// some bodies only: pairs of the others are not looked at again.
CnStatus cn_world_collect_again(CnWorld* world, const CnBodyState* states,
                                const CnContactArray* old, CnContactArray* found);

// Places shapes at the given poses and finds the pairs whose boxes overlap within the time dt along
// the velocities; each gets a record. CN_OK or CN_NO_MEMORY.
CnStatus cn_world_find_pairs(CnWorld* world, const CnBodyState* states, double dt);

// Records for the pairs that the broad phase has found.
CnStatus cn_world_assign_records(CnWorld* world);

// Pairs that the broad phase has lost, but that have contact points, are pairs again, until a
// search finds no points. When the broad phase loses a pair depends on its fat boxes, and so on the
// past: events, guesses and the points that scheme implicit keeps must not.
void cn_world_keep_pairs_with_points(CnWorld* world);

// The tiles of a shape's pairs are to be built anew; they keep their impulses.
void cn_world_forget_tiles(CnWorld* world, int slot);

// A shape is about to go: its pairs have nothing any more, and the next step tells their ends.
void cn_world_forget_shape(CnWorld* world, int slot);
