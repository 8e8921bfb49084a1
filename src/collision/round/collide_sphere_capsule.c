// collide_sphere_capsule.c - a ball against a capsule: the nearest point of its segment.
#include "collision/collide_pairs.h"
#include "collision/round/round.h"

// In the capsule's frame: if the centre is on its axis, the normal is chosen among the capsule's
// axes.
int cn_collide_sphere_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                              CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 center =
        cn_quat_unrotate(b.pose.rotation, cn_vec3_sub(a.pose.position, b.pose.position));
    CnNearest nearest = cn_closest_to_segment(center, cn_placed_segment_in(b, b.pose));
    CnManifoldPoint contact =
        cn_round_contact(&nearest, a.shape->radius, b.shape->radius, b.pose, 0);
    return cn_manifold_keep(contact, margin, points, 0);
}
