// surface.h - meshes and height fields alike: numbered triangles in a tree.
#pragma once

#include "geometry/shape.h"

typedef struct CnTriangle {
    CnVec3 points[3];  // counter-clockwise seen from outside [m]
    CnVec3 normal;     // unit, outward
    int neighbours[3]; // beyond the side from each corner to the next: 3 triangle + side as the
                       // neighbour numbers it; -1: a border
    int index;
} CnTriangle;

static inline bool cn_shape_is_surface(const CnShape* shape) {
    return shape->type == CN_SHAPE_MESH || shape->type == CN_SHAPE_HEIGHT_FIELD;
}

CnTriangle cn_surface_triangle(const CnShape* surface, int index);

// Item i of the tree has the triangles count i .. count i + count - 1.
const CnBoxTree* cn_surface_tree(const CnShape* surface, int* count);
