// collide_plane_polyhedron.c - a box or a convex hull against a half space.
#include "collision/collide_pairs.h"
#include "collision/hull/reduce.h"
#include "collision/sat/polyhedron.h"

// Only vertices can be nearest to a plane. Heights are measured from the body's origin in its own
// axes, so that they stay accurate far from the world's origin.
int cn_collide_plane_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnBoxHull storage;
    const CnHull* hull = cn_polyhedron_hull(b.shape, &storage);
    CnVec3 normal = cn_quat_rotate(a.pose.rotation, a.shape->normal);
    CnVec3 up = cn_quat_unrotate(b.pose.rotation, normal);
    double height = cn_vec3_dot(normal, cn_vec3_sub(b.pose.position, a.pose.position));
    CnCandidates candidates;

    cn_candidates_start(&candidates, b.shape->extent);

    for (int i = 0; i < hull->vertex_count; ++i) {
        double gap = height + cn_vec3_dot(up, hull->vertices[i]);
        if (!(gap <= margin)) {
            continue;
        }
        CnVec3 middle = cn_vec3_add_scaled(hull->vertices[i], -0.5 * gap, up);
        cn_candidates_add(&candidates, (CnManifoldPoint){
                                           .point = cn_transform_point(b.pose, middle),
                                           .normal = normal,
                                           .gap = gap,
                                           .feature = (uint32_t)i,
                                       });
    }
    return cn_candidates_reduce(&candidates, points);
}
