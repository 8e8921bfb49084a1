// manifold.h - contact points of two convex polyhedra from the axes that part them best.
#pragma once

#include "collision/collide.h"
#include "collision/sat.h"

typedef struct CnHullPair {
    const CnHull* hull[2];
    CnTransform pose[2]; // in the world
    CnRelativePose b_in_a;
    double size; // of the smaller [m]
} CnHullPair;

CnHullPair cn_hull_pair(CnPlacedShape a, CnPlacedShape b, const CnRelativePose* b_in_a,
                        CnBoxHull storage[2]);

// Of the three axes, the one that contact points are made on: that of a face unless the edges part
// the hulls better by more than CN_ONE_CONTACT of the size; A's face unless B's does by more than
// CN_TIE. docs/theory/sat.md says why.
const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size);

int cn_manifold_make(const CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]);
