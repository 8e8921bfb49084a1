// collide.h - contact points between two shapes: one table of pair functions.
#pragma once

#include "geometry/shape.h"

typedef struct CnManifoldPoint {
    CnVec3 point;     // world [m]
    CnVec3 normal;    // unit, from A to B
    double gap;       // negative when overlapping [m]
    uint32_t feature; // which features meet; stable from step to step
} CnManifoldPoint;

#define CN_MANIFOLD_POINTS 4

// Points with a gap of at most margin [m]; returns how many. Pairs that never meet give none, nor
// do meshes and height fields, which may have any number: see cn_collide_all(). The other order of
// A and B gives the same points and features with the normals turned round, bit by bit.
int cn_collide(CnPlacedShape a, CnPlacedShape b, double margin,
               CnManifoldPoint points[CN_MANIFOLD_POINTS]);
