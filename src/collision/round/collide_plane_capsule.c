// collide_plane_capsule.c - a capsule against a half space: the balls at its two ends.
#include "collision/collide_pairs.h"
#include "collision/round/round.h"

int cn_collide_plane_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                             CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 normal = cn_quat_rotate(a.pose.rotation, a.shape->normal);
    CnSegment segment = cn_placed_segment(b, a.pose.position);
    CnVec3 ends[2] = {segment.start, segment.end};
    int count = 0;

    for (uint32_t i = 0; i < 2; ++i) {
        double gap = cn_vec3_dot(normal, ends[i]) - b.shape->radius;
        CnVec3 middle = cn_vec3_add_scaled(ends[i], -(b.shape->radius + 0.5 * gap), normal);
        CnManifoldPoint contact = {cn_vec3_add(a.pose.position, middle), normal, gap, i};
        count = cn_manifold_keep(contact, margin, points, count);
    }
    return count;
}
