// separation_newton.h - Newton's method for the direction of largest separation of two cores.
#pragma once

#include "collision/convex/gjk.h"

// The direction along which two cores are farthest apart.
typedef struct CnSeparationMaximum {
    CnNearest nearest; // the distance is the separation along the normal; points if exact
    bool exact;        // a local maximum, proved by the points
} CnSeparationMaximum;

// docs/theory/collision/gjk.md (9) to (12). Cores apart have one maximum, found from where GJK
// ended.
CnSeparationMaximum cn_maximum_apart(const CnCorePair* pair, const CnGjk* gjk);

// Cores that overlap have many maxima: the one that an ascent from `normal` ends at.
CnSeparationMaximum cn_maximum_overlapping(const CnCorePair* pair, CnVec3 normal);
