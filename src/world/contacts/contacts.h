// contacts.h - contacts at given poses, as a list: of manifolds, and for those who only look.
#pragma once

#include "world/contacts/search.h"

// A contact of a manifold without its point. A grain is that at the given poses; NULL: those of the
// last problem.
CnContact cn_manifold_contact(const CnWorld* world, const CnManifold* manifold,
                              const CnBodyState* states);
void cn_contact_set_point(CnContact* contact, const CnTouchPoint* point,
                          const CnTouchExtras* extras); // extras may be NULL

// The same from step to step, and of no other contact.
uint64_t cn_contact_key(const CnWorld* world, const CnContact* contact);

// Every contact with a gap of at most contact_margin + dt * (speeds of the two bodies there) at the
// given poses, in the order of manifolds. Replaces what was in found; manifolds stay as they are.
// Sets the end_gap of all pairs and contacts given by hand. With still_gap, contacts of pairs that
// have not moved since their manifolds were found are left out, and *still_gap is the least gap of
// those within contact_margin [m], infinite when there is none. CN_OK or CN_NO_MEMORY.
CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   double* still_gap, CnContactArray* found);

// Places shapes at the given poses and finds the pairs whose boxes overlap within the time dt along
// the velocities; each gets a record. CN_OK or CN_NO_MEMORY.
CnStatus cn_world_find_pairs(CnWorld* world, const CnBodyState* states, double dt);

// Records for the pairs that the broad phase has found.
CnStatus cn_world_assign_records(CnWorld* world);

// A shape is about to go: its pairs have nothing any more, and the next step tells their ends.
void cn_world_forget_shape(CnWorld* world, int slot);
