// surface_search.h - finds the relevant triangles of a surface, nearest boxes first.
#pragma once

#include "geometry/surface.h"

// A lower bound of the distance to anything in the box, in any measure; HUGE_VAL: nothing in it is
// relevant.
typedef double CnBoxMeasure(const CnBounds* box, const void* query);

// Processes a triangle. Returns the new limit: boxes with a larger measure are skipped.
typedef double CnTriangleVisit(const CnTriangle* triangle, double limit, void* query);

// Visits all triangles whose boxes measure at most the limit, which starts as `limit`.
void cn_surface_search(const CnShape* surface, CnBoxMeasure* measure, CnTriangleVisit* visit,
                       double limit, void* query);

// A shape in the frame of the surface.
CnPlacedShape cn_surface_view(CnTransform surface, CnPlacedShape shape);

// Where a ray of unit direction enters the box [m]: 0 if it starts inside, HUGE_VAL if it misses.
double cn_box_entry(const CnBounds* box, CnVec3 origin, CnVec3 direction);
