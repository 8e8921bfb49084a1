// segment_box.c - the nearest points of a box and a segment, in closed form.
#include "collision/convex/segment_box.h"

#include <math.h>

// The segment as p + t d, t from 0 to 1, by axes of the box.
typedef struct BoxedLine {
    double p[3], d[3], half[3];
} BoxedLine;

// How far a coordinate is outside of the box, signed; exactly 0 inside. NaN stays. Without a
// branch, which would be hard to foresee.
static double excess(double x, double half) {
    double below = x > half ? half : x;
    return x - (below < -half ? -half : below);
}

// Half the derivative of the squared distance at t. It never decreases, and is linear between the
// places where the segment passes a face plane of the box. docs/theory/collision/gjk.md (17)
static double slope_at(const BoxedLine* line, double t) {
    double slope = 0.0;
    for (int i = 0; i < 3; ++i) {
        slope += line->d[i] * excess(line->p[i] + t * line->d[i], line->half[i]);
    }
    return slope;
}

// The part of the segment in which the slope passes through zero; both ends are known.
typedef struct Bracket {
    double from, to, slope_from, slope_to;
} Bracket;

static void narrow(const BoxedLine* line, double t, Bracket* bracket) {
    if (t > bracket->from && t < bracket->to) {
        double slope = slope_at(line, t);
        if (slope <= 0.0) {
            bracket->from = t;
            bracket->slope_from = slope;
        } else {
            bracket->to = t;
            bracket->slope_to = slope;
        }
    }
}

static double nearest_place(const BoxedLine* line) {
    Bracket bracket = {0.0, 1.0, slope_at(line, 0.0), slope_at(line, 1.0)};
    if (!(bracket.slope_from < 0.0)) {
        return 0.0;
    }
    if (!(bracket.slope_to > 0.0)) {
        return 1.0;
    }
    for (int i = 0; i < 3; ++i) {
        if (line->d[i] != 0.0) {
            narrow(line, (-line->half[i] - line->p[i]) / line->d[i], &bracket);
            narrow(line, (line->half[i] - line->p[i]) / line->d[i], &bracket);
        }
    }
    double share = -bracket.slope_from / (bracket.slope_to - bracket.slope_from);
    return bracket.from + share * (bracket.to - bracket.from);
}

CnNearest cn_segment_box_nearest(CnVec3 half_size, CnSegment segment) {
    CnVec3 p = segment.start, d = cn_vec3_sub(segment.end, segment.start);
    BoxedLine line = {{p.x, p.y, p.z}, {d.x, d.y, d.z}, {half_size.x, half_size.y, half_size.z}};
    CnVec3 on_segment = cn_segment_at(segment, nearest_place(&line));
    CnVec3 across = cn_vec3(excess(on_segment.x, half_size.x), excess(on_segment.y, half_size.y),
                            excess(on_segment.z, half_size.z));
    return (CnNearest){
        .point_a = cn_vec3_sub(on_segment, across),
        .point_b = on_segment,
        .normal = cn_vec3_normalize(across),
        .distance = cn_vec3_length(across),
    };
}
