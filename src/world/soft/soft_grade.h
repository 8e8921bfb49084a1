// soft_grade.h - scheme soft_step: how far a step is from the exact laws, on demand.
#pragma once

#include "world/world.h"

// Writes the certificate of the report, the blocks it counts and residuals of constraints, if the
// step is to be graded. Contacts and joints of exact islands have certificates of their own.
// docs/theory/soft_step.md (19), (20).
void cn_soft_grade(CnWorld* world, CnStepReport* report);

// Which manifold a block number of that certificate stands for: constraints come first, by their
// number in CnStep.rows. CN_NONE: it was removed, or there is none.
int cn_soft_graded_manifold(const CnWorld* world, int block);
