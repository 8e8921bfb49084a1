// clone.h - the two halves of a copy of a world.
#pragma once

#include "world/world.h"

// What a world is made of: bodies, shapes, geometry, materials, series, forces, contacts given by
// hand, constraints and joints, into a world that has none yet. Constraints come with what they
// remember. False: no memory; the world can only be destroyed then.
bool cn_clone_things(CnWorld* to, const CnWorld* from);
