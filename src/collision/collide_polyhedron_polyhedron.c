// collide_polyhedron_polyhedron.c - convex hulls, and boxes among them, against each other.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

// More than 1 by what round-off may do to squares of distances: it never decides what is apart.
#define FARTHER (1.0 + 1e-12)

// Whether the balls around two hulls are: most pairs whose boxes only overlap at a corner.
static bool balls_are_apart(const CnHullPair* pair, double margin) {
    const CnHull *a = pair->hull[0], *b = pair->hull[1];
    CnVec3 center = cn_vec3_add(pair->b_in_a.offset, cn_mat3_apply(&pair->b_in_a.turn, b->center));
    CnVec3 across = cn_vec3_sub(center, a->center);
    double reach = a->outer + b->outer + margin;
    return cn_vec3_dot(across, across) > FARTHER * reach * reach;
}

int cn_collide_polyhedron_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnHullPair pair;
    CnSatAxes axes;
    cn_hull_pair_start(a, b, &pair);
    if (balls_are_apart(&pair, margin)) {
        return 0;
    }
    if (!cn_sat_hulls(pair.hull[0], pair.hull[1], &pair.b_in_a, margin, CN_EXACT * pair.size,
                      &axes)) {
        return 0;
    }
    return cn_manifold_make(&pair, &axes, margin, points);
}
