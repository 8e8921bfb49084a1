// collide_polyhedron_polyhedron.c - convex hulls, and boxes among them, against each other.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

int cn_collide_polyhedron_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnBoxHull storage[2];
    CnSatAxes axes;
    CnRelativePose pose = cn_relative_pose(a.pose, b.pose);
    CnHullPair pair = cn_hull_pair(a, b, &pose, storage);
    if (!cn_sat_hulls(pair.hull[0], pair.hull[1], &pose, margin, &axes)) {
        return 0;
    }
    return cn_manifold_make(&pair, &axes, margin, points);
}
