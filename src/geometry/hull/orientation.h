// orientation.h - on which side of a plane a point lies, without error.
//
// Coordinates must be integers of at most 2^52 in size: then differences are exact, and so are sums
// of products as unevaluated sums of doubles. docs/theory/collision/quickhull.md.
#pragma once

#include "cairn/math.h"

// (b - a) x (c - a) . (d - a), six times the volume of the tetrahedron: positive when d is above
// the triangle a b c, on the side from which it runs counter-clockwise. The sign is exact, the
// value right to two digits.
double cn_orientation(CnVec3 a, CnVec3 b, CnVec3 c, CnVec3 d);

// (b - a) x (c - a), each component to the last place: a normal that thin triangles have too.
CnVec3 cn_triangle_normal(CnVec3 a, CnVec3 b, CnVec3 c);
