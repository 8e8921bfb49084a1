// still_apart.h - whether two shapes are still separated along a remembered axis.
#pragma once

#include "geometry/shape.h"

// The round-off of a gap, relative to the coordinates it is computed from: some hundred units in
// the last place, so that round-off never makes a pair count as apart.
#define CN_APART_SLACK 1e-13

// True only if no points of the two are within margin [m] of each other; they then have no contact
// points. `axis` points from A to B and has any length; a zero axis gives false.
// docs/theory/collision/sat.md (11).
bool cn_still_apart(CnPlacedShape a, CnPlacedShape b, CnVec3 axis, double margin);
