// contacts.h - finding contact points at given poses: those of shapes and those given by hand.
#pragma once

#include "world/world.h"

// Every contact with a gap of at most contact_margin + dt * (speeds of the two bodies there), in a
// fixed order: pairs of shapes by body, then contacts given by hand. Replaces what was in found.
CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   CnContactArray* found);
