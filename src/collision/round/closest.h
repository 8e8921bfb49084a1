// closest.h - nearest points of two shapes, and of the segments inside round ones.
#pragma once

#include "geometry/shape.h"

typedef struct CnSegment {
    CnVec3 start, end;
} CnSegment;

// The nearest points of two cores. The normal is defined even if the distance is 0.
typedef struct CnNearest {
    CnVec3 point_a, point_b;
    CnVec3 normal;   // unit, from A to B
    double distance; // >= 0 [m]
} CnNearest;

// Cores closer than this fraction of their size, fifty units in the last place, count as touching.
// The difference of their nearest points is then mostly round-off, and the normal is chosen in the
// frames of the shapes, so that it rotates with them. Candidates that differ by less are equal; the
// first is taken.
#define CN_TOUCHING 1e-14

// The parameter of the point nearest to p: 0 at start, 1 at end.
double cn_closest_on_segment(CnSegment segment, CnVec3 p);

static inline CnVec3 cn_segment_at(CnSegment segment, double t) {
    return cn_vec3_add_scaled(segment.start, t, cn_vec3_sub(segment.end, segment.start));
}

// From s on A to t on B, where one is the nearest point to the other. `across`, a unit vector
// perpendicular to both segments, is the normal if they meet.
CnNearest cn_nearest_at(CnSegment a, double s, CnSegment b, double t, CnVec3 across);

// Segments may be points, parallel or crossing.
CnNearest cn_closest_segments(CnSegment a, CnSegment b);
double cn_segment_distance(CnSegment a, CnSegment b); // of these points

// The same for a point A.
CnNearest cn_closest_to_segment(CnVec3 p, CnSegment b);
