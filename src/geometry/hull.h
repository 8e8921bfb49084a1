// hull.h - convex polyhedra: vertices, faces as loops, edges.
#pragma once

#include "cairn/math.h"

typedef struct CnHullFace {
    CnVec3 normal;    // unit, outward
    double offset;    // normal . x on the face; at most that elsewhere, to round-off [m]
    int first, count; // its loop: loop[first .. first + count), counter-clockwise from outside
} CnHullFace;

typedef struct CnHullEdge {
    int from, to;    // vertices, from < to
    int left, right; // faces: left has from -> to in its loop, right the reverse
} CnHullEdge;

// All arrays lie in one block of memory.
typedef struct CnHull {
    int vertex_count, face_count, edge_count, loop_count;
    CnVec3* vertices;  // [vertex_count]
    CnHullFace* faces; // no two coplanar: flat neighbours are merged   [face_count]
    CnHullEdge* edges; // [edge_count]
    int* loop;         // vertices of all faces   [loop_count]
} CnHull;

// Bounds time and memory: a hull of so many points takes seconds and some tens of megabytes.
#define CN_HULL_POINT_LIMIT 65536

// The hull of points by quickhull with predicates that do not lie: any input gives a valid convex
// polyhedron that holds every point to within a few units of round-off of their size, or a
// sentence (fewer than four points or too many, all in a plane, not finite). Vertices keep the
// order they have in points, so that equal input gives equal bits. docs/theory/quickhull.md.
CnStatus cn_hull_build(const CnVec3* points, int count, const CnAllocator* allocator, CnHull** hull,
                       CnError* error);
void cn_hull_free(CnHull* hull, const CnAllocator* allocator); // NULL is fine

// Volume [m^3], centre [m] and second moments of volume about the centre (xx yy zz xy xz yz as an
// inertia tensor of density 1) [m^5], exact for a polyhedron.
void cn_hull_moments(const CnHull* hull, double* volume, CnVec3* center, double inertia[6]);

// A box as a hull, in storage that the caller keeps: no allocation.
typedef struct CnBoxHull {
    CnHull hull;
    CnVec3 vertices[8];
    CnHullFace faces[6];
    CnHullEdge edges[12];
    int loop[24];
} CnBoxHull;
const CnHull* cn_box_hull(CnVec3 half_size, CnBoxHull* storage);
