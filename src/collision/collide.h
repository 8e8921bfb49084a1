// collide.h - contact points of one pair of convex shapes.
#pragma once

#include "base/array.h"
#include "geometry/shape.h"

typedef struct CnManifoldPoint {
    CnVec3 point;     // world [m]
    CnVec3 normal;    // unit, from A to B
    double gap;       // negative when overlapping [m]
    uint32_t feature; // which features meet; stable from step to step
} CnManifoldPoint;

typedef CN_ARRAY(CnManifoldPoint) CnManifoldPointArray;

#define CN_MANIFOLD_POINTS 4 // at most, of two convex shapes

// The narrow phase (narrow_phase.h) for one pair: points with a gap of at most margin [m]; returns
// how many. None for meshes and height fields, which may have any number.
int cn_collide(CnPlacedShape a, CnPlacedShape b, double margin,
               CnManifoldPoint points[CN_MANIFOLD_POINTS]);
