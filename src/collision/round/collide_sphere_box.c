// collide_sphere_box.c - a ball against a box: clamp its centre into the box.
#include "collision/collide_pairs.h"
#include "collision/round/round.h"

static double component(CnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The depth of the centre below the nearest face, and the outward normal of that face. Ties: the
// first face, and of two faces on one axis the one at the positive end.
static double depth_inside(CnVec3 center, CnVec3 half_size, double tie, CnVec3* outward) {
    int nearest = 0;
    double depth = HUGE_VAL;
    for (int axis = 0; axis < 3; ++axis) {
        double under = component(half_size, axis) - fabs(component(center, axis));
        if (under < depth - tie) {
            depth = under;
            nearest = axis;
        }
    }
    double sign = component(center, nearest) < -tie ? -1.0 : 1.0;
    *outward =
        cn_vec3(nearest == 0 ? sign : 0.0, nearest == 1 ? sign : 0.0, nearest == 2 ? sign : 0.0);
    return depth;
}

int cn_collide_sphere_box(CnPlacedShape a, CnPlacedShape b, double margin,
                          CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 half = b.shape->half_size;
    CnVec3 center =
        cn_quat_unrotate(b.pose.rotation, cn_vec3_sub(a.pose.position, b.pose.position));
    // Near a face the differences of the components are exact, and so is the normal.
    CnVec3 outside = cn_vec3(center.x - fmin(fmax(center.x, -half.x), half.x),
                             center.y - fmin(fmax(center.y, -half.y), half.y),
                             center.z - fmin(fmax(center.z, -half.z), half.z));
    double distance = cn_vec3_length(outside);
    CnVec3 outward = cn_vec3_normalize(outside);
    double touching = CN_TOUCHING * b.shape->extent;
    if (!(distance > touching)) {
        distance = -depth_inside(center, half, touching, &outward);
    }

    return cn_ball_contact(a, b, outward, distance - a.shape->radius, margin, points);
}
