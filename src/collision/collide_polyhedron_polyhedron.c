// collide_polyhedron_polyhedron.c - convex hulls, and boxes among them, against each other.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

int cn_collide_polyhedron_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnHullPair pair;
    CnSatAxes axes;
    cn_hull_pair_start(a, b, &pair);
    if (!cn_sat_hulls(pair.hull[0], pair.hull[1], &pair.b_in_a, margin, CN_EXACT * pair.size,
                      &axes)) {
        return 0;
    }
    return cn_manifold_make(&pair, &axes, margin, points);
}
