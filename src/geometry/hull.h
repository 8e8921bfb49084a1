// hull.h - convex polyhedra: vertices, faces as loops, edges.
#pragma once

#include "cairn/math.h"

typedef struct CnHullFace {
    CnVec3 normal;    // unit, outward
    double offset;    // normal . x on the face [m]
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
