// hull_merge.h - flat parts of a triangulated hull become faces with any number of corners.
#pragma once

#include "geometry/hull/hull.h"
#include "geometry/hull/quickhull.h"

// A polyhedron whose vertices are points of a triangulation; everything is in the arena.
typedef struct CnMergedHull {
    int vertex_count, face_count, edge_count, loop_count;
    int* seed;         // the largest triangle of a face: its plane is the face's   [face_count]
    int* first;        // where a face's loop begins                                [face_count + 1]
    int* loop;         // points; a face's first is the lowest                      [loop_count]
    CnHullEdge* edges; // of points, rank[from] < rank[to], sorted by them   [edge_count]
} CnMergedHull;

// Triangles within tolerance [grid] of the plane of a larger neighbour join it; points where fewer
// than three faces meet are dropped. Where that does not leave a polyhedron, less tolerance is
// tried, in the end none. rank numbers the points for the order of edges. CN_NO_MEMORY or CN_OK.
CnStatus cn_hull_merge(const CnTriangulation* hull, int count, const int* rank, double tolerance,
                       CnArena* arena, CnMergedHull* merged);
