// chosen_normal.h - chooses among normals with equal separation.
#pragma once

#include "collision/convex/gjk.h"

// Accepts a normal if it separates the cores as well, to the given fraction of their size.
bool cn_take_if_as_good(const CnCorePair* pair, CnVec3 normal, double tie, CnNearest* nearest);

// For touching or overlapping cores, by rules that rotate with the shapes:
// docs/theory/collision/gjk.md (13), (15) and (16). Cores that touch with corners, edges and rims
// have a whole range of normals; overlapping cores have a few at most. False if no rule finds one.
// The caller computes the points.
bool cn_choose_normal(const CnCorePair* pair, CnNearest* nearest);
