// rebuild.h - what follows from the rest of a world, and is made anew in a copy of it.
#pragma once

#include "world/world.h"

// The contacts of the last step, which the copy has not made, cannot be read from it; nor does it
// have the lists that records name places in.
void cn_state_forget_contacts(CnWorld* world);

// The placed shapes of all shape places, which point into the world's own memory.
void cn_state_place_shapes(CnWorld* world);

// All that follows from what a state has: trees, placed shapes, tables of names and pairs, and room
// that steps count on. False: no memory.
bool cn_state_rebuild(CnWorld* world);
