// sweep_cast.h - when a shape that moves along a line first touches another.
#pragma once

#include "geometry/shape.h"

typedef struct CnSweepHit {
    double distance; // travelled [m]
    CnVec3 point;    // on the shape that stands still, world [m]
    CnVec3 normal;   // unit, out of the shape that stands still
    bool inside;     // they touch at the start; distance is 0
} CnSweepHit;

// `moving` travels up to length [m] along the unit direction; it must not be a plane. False if the
// two do not meet, and for two planes or surfaces. A surface is hit from the front only, and only
// by shapes that do not start wholly behind it. The error is at most 1e-9 m unless the two merely
// graze.
bool cn_sweep_cast(CnPlacedShape moving, CnPlacedShape still, CnVec3 direction, double length,
                   CnSweepHit* hit);
