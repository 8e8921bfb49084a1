// gjk.h - the distance of two convex cores by their support points (Gilbert, Johnson, Keerthi).
#pragma once

#include "collision/round/closest.h"
#include "math/mat3.h"

// Two cores in A's frame. A core is a shape without its rounding: the centre of a sphere, the
// segment of a capsule, else the shape itself. docs/theory/collision/gjk.md.
typedef struct CnCorePair {
    const CnShape *a, *b;
    CnMat3 rotation; // B's axes to A's
    CnVec3 offset;   // of B's origin [m]
    double size;     // extents of the cores and offset: round-off is relative to it [m]
} CnCorePair;

CnCorePair cn_core_pair(CnPlacedShape a, CnPlacedShape b);

// A point of the Minkowski difference B - A, and the two points it comes from.
typedef struct CnCorePoint {
    CnVec3 a, b;
    CnVec3 difference; // b - a
} CnCorePoint;

// From a point of A and a point of B in B's frame.
static inline CnCorePoint cn_core_point(const CnCorePair* pair, CnVec3 a, CnVec3 local_b) {
    CnVec3 b = cn_vec3_add(pair->offset, cn_mat3_apply(&pair->rotation, local_b));
    return (CnCorePoint){a, b, cn_vec3_sub(b, a)};
}

// The support point: the point of the difference with the least product with direction.
CnCorePoint cn_core_support(const CnCorePair* pair, CnVec3 direction);

// The separation of the cores along a unit normal: a lower bound of their distance; negative if the
// normal does not separate them.
double cn_core_separation(const CnCorePair* pair, CnVec3 normal);

typedef enum CnGjkEnd {
    CN_GJK_CONVERGED,  // distance known as well as asked
    CN_GJK_OVERLAP,    // the cores overlap, or are nearer than round-off resolves
    CN_GJK_STALLED,    // round-off prevents further progress
    CN_GJK_ITERATIONS, // out of iterations; never seen in tests
} CnGjkEnd;

typedef struct CnGjk {
    CnGjkEnd end;
    int iterations;
    CnCorePoint simplex[4]; // its point nearest to the origin is the answer   [count]
    double weights[4];      // of that point   [count]
    int count;
    CnNearest nearest; // in A's frame; without a normal if they overlap
} CnGjk;

// relative_gap: between the bounds of the squared distance, docs/theory/collision/gjk.md (3).
CnGjk cn_gjk(const CnCorePair* pair, double relative_gap);

// The relative gap at which cn_maximum_apart() takes over: for pairs with a disc, a normal accurate
// to a tenth [rad]. For polyhedra GJK finishes by itself.
double cn_gjk_gap(const CnCorePair* pair);
