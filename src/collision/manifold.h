// manifold.h - contact points of two convex polyhedra from the axes that part them best.
#pragma once

#include "collision/collide.h"
#include "collision/sat.h"

typedef struct CnHullPair {
    const CnShape* shape[2];
    const CnHull* hull[2];
    CnTransform pose[2]; // in the world
    CnRelativePose b_in_a;
    double size;          // of the smaller [m]
    bool boxes;           // both: they need no hulls as long as faces meet
    CnBoxHull storage[2]; // where hulls of boxes are made
} CnHullPair;

void cn_hull_pair_start(CnPlacedShape a, CnPlacedShape b, CnHullPair* pair); // all but the hulls
void cn_hull_pair_complete(CnHullPair* pair);

// Of the three axes, the one that contact points are made on: that of a face unless the edges part
// the hulls better by more than CN_ONE_CONTACT of the size; A's face unless B's does by more than
// CN_TIE. docs/theory/sat.md says why.
const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size);

// Hulls of two boxes are completed when they are needed.
int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]);
