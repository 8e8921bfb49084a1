// collide_box_box.c - two boxes: a batch of one.
#include "collision/box/box_pairs.h"
#include "collision/collide_pairs.h"

#include <string.h>

int cn_collide_box_box(CnPlacedShape a, CnPlacedShape b, double margin,
                       CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedPolyhedron box_a, box_b;
    cn_polyhedron_place(&a, &box_a);
    cn_polyhedron_place(&b, &box_b);
    CnBoxPair pair = {&box_a, &box_b, margin};
    CnBoxContact contact;
    cn_collide_boxes(&pair, 1, &contact);
    memcpy(points, contact.points, (size_t)contact.count * sizeof points[0]);
    return contact.count;
}
