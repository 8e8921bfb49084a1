// rim_normal.h - the normal of a corner that touches the rim of a cylinder.
#pragma once

#include "collision/convex/gjk.h"

// For touching cores: if a corner or an end of one lies on the rim of the other, a whole range of
// normals may be equally good. Finds the one closest to the line from the centre of the cylinder to
// that point; false if no corner lies on a rim. docs/theory/collision/gjk.md (15).
bool cn_fan_normal(const CnCorePair* pair, CnVec3* normal);
