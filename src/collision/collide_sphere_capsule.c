// collide_sphere_capsule.c - a ball against a capsule: the nearest point of its segment.
#include "collision/collide_pairs.h"
#include "collision/round.h"

int cn_collide_sphere_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                              CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 center = cn_vec3(0.0, 0.0, 0.0);
    CnSegment ball = {center, center};
    CnSegment segment = cn_placed_segment(b, a.pose.position);
    CnNearest nearest = cn_closest_segments(ball, segment);
    CnManifoldPoint contact =
        cn_round_contact(&nearest, a.shape->radius, b.shape->radius, a.pose.position, 0);
    return cn_manifold_keep(contact, margin, points, 0);
}
