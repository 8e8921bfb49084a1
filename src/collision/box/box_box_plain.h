// box_box_plain.h - contact points of two boxes, in plain scalar code.
#pragma once

#include "collision/collide.h"
#include "collision/sat/polyhedron.h"

// What cn_collide_boxes() gives for one pair, to the bit; tests compare the two. It takes several
// times as long. Returns how many points there are.
int cn_collide_box_box_plain(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b,
                             double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]);
