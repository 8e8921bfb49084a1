// manifold.h - contact points of two convex polyhedra from their separating axes.
#pragma once

#include "collision/collide.h"
#include "collision/hull/reduce.h"
#include "collision/sat/polyhedron.h"

// The features at a contact point. They do not depend on which hull has the reference face, so that
// keys survive a change of it. Two bits of kind, and 15 bits for a vertex, face, side or edge of
// each hull: beyond 32768 of them keys may repeat, which costs a warm start and nothing else.
typedef enum CnFeatureKind {
    CN_FEATURE_VERTEX_OF_A, // on a face of B
    CN_FEATURE_VERTEX_OF_B, // on a face of A
    CN_FEATURE_SIDES,       // of a face of A and one of B, crossing
    CN_FEATURE_EDGES        // of the two hulls, where no face is near
} CnFeatureKind;

#define CN_FEATURE_BITS 15
#define CN_FEATURE_MASK ((1u << CN_FEATURE_BITS) - 1u)

static inline uint32_t cn_feature_key(CnFeatureKind meeting, int a, int b) {
    return (uint32_t)meeting << (2 * CN_FEATURE_BITS) |
           ((uint32_t)a & CN_FEATURE_MASK) << CN_FEATURE_BITS | ((uint32_t)b & CN_FEATURE_MASK);
}

// Points and gaps that differ by less than this fraction of the smaller hull's size coincide: far
// above round-off, far below CN_TIE_TOLERANCE.
#define CN_COINCIDENCE_TOLERANCE 1e-9

// The contact is one of faces as long as the cosine between its normal and that of the reference
// face is within this of 1 (a tenth of a radian): beyond that only a corner or an edge is near the
// other hull.
#define CN_FACE_CONTACT_TILT 5e-3

typedef struct CnHullPair {
    const CnPlacedPolyhedron* placed[2]; // A, B
    const CnHull* hull[2];
    CnRelativePose seen[2]; // the pose of B in A's frame, and that of A in B's
    bool reversed;          // normals point from B to A
    double size;            // of the smaller [m]
    CnBoxHull storage[2];   // where hulls of boxes are made
} CnHullPair;

// Of the three axes the one of the largest separation; of those within CN_TIE_TOLERANCE of the size
// A's face, then B's, then the edges. docs/theory/collision/sat.md says why.
static inline const CnSatAxis* cn_better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_TIE_TOLERANCE * size ? &axes->face_b : &axes->face_a;
}

static inline const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size) {
    const CnSatAxis* face = cn_better_face(axes, size);
    return axes->edges.separation > face->separation + CN_TIE_TOLERANCE * size ? &axes->edges
                                                                               : face;
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]);
