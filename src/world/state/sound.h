// sound.h - whether the numbers of a state lead to something.
#pragma once

#include "world/world.h"

// All indices that were read lead to things that exist, lists end where they should, and enums are
// among their values: nobody who follows them leaves the arrays. Quantities are not looked at.
bool cn_state_is_sound(const CnWorld* world);
