// solids.h - one asymmetric, rotated and shifted shape of every type with a volume.
#pragma once

#include "geometry/shape.h"

#define SOLID_COUNT 5
extern const CnShapeType solid_types[SOLID_COUNT];

// Made by cn_shape_make() on the heap; solid_release() gives it back.
CnShape solid_make(CnShapeType type);
void solid_release(CnShape* solid);

// Whether a point of the shape's own frame lies in it or at most slack outside [m].
bool solid_contains(const CnShape* solid, CnVec3 point, double slack);

// Points that cn_shape_make() is given for the convex one.
#define SOLID_POINTS 12
void solid_points(CnVec3 points[SOLID_POINTS]);
