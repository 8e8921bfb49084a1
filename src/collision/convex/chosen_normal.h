// chosen_normal.h - the choice among normals of equal separation.
#pragma once

#include "collision/convex/gjk.h"

// Takes a normal along which the cores are as far apart, to the given share of their size.
bool cn_take_if_as_good(const CnCorePair* pair, CnVec3 normal, double tie, CnNearest* nearest);

// Of cores that touch or overlap, by rules that turn with the shapes: docs/theory/collision/gjk.md
// (13), (15) and (16). Those that touch with corners, edges and rims have a whole range of normals;
// those that overlap have a few at most. False if no rule finds one; points are the caller's to
// find.
bool cn_choose_normal(const CnCorePair* pair, CnNearest* nearest);
