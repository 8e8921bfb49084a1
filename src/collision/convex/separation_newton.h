// separation_newton.h - Newton's method for the direction of largest separation of two cores.
#pragma once

#include "collision/convex/gjk.h"

// The direction of largest separation of two cores.
typedef struct CnSeparationMaximum {
    CnNearest nearest; // the distance is the separation along the normal; points if exact
    bool exact;        // a local maximum, proved by the points
} CnSeparationMaximum;

// docs/theory/collision/gjk.md (9) to (12). If the cores are apart there is one maximum; the search
// starts from the result of GJK.
CnSeparationMaximum cn_maximum_apart(const CnCorePair* pair, const CnGjk* gjk);

// Overlapping cores have many maxima: finds the one reached by an ascent from `normal`.
CnSeparationMaximum cn_maximum_overlapping(const CnCorePair* pair, CnVec3 normal);
