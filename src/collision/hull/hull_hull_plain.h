// hull_hull_plain.h - contact points of two hulls, in plain scalar code.
// lanes.
#pragma once

#include "collision/collide.h"

// What cn_collide() gives for two boxes or hulls, not both boxes. Normals and gaps agree to
// round-off, and so do points but for the choice among more than four candidates that are as good:
// tests compare the two. It takes ten to a hundred times as long. Returns how many points there
// are.
int cn_collide_hull_hull_plain(CnPlacedShape a, CnPlacedShape b, double margin,
                               CnManifoldPoint points[CN_MANIFOLD_POINTS]);
