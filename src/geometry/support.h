// support.h - the farthest point of a shape in a direction: all that GJK needs to know of it.
#pragma once

#include "geometry/shape.h"

// The core of a shape in its own frame, and the radius of the ball that is rolled around it. A
// sphere is a point with a radius, a capsule a segment with one; the others have radius 0. Planes
// have no farthest point and must not be asked.
CnVec3 cn_shape_support(const CnShape* shape, CnVec3 direction);
double cn_shape_rounding(const CnShape* shape); // [m]

// Farthest point of the core from the shape's origin [m]: 0 for a sphere, however large.
static inline double cn_core_extent(const CnShape* shape) {
    return shape->extent - cn_shape_rounding(shape);
}
