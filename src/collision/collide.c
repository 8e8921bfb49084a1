// collide.c - the table of pair functions.
#include "collision/collide.h"

#include "collision/collide_pairs.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/polyhedron_pairs.h"

// Row: type of A; column: type of B. An empty cell whose mirror is filled is called with the two
// swapped; a pair with neither (plane and plane) never meets.
static CnCollideFunction* const table[CN_SHAPE_TYPE_COUNT][CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] =
        {
            [CN_SHAPE_SPHERE] = cn_collide_sphere_sphere,
            [CN_SHAPE_BOX] = cn_collide_sphere_box,
            [CN_SHAPE_CAPSULE] = cn_collide_sphere_capsule,
            [CN_SHAPE_CYLINDER] = cn_collide_sphere_cylinder,
            [CN_SHAPE_CONVEX] = cn_collide_convex,
        },
    [CN_SHAPE_PLANE] =
        {
            [CN_SHAPE_SPHERE] = cn_collide_plane_sphere,
            [CN_SHAPE_BOX] = cn_collide_plane_polyhedron,
            [CN_SHAPE_CAPSULE] = cn_collide_plane_capsule,
            [CN_SHAPE_CYLINDER] = cn_collide_plane_cylinder,
            [CN_SHAPE_CONVEX] = cn_collide_plane_polyhedron,
        },
    [CN_SHAPE_BOX] =
        {
            [CN_SHAPE_BOX] = cn_collide_box_box,
            [CN_SHAPE_CAPSULE] = cn_collide_convex,
            [CN_SHAPE_CYLINDER] = cn_collide_convex,
            [CN_SHAPE_CONVEX] = cn_collide_polyhedron_polyhedron,
        },
    [CN_SHAPE_CAPSULE] =
        {
            [CN_SHAPE_CAPSULE] = cn_collide_capsule_capsule,
            [CN_SHAPE_CYLINDER] = cn_collide_convex,
            [CN_SHAPE_CONVEX] = cn_collide_convex,
        },
    [CN_SHAPE_CYLINDER] =
        {
            [CN_SHAPE_CYLINDER] = cn_collide_convex,
            [CN_SHAPE_CONVEX] = cn_collide_convex,
        },
    [CN_SHAPE_CONVEX] =
        {
            [CN_SHAPE_CONVEX] = cn_collide_polyhedron_polyhedron,
        },
};

static int collide_reversed(CnCollideFunction* function, CnPlacedShape a, CnPlacedShape b,
                            double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    int count = function(b, a, margin, points);
    for (int i = 0; i < count; ++i) {
        points[i].normal = cn_vec3_negate(points[i].normal);
    }
    return count;
}

static int collide_polyhedra(CnPlacedShape a, CnPlacedShape b, double margin,
                             CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedPolyhedron placed_a, placed_b;
    cn_polyhedron_place(&a, &placed_a);
    cn_polyhedron_place(&b, &placed_b);
    return cn_collide_polyhedra(&placed_a, &placed_b, margin, points);
}

int cn_collide(CnPlacedShape a, CnPlacedShape b, double margin,
               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnCollideFunction* direct = table[a.shape->type][b.shape->type];
    CnCollideFunction* mirrored = table[b.shape->type][a.shape->type];
    CnCollideFunction* polyhedra = cn_collide_polyhedron_polyhedron;
    if (direct == polyhedra || mirrored == polyhedra) {
        return collide_polyhedra(a, b, margin, points);
    }
    if (direct == NULL) {
        return mirrored == NULL ? 0 : collide_reversed(mirrored, a, b, margin, points);
    }
    if (direct == mirrored && cn_pair_is_reversed(a, b)) { // two of a type
        return collide_reversed(direct, a, b, margin, points);
    }
    return direct(a, b, margin, points);
}
