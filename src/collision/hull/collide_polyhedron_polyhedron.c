// collide_polyhedron_polyhedron.c - convex hulls, and boxes among them, against each other.
#include "base/error.h"
#include "collision/collide_pairs.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/manifold.h"
#include "collision/hull/polyhedron_pairs.h"

// More than 1 by the round-off of squared distances, so that round-off never decides what is apart.
#define FARTHER (1.0 + 1e-12)

// Whether the bounding balls are apart, as those of most pairs whose bounding boxes overlap only at
// a corner: then the order of the two need not be found.
static bool balls_are_apart(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, CnVec3 across,
                            double margin) {
    double reach = cn_polyhedron_extent(a) + cn_polyhedron_extent(b) + margin;
    return cn_vec3_dot(across, across) > FARTHER * reach * reach;
}

// A box goes before a hull; the order of two hulls is docs/theory/collision/sat.md (10).
static bool is_reversed(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, CnVec3 across) {
    CnShapeType type_a = a->shape->type, type_b = b->shape->type;
    CnVec3 both = cn_vec3_add(cn_polyhedron_weights(a), cn_polyhedron_weights(b));
    return type_a != type_b
               ? type_a > type_b
               : cn_pair_is_reversed_if(a->shape, cn_polyhedron_rotation(a), b->shape,
                                        cn_polyhedron_rotation(b), cn_vec3_dot(both, across));
}

static void start_pair(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, bool reversed,
                       CnHullPair* pair) {
    double size_a = cn_polyhedron_extent(a), size_b = cn_polyhedron_extent(b);
    pair->placed[0] = a;
    pair->placed[1] = b;
    pair->hull[0] = cn_polyhedron_hull(a->shape, &pair->storage[0]);
    pair->hull[1] = cn_polyhedron_hull(b->shape, &pair->storage[1]);
    pair->reversed = reversed;
    pair->size = size_a < size_b ? size_a : size_b;
    CN_WIDEST(cn_relative_poses)(cn_polyhedron_pose(a), cn_polyhedron_pose(b), pair->seen);
}

int cn_collide_in_order(const CnPlacedPolyhedron* first, const CnPlacedPolyhedron* second,
                        bool reversed, double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnHullPair pair;
    CnSatAxes axes;
    start_pair(first, second, reversed, &pair);
    if (!cn_sat_hulls(pair.hull[0], pair.hull[1], pair.seen, margin,
                      CN_COINCIDENCE_TOLERANCE * pair.size, &axes)) {
        return 0;
    }
    return cn_manifold_make(&pair, &axes, margin, points);
}

int cn_collide_polyhedra(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, double margin,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CN_ASSERT(a->shape->type != CN_SHAPE_BOX || b->shape->type != CN_SHAPE_BOX);
    CnVec3 across = cn_vec3_sub(cn_polyhedron_center(b), cn_polyhedron_center(a));
    if (balls_are_apart(a, b, across, margin)) {
        return 0;
    }
    bool reversed = is_reversed(a, b, across);
    return cn_collide_in_order(reversed ? b : a, reversed ? a : b, reversed, margin, points);
}

int cn_collide_polyhedron_polyhedron(CnPlacedShape a, CnPlacedShape b, double margin,
                                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedPolyhedron first, second;
    cn_polyhedron_place(&a, &first);
    cn_polyhedron_place(&b, &second);
    return cn_collide_in_order(&first, &second, false, margin, points);
}
