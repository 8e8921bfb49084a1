// collide_sphere_sphere.c - two balls touch at most in one point.
#include "collision/collide_pairs.h"

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
    // Concentric balls have no direction of their own: push along z, the same way every time.
    CnVec3 normal = distance > 0.0 ? cn_vec3_scale(1.0 / distance, across) : cn_vec3(0.0, 0.0, 1.0);
    points[0] = (CnManifoldPoint){
        .point = cn_vec3_add_scaled(center_a, a.shape->radius + 0.5 * gap, normal),
        .normal = normal,
        .gap = gap,
    };
    return 1;
}
