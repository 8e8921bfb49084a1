// narrow_shapes.h - the shapes that narrow phases are measured on.
#pragma once

#include "narrow.h"

typedef enum BenchShapeName {
    SHAPE_PLANE,
    SHAPE_SPHERE,
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_HULL, // a dodecahedron on one of its faces: 20 vertices, 12 faces, 30 edges
    SHAPE_ROCK, // 64 points of a sphere: up to 124 faces, 186 edges
    SHAPE_COUNT
} BenchShapeName;

void make_shapes(BenchShape shapes[SHAPE_COUNT]);
void free_shapes(BenchShape shapes[SHAPE_COUNT]);
