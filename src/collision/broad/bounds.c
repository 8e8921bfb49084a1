// bounds.c - axis-aligned boxes around shapes.
#include "collision/broad/bounds.h"

#include "geometry/surface.h"
#include "math/mat3.h"

static CnBounds around(CnVec3 center, CnVec3 half) {
    return (CnBounds){cn_vec3_sub(center, half), cn_vec3_add(center, half)};
}

static CnBounds sphere_bounds(CnPlacedShape placed) {
    double r = placed.shape->radius;
    return around(placed.pose.position, cn_vec3(r, r, r));
}

static CnBounds plane_bounds(CnPlacedShape placed) {
    (void)placed;
    return (CnBounds){cn_vec3(-INFINITY, -INFINITY, -INFINITY),
                      cn_vec3(INFINITY, INFINITY, INFINITY)};
}

// The corner farthest along a world axis: |R| times the half edges.
static CnBounds turned_box(CnQuat turn, CnVec3 middle, CnVec3 half) {
    CnMat3 rotation = cn_mat3_from_quat(turn);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            rotation.m[i][k] = fabs(rotation.m[i][k]);
        }
    }
    return around(middle, cn_mat3_apply(&rotation, half));
}

static CnBounds box_bounds(CnPlacedShape placed) {
    return turned_box(placed.pose.rotation, placed.pose.position, placed.shape->half_size);
}

static CnVec3 axis_of(CnPlacedShape placed) {
    return cn_quat_rotate(placed.pose.rotation, cn_vec3(0.0, 0.0, 1.0));
}

static CnBounds capsule_bounds(CnPlacedShape placed) {
    CnVec3 axis = axis_of(placed);
    double r = placed.shape->radius, h = placed.shape->half_length;
    return around(placed.pose.position,
                  cn_vec3(h * fabs(axis.x) + r, h * fabs(axis.y) + r, h * fabs(axis.z) + r));
}

// A disc across the axis a reaches r sqrt(1 - a_i^2) along world axis i: the sine of their angle.
static CnBounds cylinder_bounds(CnPlacedShape placed) {
    CnVec3 a = axis_of(placed);
    double r = placed.shape->radius, h = placed.shape->half_length;
    return around(placed.pose.position, cn_vec3(h * fabs(a.x) + r * sqrt(a.y * a.y + a.z * a.z),
                                                h * fabs(a.y) + r * sqrt(a.x * a.x + a.z * a.z),
                                                h * fabs(a.z) + r * sqrt(a.x * a.x + a.y * a.y)));
}

static CnVec3 least(CnVec3 a, CnVec3 b) {
    return cn_vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static CnVec3 most(CnVec3 a, CnVec3 b) {
    return cn_vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static CnBounds convex_bounds(CnPlacedShape placed) {
    const CnHull* hull = placed.shape->hull;
    CnVec3 first = cn_transform_point(placed.pose, hull->vertices[0]);
    CnBounds box = {first, first};
    for (int i = 1; i < hull->vertex_count; ++i) {
        CnVec3 p = cn_transform_point(placed.pose, hull->vertices[i]);
        box = (CnBounds){least(p, box.low), most(p, box.high)};
    }
    return box;
}

// Of the box around all triangles in the surface's own frame.
static CnBounds surface_bounds(CnPlacedShape placed) {
    int count;
    CnBounds own = cn_surface_tree(placed.shape, &count)->nodes[0].box;
    CnVec3 middle = cn_vec3_scale(0.5, cn_vec3_add(own.low, own.high));
    return turned_box(placed.pose.rotation, cn_transform_point(placed.pose, middle),
                      cn_vec3_scale(0.5, cn_vec3_sub(own.high, own.low)));
}

typedef CnBounds BoundsFunction(CnPlacedShape placed);
static BoundsFunction* const bounds_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = sphere_bounds,     [CN_SHAPE_PLANE] = plane_bounds,
    [CN_SHAPE_BOX] = box_bounds,           [CN_SHAPE_CAPSULE] = capsule_bounds,
    [CN_SHAPE_CYLINDER] = cylinder_bounds, [CN_SHAPE_CONVEX] = convex_bounds,
    [CN_SHAPE_MESH] = surface_bounds,      [CN_SHAPE_HEIGHT_FIELD] = surface_bounds,
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
