// closest.h - nearest points of two shapes, and of the segments inside round ones.
#pragma once

#include "geometry/shape.h"

typedef struct CnSegment {
    CnVec3 start, end;
} CnSegment;

// The nearest points of two cores. The normal is there even when the distance is 0.
typedef struct CnNearest {
    CnVec3 point_a, point_b;
    CnVec3 normal;   // unit, from A to B
    double distance; // >= 0 [m]
} CnNearest;

// Cores nearer than this fraction of their size, fifty units in the last place, touch: the
// difference of their nearest points is mostly round-off, and the normal is chosen in the frames of
// the shapes, so that it turns with them. Choices that differ by less are equal, and the first is
// taken.
#define CN_TOUCHING 1e-14

// Where on the segment, 0 at start and 1 at end, the point nearest to p lies.
double cn_closest_on_segment(CnSegment segment, CnVec3 p);

static inline CnVec3 cn_segment_at(CnSegment segment, double t) {
    return cn_vec3_add_scaled(segment.start, t, cn_vec3_sub(segment.end, segment.start));
}

// From s on A to t on B, of which one is nearest to the other; the unit vector across, square to
// both segments, is the normal if they meet.
CnNearest cn_nearest_at(CnSegment a, double s, CnSegment b, double t, CnVec3 across);

// Segments may be points, parallel or crossing.
CnNearest cn_closest_segments(CnSegment a, CnSegment b);
