// surface_triangle.h - one triangle of a surface as a convex shape, and its admissible normals.
#pragma once

#include "geometry/surface.h"

// A triangle as a hull without thickness, relative to its first corner. It has one face, the front.
// The back exists only because every edge needs two faces; it is never chosen.
typedef struct CnTriangleShape {
    CnShape shape;
    CnHull hull;
    CnVec3 vertices[3];
    CnHullFace faces[2];
    CnHullEdge edges[3];
    int loop[6];
    int side[6];
    double columns[CN_HULL_COLUMNS(3, 1)];
} CnTriangleShape;

// In the frame of the surface; the caller provides the storage.
CnPlacedShape cn_triangle_place(const CnTriangle* triangle, CnTriangleShape* storage);

// Classes of normals of a triangle. docs/theory/collision/meshes.md (2) and (3).
typedef enum CnNormalRegion {
    CN_NORMAL_FACE,  // the triangle's own normal, to a microradian
    CN_NORMAL_RIDGE, // out of a side or corner that no neighbour rises above
    CN_NORMAL_HIDDEN // not a normal of the surface: a neighbour covers it
} CnNormalRegion;

CnNormalRegion cn_triangle_normal_region(const CnShape* surface, const CnTriangle* triangle,
                                         CnVec3 normal);

// Whether the neighbour beyond a side lies in the triangle's plane, so that the surface continues
// flat.
bool cn_triangle_goes_on(const CnShape* surface, const CnTriangle* triangle, int side);

// The height over the triangle's plane of the highest (sign 1) or lowest (sign -1) point of a
// convex shape in the surface's frame [m].
double cn_triangle_reach(const CnTriangle* triangle, CnPlacedShape convex, double sign);
