// collide_box_box.c - two boxes: their fifteen axes in closed form.
#include "collision/collide_pairs.h"
#include "collision/manifold.h"

int cn_collide_box_box(CnPlacedShape a, CnPlacedShape b, double margin,
                       CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnBoxHull storage[2];
    CnSatAxes axes;
    CnRelativePose pose = cn_relative_pose(a.pose, b.pose);
    if (!cn_sat_boxes(a.shape->half_size, b.shape->half_size, &pose, margin, &axes)) {
        return 0;
    }
    CnHullPair pair = cn_hull_pair(a, b, &pose, storage);
    return cn_manifold_make(&pair, &axes, margin, points);
}
