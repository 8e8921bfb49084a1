// collide_box_box.c - two boxes: their fifteen axes in closed form.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

int cn_collide_box_box(CnPlacedShape a, CnPlacedShape b, double margin,
                       CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnHullPair pair;
    CnSatAxes axes;
    cn_hull_pair_start(a, b, &pair);
    if (!cn_sat_boxes(a.shape->half_size, b.shape->half_size, &pair.b_in_a, margin, &axes)) {
        return 0;
    }
    return cn_manifold_make(&pair, &axes, margin, points);
}
