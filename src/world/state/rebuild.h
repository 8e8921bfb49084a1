// rebuild.h - what follows from the rest of a world, and is made anew in a copy of it.
#pragma once

#include "world/world.h"

// The placed shapes of all shape places, which point into the world's own memory.
void cn_state_place_shapes(CnWorld* world);
