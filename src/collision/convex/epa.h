// epa.h - penetration depth of two convex cores (expanding polytope algorithm).
#pragma once

#include "collision/convex/gjk.h"

#define CN_EPA_STARTS 48

// The direction in which B leaves A by the shortest way; from there on it is a local matter.
typedef struct CnEpa {
    CnVec3 normal;                // unit, from A to B
    double separation;            // along it: minus the depth, or a gap if they hardly touch [m]
    double bound;                 // none is above this: the polytope is inside [m]
    int vertices;                 // of the polytope
    bool exact;                   // separation and bound agree to the tolerance
    CnVec3 starts[CN_EPA_STARTS]; // normals of faces, well apart, that may hide a shorter way out
    int start_count;
} CnEpa;

// From where GJK ended. tolerance is absolute [m]. Memory is fixed; when it runs out, or the
// difference is flat, the best direction seen is the answer.
CnEpa cn_epa(const CnCorePair* pair, const CnGjk* gjk, double tolerance);
