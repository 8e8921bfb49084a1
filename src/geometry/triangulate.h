// triangulate.h - the surface of a shape as triangles, for drawing.
#pragma once

#include "geometry/shape.h"

// In the frame that `frame` takes the shape's axes to. resolution: sides of a circle, at least 3;
// plane_half_size: of the square that stands for a plane [m]. Counts are all there are; no more is
// written than there is room for.
void cn_shape_triangulate(const CnShape* shape, CnTransform frame, int resolution,
                          double plane_half_size, CnTriangles* triangles);
