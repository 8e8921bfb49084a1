// quickhull.h - the convex hull of points on a grid, as triangles.
#pragma once

#include "base/arena.h"
#include "cairn/math.h"

// Edge i runs from vertex[i] to vertex[(i + 1) % 3], counter-clockwise from outside.
typedef struct CnHullTriangle {
    int vertex[3];
    int neighbor[3]; // the triangle behind edge i
    double area;     // twice it [grid^2]
    int outside;     // while building: first of the points above it; -1: none
    int visit;       // the last search that saw it
    bool alive;      // false: the slot is free
    bool waiting;    // in the list of triangles to look at
} CnHullTriangle;

// A surface that is convex without error: no vertex is above any triangle. Neighbours may lie in
// one plane.
typedef struct CnTriangulation {
    const CnVec3* points;
    int slot_count;            // triangles, with free slots among them
    CnHullTriangle* triangles; // in the arena   [slot_count]
} CnTriangulation;

// The hull of distinct points with integer coordinates of at most 2^52. A point becomes a vertex
// only where it is farther than tolerance [grid] above a triangle; in the end no point is. What
// comes out depends on the points and their order alone. CN_INVALID and a
// sentence when all points are within tolerance of a line or a plane; CN_NO_MEMORY.
// docs/theory/collision/quickhull.md.
CnStatus cn_quickhull(const CnVec3* points, int count, double tolerance, CnArena* arena,
                      CnTriangulation* hull, CnError* error);

// The height of points[point] above a triangle [grid]: sign exact, value right to two digits.
double cn_triangle_height(const CnTriangulation* hull, int triangle, int point);
