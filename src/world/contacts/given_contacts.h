// given_contacts.h - contacts given by hand, at given poses.
#pragma once

#include "world/world.h"

// Adds those with a gap of at most contact_margin + dt * (speeds of the two bodies there).
CnStatus cn_world_add_given_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                     CnContactArray* found);
