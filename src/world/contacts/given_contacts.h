// given_contacts.h - contacts given by hand, at given poses.
#pragma once

#include "world/world.h"

// Brings the manifolds of all of them up to date at the given poses: one has a point while its gap
// is at most contact_margin + dt * (speeds of the two bodies there). CN_OK or CN_NO_MEMORY.
CnStatus cn_given_contacts_update(CnWorld* world, const CnBodyState* states, double dt);

// Adds those that are that near, and sets their end_gap; their manifolds stay as they are. Those of
// sleepers only if they are asked for.
CnStatus cn_world_add_given_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                     bool with_sleepers, CnContactArray* found);

// The contact in a slot, without its point. A grain is that at the given poses; NULL: those of the
// last problem.
CnContact cn_given_contact_of(const CnWorld* world, int slot, const CnBodyState* states);

// The same from step to step, and of no other contact.
uint64_t cn_given_contact_key(const CnWorld* world, int slot);
