// surface_points.h - contact points of one triangle of a surface.
#pragma once

#include "collision/collide.h"
#include "collision/hull/clip.h"
#include "collision/mesh/surface_triangle.h"

// Corners of two faces and as many vertices of others; a hull that has more near one triangle loses
// some.
#define CN_TRIANGLE_POINTS (2 * CN_CLIP_CORNERS)

// The part of a convex shape that faces the triangle, where it is over it and within margin: points
// along the triangle's normal. Where the surface goes on in the same plane there is no end, and no
// point. All in the surface's frame.
int cn_points_over_triangle(const CnShape* surface, const CnTriangle* triangle,
                            CnPlacedShape convex, double margin,
                            CnManifoldPoint points[CN_TRIANGLE_POINTS]);

// Makes features of a pair with the triangle into those of a pair with its surface.
void cn_points_name(const CnTriangle* triangle, CnManifoldPoint* points, int count);
