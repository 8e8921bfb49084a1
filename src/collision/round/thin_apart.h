// thin_apart.h - whether a ball or capsule is certainly apart from another shape.
#pragma once

#include "collision/sat/polyhedron.h"

// True only if no points of the two are within margin [m] of each other; they then have no contact
// points. Each costs a fraction of the function that finds points, and finds nearly all pairs that
// are apart. docs/theory/collision/sat.md (24), (25).
bool cn_thin_is_apart_from_thin(const CnPlacedShape* a, const CnPlacedShape* b, double margin);
bool cn_thin_is_apart_from_box(const CnPlacedShape* thin, const CnPlacedPolyhedron* box,
                               double margin);
