// epa.h - penetration depth of two convex cores (expanding polytope algorithm).
#pragma once

#include "collision/convex/gjk.h"

#define CN_EPA_STARTS 48

// The direction of least penetration; the caller refines it locally.
typedef struct CnEpa {
    CnVec3 normal;                // unit, from A to B
    double separation;            // along it: minus the depth, or a tiny gap if they touch [m]
    double bound;                 // no separation exceeds this: the polytope is inside [m]
    int vertices;                 // of the polytope
    bool exact;                   // separation and bound agree to the tolerance
    CnVec3 starts[CN_EPA_STARTS]; // distinct normals of faces that may hide a smaller depth
    int start_count;
} CnEpa;

// Starts from the result of GJK. tolerance is absolute [m]. Memory is fixed: when it runs out, or
// if the difference is flat, the result is the best direction found.
CnEpa cn_epa(const CnCorePair* pair, const CnGjk* gjk, double tolerance);
