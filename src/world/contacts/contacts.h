// contacts.h - what meets at given poses: contact points of shapes and given by hand, sensors.
#pragma once

#include "world/world.h"

// Every contact with a gap of at most contact_margin + dt * (speeds of the two bodies there), in a
// fixed order: pairs of shapes by body, then contacts given by hand. Replaces what was in found.
// Fast bodies are not looked ahead for: cn_continuous_find() sees what they hit.
CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   CnContactArray* found);

// Every sensor with the shapes that it overlaps, sensor first, in the order of pairs of shapes, not
// of sensors. Replaces what was in overlaps.
CnStatus cn_world_collect_overlaps(CnWorld* world, const CnBodyState* states,
                                   CnTouchArray* overlaps);

// Whether two shapes may touch: not of one body, one of them movable, and no filter against it.
// By slots.
bool cn_world_may_collide(const CnWorld* world, int shape_a, int shape_b);
