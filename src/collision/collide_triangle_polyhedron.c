// collide_triangle_polyhedron.c - a box or a convex hull against one triangle.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

// As two hulls, but a vertex that hangs over the triangle may belong to no face that is near it:
// then the triangle's own normal is all there is to tell, at the point of the surface.
int cn_collide_triangle_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                   CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnHullPair pair;
    CnSatAxes axes;
    cn_hull_pair_start(a, b, &pair);
    cn_hull_pair_complete(&pair);
    if (!cn_sat_hulls(pair.hull[0], pair.hull[1], &pair.b_in_a, margin, &axes)) {
        return 0;
    }
    int count = cn_manifold_make(&pair, &axes, margin, points);
    if (count > 0 || cn_manifold_axis(&axes, pair.size) != &axes.face_a) {
        return count;
    }
    points[0] = (CnManifoldPoint){
        .point = a.pose.position,
        .normal = cn_quat_rotate(a.pose.rotation, axes.face_a.normal),
        .gap = axes.face_a.separation,
    };
    return 1;
}
