// separation_newton.h - Newton's method for the direction of largest separation of two cores.
#pragma once

#include "collision/convex/gjk.h"

typedef struct CnSummit {
    CnNearest nearest; // the distance is the separation along the normal; points if exact
    bool exact;        // a local maximum, proved by the points
} CnSummit;

// docs/theory/gjk.md (9) to (12). Cores apart have one summit only: from where GJK ended.
CnSummit cn_summit_apart(const CnCorePair* pair, const CnGjk* gjk);

// Of cores that overlap the summit that normal is on the slope of.
CnSummit cn_summit_overlapping(const CnCorePair* pair, CnVec3 normal);
