// hull_shapes.h - convex shapes from points, without a world.
#pragma once

#include "geometry/shape.h"

CnShape hull_shape(const CnVec3* points, int count);
void hull_shape_free(CnShape* shape); // other shapes own nothing
