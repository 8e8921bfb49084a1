// soft_warm_start.h - scheme soft_step: how much of kept impulses a user's policy lets be used.
#pragma once

#include "world/soft/soft_store.h"
#include "world/world.h"

// Whether there is a policy to ask, in every step for every row with an impulse.
bool cn_soft_asks_policy(const CnWorld* world);

// Asks for all rows of a manifold's lane, which has the impulses of the last step as they were
// kept; `points` of the manifold are in it. Their ages grow.
void cn_soft_ask_contact(const CnWorld* world, int manifold, CnSoftLanes points, int lane,
                         CnSoftTile* tile);

// The impulse of a substep for one row of a constraint, from what was kept of it; direction as in
// CnWarmStartRow.
double cn_soft_ask_joint(const CnWorld* world, const CnUserConstraint* constraint, int row,
                         CnVec3 direction);
