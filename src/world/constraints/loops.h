// loops.h - whether constraints close loops, in which rows may come to depend on each other.
#pragma once

#include "world/world.h"

// Bodies and what holds them are a graph whose edges are the constraints that keep; whatever does
// not move is one body. In a tree every constraint has a body that it alone holds to the rest, so
// rows are independent at all poses; in a loop they may not be at some.
CnStatus cn_world_find_loops(CnWorld* world, bool* found);
