// correct_contacts.h - contacts that a correction knows of from other poses than the present ones.
//
// A linear problem sees the contacts of the poses it is posed at. What it pushes together that was
// apart, and a point that jumps from one end of an edge to the other, it sees too late. So contacts
// of a step that went wrong are carried back to where it began, and those of a step that was taken
// on to where it ended: world->correction.learned. docs/theory/stabilisation.md (10).
#pragma once

#include "world/correct/position_errors.h"

// The found contacts are those the present problem poses: they make room for the next measurement.
void cn_correction_keep_posed(CnWorld* world);

// Contacts found at the trial that overlap by more than the tolerance [m], belong to the group and
// are near none of the posed ones, carried back to the states. *count: how many there are.
// CN_NO_MEMORY.
CnStatus cn_correction_learn(CnWorld* world, const int* group, int wanted, double tolerance,
                             const CnBodyState* trial, const CnBodyState* states, int* count);

// Learned contacts, and posed ones that were pushed, carried from one to the other where they are
// near none of those found there. Only those of groups with a larger error than the tolerance are
// needed any more. CN_NO_MEMORY.
CnStatus cn_correction_follow(CnWorld* world, const CnErrorGroups* groups, double tolerance,
                              const CnBodyState* from, const CnBodyState* to);
