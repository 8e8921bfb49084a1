// sat_sides.h - which edges of a convex polyhedron may part it from another.
#pragma once

#include "geometry/hull.h"

// Points of one hull that are deep in the other, and the ball inside it, in the other's frame.
#define CN_WITNESSES 4

typedef struct CnWitnesses {
    CnVec3 center; // of the ball [m]
    double radius;
    CnVec3 points[CN_WITNESSES]; // [m]
    int count;
} CnWitnesses;

// A search for edges of one hull that may part the two by more than limit <= 0. docs/theory/sat.md
// (8): those of which no witness, a point of the other hull, is that deep under both faces, and
// (13): nor the ball inside the other hull. One of the two faces is high: the point is more than
// this above it.
typedef struct CnSideSearch {
    const CnHull* hull; // with columns of what is beyond
    const CnWitnesses* witnesses;
    double limit; // [m]
    double high;  // [m]
    CnVec3 point; // the ball's centre, or the first witness
} CnSideSearch;

#define CN_SIDES_AT_ONCE 64

// Sides of a face from some corner on, one bit each.
typedef struct CnSides {
    uint64_t counting; // those whose edge may part the hulls
    uint64_t high;     // those whose face beyond is high
} CnSides;

typedef struct CnSideFunctions {
    uint64_t (*high_faces)(const CnSideSearch* search, int first); // from face `first` on
    CnSides (*sides)(const CnSideSearch* search, int face, int corner);
} CnSideFunctions;

// One text (sat_lanes.h) for two widths of registers; the same bits.
extern const CnSideFunctions cn_side_functions_128;
extern const CnSideFunctions cn_side_functions_256; // takes AVX2
