// gjk.h - the distance of two convex cores by their supports (Gilbert, Johnson, Keerthi).
#pragma once

#include "collision/round/closest.h"

// Two cores in A's frame. A core is a shape without its rounding: the centre of a sphere, the
// segment of a capsule, else the shape itself. docs/theory/collision/gjk.md.
typedef struct CnCorePair {
    const CnShape *a, *b;
    CnMat3 rotation; // B's axes to A's
    CnVec3 offset;   // of B's origin [m]
    double size;     // extents of the cores and offset: round-off is relative to it [m]
} CnCorePair;

CnCorePair cn_core_pair(CnPlacedShape a, CnPlacedShape b);

// A point of the difference B - A and the two it comes from.
typedef struct CnCorePoint {
    CnVec3 a, b;
    CnVec3 difference; // b - a
} CnCorePoint;

// The point of the difference that is least along direction.
CnCorePoint cn_core_support(const CnCorePair* pair, CnVec3 direction);

// The separation of the cores along a unit normal: a lower bound of their distance; negative if it
// does not.
double cn_core_separation(const CnCorePair* pair, CnVec3 normal);

typedef enum CnGjkEnd {
    CN_GJK_CONVERGED,  // distance known as well as asked
    CN_GJK_OVERLAP,    // the cores overlap, or are nearer than round-off resolves
    CN_GJK_STALLED,    // round-off allows no nearer point
    CN_GJK_ITERATIONS, // bounded, never seen in tests
} CnGjkEnd;

typedef struct CnGjk {
    CnGjkEnd end;
    int iterations;
    CnCorePoint simplex[4]; // its point nearest to the origin is the answer   [count]
    double weights[4];      // of that point   [count]
    int count;
    CnNearest nearest; // in A's frame; without a normal if they overlap
} CnGjk;

// relative_gap: of the squared distance, between its bounds, docs/theory/collision/gjk.md (3).
CnGjk cn_gjk(const CnCorePair* pair, double relative_gap);

// The gap from which on cn_maximum_apart() does better: a normal good to a tenth [rad] where there
// is a disc. Polyhedra are done when GJK is.
double cn_gjk_gap(const CnCorePair* pair);
