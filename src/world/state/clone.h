// clone.h - copies of a world, and of what it is made of.
#pragma once

#include "world/world.h"

// What a world is made of: bodies, shapes, geometry, materials, series, forces, contacts given by
// hand, constraints and joints, into a world that has none yet. Constraints come with what they
// remember. False: no memory; the world can only be destroyed then.
bool cn_clone_things(CnWorld* to, const CnWorld* from);

// A world that is made of the same things and has made no step: what steps leave behind is to be
// read into it. NULL, with a sentence: no memory.
CnWorld* cn_clone_without_memory(const CnWorld* world, CnError* error);
