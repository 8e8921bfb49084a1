// surface_points.h - contact points of one triangle of a surface.
#pragma once

#include "collision/collide.h"
#include "collision/hull/clip.h"
#include "collision/mesh/surface_triangle.h"

// Room for the corners of two faces and as many vertices of others; of a hull with more vertices
// near one triangle, some are dropped.
#define CN_TRIANGLE_POINTS (2 * CN_CLIP_CORNERS)

// The part of a convex shape that faces the triangle, clipped to it, within margin: points along
// the triangle's normal. No point is made at sides beyond which the surface continues in the same
// plane. All in the surface's frame.
int cn_points_over_triangle(const CnShape* surface, const CnTriangle* triangle,
                            CnPlacedShape convex, double margin,
                            CnManifoldPoint points[CN_TRIANGLE_POINTS]);

// Converts feature keys of a pair with the triangle to those of a pair with its surface.
void cn_points_name(const CnTriangle* triangle, CnManifoldPoint* points, int count);
