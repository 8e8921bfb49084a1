// collide_plane_cylinder.c - a cylinder against a half space: points of its rims.
#include "collision/collide_pairs.h"
#include "collision/convex/rim.h"
#include "collision/round/round.h"

static int keep_rim_point(CnPlacedShape plane, CnVec3 normal, CnVec3 on_rim, uint32_t feature,
                          double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS], int count) {
    double gap = cn_vec3_dot(normal, on_rim);
    CnVec3 middle = cn_vec3_add_scaled(on_rim, -0.5 * gap, normal);
    CnManifoldPoint contact = {cn_vec3_add(plane.pose.position, middle), normal, gap, feature};
    return cn_manifold_keep(contact, margin, points, count);
}

// A standing cylinder has four points on the lower rim, the lowest first. A lying one has the
// lowest point of each rim. In between only one point is near the plane, so the switch from one to
// the other has no effect.
int cn_collide_plane_cylinder(CnPlacedShape a, CnPlacedShape b, double margin,
                              CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 normal = cn_quat_rotate(a.pose.rotation, a.shape->normal);
    CnCylinderRims rims = cn_cylinder_rims(b, cn_vec3_negate(normal), a.pose.position);
    int count = 0;

    if (rims.standing) {
        for (uint32_t i = 0; i < CN_RIM_POINTS; ++i) {
            CnVec3 on_rim = cn_rim_point(&rims, rims.facing, i);
            count = keep_rim_point(a, normal, on_rim, cn_rim_feature(rims.facing, i), margin,
                                   points, count);
        }
        return count;
    }
    for (uint32_t end = 0; end < 2; ++end) {
        CnVec3 on_rim = cn_rim_point(&rims, end, 0);
        count = keep_rim_point(a, normal, on_rim, cn_rim_feature(end, 0), margin, points, count);
    }
    return count;
}
