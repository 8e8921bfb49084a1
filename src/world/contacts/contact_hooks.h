// contact_hooks.h - what the user's functions say about contacts: CnWorldDef.contact_hooks.
#pragma once

#include "world/world.h"

// A step begins: the filter is asked anew about every pair.
void cn_contact_hooks_begin(CnWorld* world);

// Whether two shapes may touch in this step, given where they are nearest; also for a contact given
// by hand. In a step the first answer about a pair holds.
bool cn_contact_hooks_admit(CnWorld* world, const CnContact* nearest);

// Takes contacts of pairs that the filter refuses out of a list, and lets the material hook change
// the others. Points of a pair follow each other in the list and have their materials.
void cn_contact_hooks_apply(CnWorld* world, CnContactArray* contacts);
