// collide_sphere_sphere.c - two balls touch in at most one point.
#include "collision/collide_pairs.h"
#include "collision/convex/pair_order.h"
#include "collision/round/closest.h"

// Concentric balls have no direction between them. The normal is computed from their rotations: it
// turns with them and is reversed when they are swapped. If their rotations are equal, it is A's z
// axis.
static CnVec3 direction_of_attitudes(CnQuat a, CnQuat b) {
    const CnVec3 mark = cn_pair_weights();
    CnVec3 between = cn_vec3_sub(cn_quat_rotate(b, mark), cn_quat_rotate(a, mark));
    bool alike = !(cn_vec3_length(between) > CN_TOUCHING);
    return alike ? cn_quat_rotate(a, cn_vec3(0.0, 0.0, 1.0)) : cn_vec3_normalize(between);
}

int cn_collide_sphere_sphere(CnPlacedShape a, CnPlacedShape b, double margin,
                             CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 center_a = a.pose.position;
    CnVec3 center_b = b.pose.position;
    CnVec3 across = cn_vec3_sub(center_b, center_a);
    double distance = cn_vec3_length(across);
    double gap = distance - a.shape->radius - b.shape->radius;

    if (!(gap <= margin)) {
        return 0;
    }
    bool concentric = !(distance > CN_TOUCHING * (a.shape->radius + b.shape->radius));
    CnVec3 normal = concentric ? direction_of_attitudes(a.pose.rotation, b.pose.rotation)
                               : cn_vec3_scale(1.0 / distance, across);
    points[0] = (CnManifoldPoint){
        .point = cn_vec3_add_scaled(center_a, a.shape->radius + 0.5 * gap, normal),
        .normal = normal,
        .gap = gap,
    };
    return 1;
}
