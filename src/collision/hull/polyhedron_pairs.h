// polyhedron_pairs.h - contact points of boxes and convex hulls that are placed.
#pragma once

#include "collision/collide.h"
#include "collision/sat/polyhedron.h"

// As cn_collide() of the two shapes, to the bit, unless both are boxes: those have box_pairs.h.
int cn_collide_polyhedra(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, double margin,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]);

// With the order of the two already found. Normals are from the first to the second, or if
// `reversed` from the second to the first.
int cn_collide_in_order(const CnPlacedPolyhedron* first, const CnPlacedPolyhedron* second,
                        bool reversed, double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]);
