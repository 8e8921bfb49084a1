// triangle_mesh.h - triangles that share sides, and a tree to find them.
#pragma once

#include "geometry/box_tree.h"

// Sides are numbered: side i of triangle t, from its corner i to the next, is 3 t + i.
typedef struct CnTriangleMesh {
    int point_count, triangle_count;
    CnVec3* points;       // [point_count]
    int (*triangles)[3];  // counter-clockwise seen from outside   [triangle_count]
    CnVec3* normals;      // unit, outward   [triangle_count]
    int (*neighbours)[3]; // the same side as its other triangle numbers it; -1: a border
                          // [triangle_count]
    CnBoxTree tree;       // over triangles
    double extent;        // farthest point from the origin [m]
} CnTriangleMesh;

// Bounds time and memory: so many triangles take a minute and 16 GB, and sides fit an int.
#define CN_MESH_TRIANGLE_LIMIT 100000000

// A triangle whose area is lost in the round-off of its sides has no normal.
bool cn_triangle_is_flat(CnVec3 a, CnVec3 b, CnVec3 c);

// From points and triangles that were checked. Points at the same place count as one where
// triangles join. A side that three triangles or more share, or two that disagree which way is out,
// is a border to all of them.
CnStatus cn_triangle_mesh_build(const CnVec3* points, int point_count, const int (*triangles)[3],
                                int triangle_count, const CnAllocator* allocator,
                                CnTriangleMesh** mesh, CnError* error);
void cn_triangle_mesh_free(CnTriangleMesh* mesh, const CnAllocator* allocator); // NULL is fine
