// support.c - the farthest point of a shape in a direction.
#include "geometry/support.h"

#include "base/error.h"
#include "geometry/hull/hull_search.h"

static CnVec3 sphere_support(const CnShape* shape, CnVec3 direction) {
    (void)shape;
    (void)direction;
    return cn_vec3(0.0, 0.0, 0.0);
}

static CnVec3 box_support(const CnShape* shape, CnVec3 direction) {
    CnVec3 half = shape->half_size;
    return cn_vec3(copysign(half.x, direction.x), copysign(half.y, direction.y),
                   copysign(half.z, direction.z));
}

static CnVec3 capsule_support(const CnShape* shape, CnVec3 direction) {
    return cn_vec3(0.0, 0.0, copysign(shape->half_length, direction.z));
}

// On the rim of one cap; along the axis the whole cap is equally far, and its centre stands for it.
// Dividing by the larger part first keeps the squares of tiny directions from underflowing.
static CnVec3 cylinder_support(const CnShape* shape, CnVec3 direction) {
    double largest = fmax(fabs(direction.x), fabs(direction.y));
    CnVec3 point = cn_vec3(0.0, 0.0, copysign(shape->half_length, direction.z));
    if (largest > 0.0) {
        double x = direction.x / largest, y = direction.y / largest;
        double scale = shape->radius / sqrt(x * x + y * y);
        point.x = scale * x;
        point.y = scale * y;
    }
    return point;
}

static CnVec3 convex_support(const CnShape* shape, CnVec3 direction) {
    int farthest;
    cn_hull_lowest(shape->hull, cn_vec3_negate(direction), &farthest);
    return shape->hull->vertices[farthest];
}

typedef CnVec3 SupportFunction(const CnShape* shape, CnVec3 direction);
static SupportFunction* const support_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = sphere_support,   [CN_SHAPE_BOX] = box_support,
    [CN_SHAPE_CAPSULE] = capsule_support, [CN_SHAPE_CYLINDER] = cylinder_support,
    [CN_SHAPE_CONVEX] = convex_support,
};

CnVec3 cn_shape_support(const CnShape* shape, CnVec3 direction) {
    CN_ASSERT(support_table[shape->type] != NULL);
    return support_table[shape->type](shape, direction);
}

double cn_shape_rounding(const CnShape* shape) {
    bool is_rounded = shape->type == CN_SHAPE_SPHERE || shape->type == CN_SHAPE_CAPSULE;
    return is_rounded ? shape->radius : 0.0;
}
