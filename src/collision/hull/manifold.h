// manifold.h - contact points of two convex polyhedra from the axes that part them best.
#pragma once

#include "collision/collide.h"
#include "collision/hull/reduce.h"
#include "collision/sat/polyhedron.h"

// Features that meet, told apart by what they are and not by who is the reference, so that keys
// outlive a change of it. Two bits of kind, and 15 bits for a vertex, face, side or edge of each
// hull: beyond 32768 of them keys may repeat, which costs a warm start and nothing else.
typedef enum CnMeeting {
    CN_VERTEX_OF_A, // on a face of B
    CN_VERTEX_OF_B, // on a face of A
    CN_SIDES,       // of a face of A and one of B, crossing
    CN_EDGES        // of the two hulls, where no face is near
} CnMeeting;

#define CN_MEETING_BITS 15
#define CN_MEETING_MASK ((1u << CN_MEETING_BITS) - 1u)

static inline uint32_t cn_meeting_key(CnMeeting meeting, int a, int b) {
    return (uint32_t)meeting << (2 * CN_MEETING_BITS) |
           ((uint32_t)a & CN_MEETING_MASK) << CN_MEETING_BITS | ((uint32_t)b & CN_MEETING_MASK);
}

// What is off by no more than this fraction of the smaller hull's size is where it should be: far
// above round-off, far below CN_TIE.
#define CN_EXACT 1e-9

// The faces stand for the contact as long as its normal leans from theirs by less than this cosine
// short of 1 (a tenth of a radian): of faces that make a larger angle only a corner or an edge is
// near the other hull.
#define CN_LEANING 5e-3

typedef struct CnHullPair {
    const CnPlacedPolyhedron* placed[2]; // A, B
    const CnHull* hull[2];
    CnRelativePose seen[2]; // B as A sees it, A as B sees it
    bool reversed;          // normals are wanted from B to A
    double size;            // of the smaller [m]
    CnBoxHull storage[2];   // where hulls of boxes are made
} CnHullPair;

// Of the three axes, the one that parts the hulls best; of those that do so to within CN_TIE of the
// size A's face, then B's, then the edges. docs/theory/sat.md says why.
static inline const CnSatAxis* cn_better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_TIE * size ? &axes->face_b : &axes->face_a;
}

static inline const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size) {
    const CnSatAxis* face = cn_better_face(axes, size);
    return axes->edges.separation > face->separation + CN_TIE * size ? &axes->edges : face;
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]);
