// hull_shapes.c - convex shapes from points, without a world.
#include "support/shapes/hull_shapes.h"

#include "support/test.h"

static const CnAllocator from_malloc = {0};

CnShape hull_shape(const CnVec3* points, int count) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    CnShape shape;
    def.points = points;
    def.point_count = count;
    CHECK_INT(cn_shape_make(&def, &from_malloc, &shape, NULL), CN_OK);
    return shape;
}

void hull_shape_free(CnShape* shape) {
    cn_shape_free(shape, &from_malloc);
}
