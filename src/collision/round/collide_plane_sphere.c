// collide_plane_sphere.c - a ball against a half space.
#include "collision/collide_pairs.h"

int cn_collide_plane_sphere(CnPlacedShape a, CnPlacedShape b, double margin,
                            CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 normal = cn_quat_rotate(a.pose.rotation, a.shape->normal);
    CnVec3 origin = a.pose.position;
    CnVec3 center = b.pose.position;
    double gap = cn_vec3_dot(normal, cn_vec3_sub(center, origin)) - b.shape->radius;

    if (!(gap <= margin)) {
        return 0;
    }
    points[0] = (CnManifoldPoint){
        .point = cn_vec3_add_scaled(center, -(b.shape->radius + 0.5 * gap), normal),
        .normal = normal,
        .gap = gap,
    };
    return 1;
}
