// sat_bound_lanes.h - what one convex polyhedron says of the edges of another.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_functions.h"
#include "geometry/hull/hull_search_lanes.h"

// What a point of the other hull says of edges, docs/theory/sat.md (8), or the ball about its
// centre, (13): those count that have a high face, one that the point is more than this above.
typedef struct EdgeBound {
    CnVec3 point; // [m]
    double high;  // [m]
} EdgeBound;

// All that is said of the edges of a hull: those count that may part the two by more than limit.
typedef struct EdgeBounds {
    const CnHull* hull;
    const CnWitnesses* witnesses; // at least one
    double limit;                 // at most 0 [m]
} EdgeBounds;

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them: all edges count.
#define THIN 0.05

CN_LANE_FUNCTION EdgeBounds edge_bounds(const CnFaceSearch* of, double limit) {
    return (EdgeBounds){of->hull, &of->witnesses, of->hull->sharpest < THIN ? -HUGE_VAL : limit};
}

// The sharpest edge speaks for all.
CN_LANE_FUNCTION EdgeBound ball_bound(const EdgeBounds* bounds) {
    double most = bounds->limit + bounds->witnesses->radius;
    return (EdgeBound){bounds->witnesses->center,
                       most > 0.0 ? most * bounds->hull->sharpest : most};
}

CN_LANE_FUNCTION EdgeBound witness_bound(const EdgeBounds* bounds, int k) {
    return (EdgeBound){bounds->witnesses->points[k], bounds->limit};
}

// Whether a point is higher than this above several faces, given its products with all normals.
CN_LANE_FUNCTION CnLaneBits are_high(const CnHull* hull, const Products* along, int first,
                                     double high) {
    return product(along, first) - cn_lanes_load(hull->columns.offset + first) > cn_lanes(high);
}
