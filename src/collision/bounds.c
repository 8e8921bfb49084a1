// bounds.c - axis-aligned boxes around shapes.
#include "collision/bounds.h"

static CnBounds sphere_bounds(CnPlacedShape placed) {
    CnVec3 center = placed.pose.position;
    double r = placed.shape->radius;
    return (CnBounds){cn_vec3(center.x - r, center.y - r, center.z - r),
                      cn_vec3(center.x + r, center.y + r, center.z + r)};
}

static CnBounds plane_bounds(CnPlacedShape placed) {
    (void)placed;
    return (CnBounds){cn_vec3(-INFINITY, -INFINITY, -INFINITY),
                      cn_vec3(INFINITY, INFINITY, INFINITY)};
}

typedef CnBounds BoundsFunction(CnPlacedShape placed);
static BoundsFunction* const bounds_table[] = {
    [CN_SHAPE_SPHERE] = sphere_bounds,
    [CN_SHAPE_PLANE] = plane_bounds,
};

CnBounds cn_shape_bounds(CnPlacedShape placed, double margin) {
    CnBounds b = bounds_table[placed.shape->type](placed);
    CnVec3 grow = cn_vec3(margin, margin, margin);
    return (CnBounds){cn_vec3_sub(b.low, grow), cn_vec3_add(b.high, grow)};
}

bool cn_bounds_overlap(const CnBounds* a, const CnBounds* b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}
