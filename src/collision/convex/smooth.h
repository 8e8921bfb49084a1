// smooth.h - the separation of two cores near one corner of their Minkowski difference.
//
// Between corners it is a smooth function of the normal, (9) of docs/theory/collision/gjk.md, but
// for a kink on the axis of a disc.
#pragma once

#include "collision/convex/gjk.h"

// A cylinder is a segment with a disc rolled along it.
typedef struct CnDisc {
    double radius; // [m]
    CnVec3 axis;   // unit
} CnDisc;

typedef struct CnDiscs {
    CnDisc of[2]; // those of A and B, as far as they have one   [count]
    int count;
} CnDiscs;

CnDiscs cn_core_discs(const CnCorePair* pair); // in A's frame

// Nearer than this [rad] to its axis, a disc is a flat and not a rim: there is no slope.
#define CN_ON_AXIS 1e-12

// What of n is square to the axis.
static inline CnVec3 cn_disc_radial(const CnDisc* disc, CnVec3 n) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, disc->axis), disc->axis);
}

// What of n is square to an edge of any length.
static inline CnVec3 cn_without(CnVec3 n, CnVec3 edge) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, edge) / cn_vec3_dot(edge, edge), edge);
}

// How far the discs together reach along the unit vector n [m].
double cn_discs_reach(const CnDiscs* discs, CnVec3 n);

// The maximum for one corner, on the sphere or, with an edge, on the circle square to it; normal is
// where to start. Where cores overlap there are many: a cap, or what is seen from a rim, counts
// only if its cosine with the start is at least reach; where there is one, reach is -1. False: none
// found.
bool cn_smooth_maximise(const CnDiscs* discs, CnVec3 corner, const CnVec3* edge, double reach,
                        CnVec3* normal);
