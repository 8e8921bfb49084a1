// surface_search.h - finding the triangles of a surface that matter, nearest boxes first.
#pragma once

#include "geometry/surface.h"

// How far a box is from what is looked for, in any measure that never overrates what is in it;
// HUGE_VAL: nothing in it matters.
typedef double CnBoxMeasure(const CnBounds* box, const void* query);

// Looks at a triangle; returns the limit from now on: boxes that measure more are passed by.
typedef double CnTriangleVisit(const CnTriangle* triangle, double limit, void* query);

// All triangles whose boxes measure at most the limit, at first `limit`.
void cn_surface_search(const CnShape* surface, CnBoxMeasure* measure, CnTriangleVisit* visit,
                       double limit, void* query);

// A shape in the frame of the surface.
CnPlacedShape cn_surface_view(CnTransform surface, CnPlacedShape shape);

// Where a ray of unit direction enters the box, 0 when it starts inside; HUGE_VAL: it misses it
// [m].
double cn_box_entry(const CnBounds* box, CnVec3 origin, CnVec3 direction);
