// smooth.h - the separation of two cores near one corner of their Minkowski difference.
//
// Between corners it is a smooth function of the normal, docs/theory/collision/gjk.md (9), except
// for a kink on the axis of a disc.
#pragma once

#include "collision/convex/gjk.h"

// A cylinder is the Minkowski sum of a segment and a disc.
typedef struct CnDisc {
    double radius; // [m]
    CnVec3 axis;   // unit
} CnDisc;

typedef struct CnDiscs {
    CnDisc of[2]; // of A and of B, if they have one   [count]
    int count;
} CnDiscs;

CnDiscs cn_core_discs(const CnCorePair* pair); // in A's frame

// Within this angle [rad] of its axis a disc counts as a flat face: its rim has no gradient there.
#define CN_ON_AXIS 1e-12

// The component of n perpendicular to the axis.
static inline CnVec3 cn_disc_radial(const CnDisc* disc, CnVec3 n) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, disc->axis), disc->axis);
}

// The component of n perpendicular to an edge of any length.
static inline CnVec3 cn_without(CnVec3 n, CnVec3 edge) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, edge) / cn_vec3_dot(edge, edge), edge);
}

// The sum of the supports of the discs along the unit vector n [m].
double cn_discs_reach(const CnDiscs* discs, CnVec3 n);

// The maximum for one corner, on the sphere or, with an edge, on the circle perpendicular to it;
// `normal` is the start. Overlapping cores have many maxima: a cap, or a direction seen from a rim,
// is accepted only if its cosine with the start is at least `reach`. For a unique maximum pass -1.
// False: none found.
bool cn_smooth_maximise(const CnDiscs* discs, CnVec3 corner, const CnVec3* edge, double reach,
                        CnVec3* normal);
