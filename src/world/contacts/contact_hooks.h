// contact_hooks.h - what the user's functions say about contacts: CnWorldDef.contact_hooks.
#pragma once

#include "world/world.h"

// A step begins: the filter is asked anew about every pair.
void cn_contact_hooks_begin(CnWorld* world);

// Whether two shapes may touch in this step, given where they are nearest; also for a contact given
// by hand. In a step the first answer about a pair holds.
bool cn_contact_hooks_admit(CnWorld* world, const CnContact* nearest);

// Whether the filter admits the pair of a record, given its manifolds.
bool cn_contact_hooks_admit_record(CnWorld* world, int record, const CnBodyState* states);

// Takes contacts of pairs that the filter refuses out of a list. Points of a pair follow each
// other.
void cn_contact_hooks_apply(CnWorld* world, CnContactArray* contacts);

// Lets the material hook change a contact; it may be called from several threads at once.
void cn_contact_hooks_set_material(const CnWorld* world, CnContact* contact);
