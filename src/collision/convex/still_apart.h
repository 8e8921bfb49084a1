// still_apart.h - whether two shapes are still separated along a remembered axis.
#pragma once

#include "geometry/shape.h"

// What round-off may do to a gap, relative to the coordinates it is made of: some hundred units in
// the last place, so that it never decides what is apart.
#define CN_APART_SLACK 1e-13

// True only when no points of the two are within margin [m] of each other: then they have no
// contact points. axis is from A to B, of any length; zero says nothing.
// docs/theory/collision/sat.md (11).
bool cn_still_apart(CnPlacedShape a, CnPlacedShape b, CnVec3 axis, double margin);
