// hull_shapes.c - convex shapes from points, without a world.
#include "support/hull_shapes.h"

#include "geometry/hull/hull.h"
#include "support/test.h"

static const CnAllocator from_malloc = {0};

CnShape hull_shape(const CnVec3* points, int count) {
    CnShape shape = {.type = CN_SHAPE_CONVEX};
    CHECK_INT(cn_hull_build(points, count, &from_malloc, &shape.hull, NULL), CN_OK);
    for (int i = 0; i < count; ++i) {
        shape.extent = fmax(shape.extent, cn_vec3_length(points[i]));
    }
    return shape;
}

void hull_shape_free(CnShape* shape) {
    if (shape->type == CN_SHAPE_CONVEX) {
        cn_hull_free(shape->hull, &from_malloc);
    }
}
