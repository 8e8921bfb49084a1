// summit.h - the direction that parts two cores best, climbed to from one nearby.
#pragma once

#include "collision/gjk.h"

typedef struct CnSummit {
    CnNearest nearest; // the distance is the separation along the normal; points if exact
    bool exact;        // no direction nearby parts them better, and the points prove it
} CnSummit;

// docs/theory/gjk.md (9) to (12). Cores apart have one summit only; of overlapping ones it is the
// one that normal is on the slope of.
CnSummit cn_summit(const CnCorePair* pair, CnVec3 normal);
