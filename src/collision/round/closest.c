// closest.c - nearest points of segments.
#include "collision/round/closest.h"

double cn_closest_on_segment(CnSegment segment, CnVec3 p) {
    CnVec3 along = cn_vec3_sub(segment.end, segment.start);
    double square = cn_vec3_dot(along, along);
    double t = cn_vec3_dot(cn_vec3_sub(p, segment.start), along);
    return square > 0.0 ? fmin(fmax(t / square, 0.0), 1.0) : 0.0;
}

static CnVec3 without_part_along(CnVec3 v, CnVec3 along) {
    double part = cn_vec3_dot(v, along) / cn_vec3_dot(along, along);
    return cn_vec3_normalize(cn_vec3_add_scaled(v, -part, along));
}

// A unit vector perpendicular to both directions: the only normal where two segments meet. The
// cross product of nearly parallel directions is mostly round-off. It is made perpendicular to the
// longer direction twice, because it may be nearly parallel to it; it is then perpendicular to the
// other one as well. Directions may be zero.
static CnVec3 normal_of_crossing(CnVec3 along_a, CnVec3 along_b) {
    double square_a = cn_vec3_dot(along_a, along_a), square_b = cn_vec3_dot(along_b, along_b);
    CnVec3 along = square_a > square_b ? along_a : along_b;
    if (!(square_a > 0.0 || square_b > 0.0)) {
        return cn_vec3(0.0, 0.0, 1.0);
    }
    CnVec3 cross = cn_vec3_cross(along_a, along_b);
    double square = cn_vec3_dot(cross, cross);
    cross = cn_vec3_normalize(cross);
    cross = without_part_along(without_part_along(cross, along), along);
    if (!(square > CN_TOUCHING * CN_TOUCHING * square_a * square_b)) {
        CnVec3 other, first = square_a > 0.0 ? along_a : along_b;
        cn_tangent_basis(cn_vec3_normalize(first), &cross, &other);
    }
    return cross;
}

// The sine of the angle by which a direction may point back into a segment that it should leave:
// above the round-off of two projections, far below any visible effect on a contact.
#define RUNS_BACK 1e-14

// The component of v along the segment that does not leave it at t: inside the segment the whole
// component, at an end only what points back. In units of the segment.
static double part_inside(CnSegment segment, double t, CnVec3 v) {
    CnVec3 along = cn_vec3_sub(segment.end, segment.start);
    double square = cn_vec3_dot(along, along);
    double part = cn_vec3_dot(v, along);
    bool leaves = (t == 0.0 && part <= 0.0) || (t == 1.0 && part >= 0.0) || !(square > 0.0);
    return leaves ? 0.0 : part / square;
}

static CnVec3 leaving(CnSegment segment, double t, CnVec3 v) {
    CnVec3 along = cn_vec3_sub(segment.end, segment.start);
    return cn_vec3_normalize(cn_vec3_add_scaled(v, -part_inside(segment, t, v), along));
}

static bool runs_back(CnSegment segment, double t, CnVec3 v) {
    double length = cn_vec3_length(cn_vec3_sub(segment.end, segment.start));
    return fabs(part_inside(segment, t, v)) * length > RUNS_BACK;
}

// The difference of two nearest points points out of both segments. Removing the components that do
// not keeps the normal accurate when the points are so close that their difference is mostly
// round-off; the second pass removes the errors that the first one has amplified. If the two
// conditions exclude each other, only the component along `across` remains, which is perpendicular
// to both. across NULL: it is found where it is needed, which is seldom.
static CnNearest nearest_at(CnSegment a, double s, CnSegment b, double t, const CnVec3* across) {
    CnNearest nearest = {.point_a = cn_segment_at(a, s), .point_b = cn_segment_at(b, t)};
    CnVec3 difference = cn_vec3_sub(nearest.point_b, nearest.point_a);
    CnVec3 normal = difference;
    CnVec3 d = cn_vec3_sub(a.end, a.start), e = cn_vec3_sub(b.end, b.start);
    double size = cn_vec3_length(d) + cn_vec3_length(e);
    nearest.distance = cn_vec3_length(difference);
    if (nearest.distance <= CN_TOUCHING * size) {
        nearest.normal = across != NULL ? *across : normal_of_crossing(d, e);
        return nearest;
    }
    for (int i = 0; i < 2; ++i) {
        normal = leaving(a, s, normal);
        normal = cn_vec3_negate(leaving(b, t, cn_vec3_negate(normal)));
    }
    if (!(cn_vec3_dot(normal, normal) > 0.0) || runs_back(a, s, normal) ||
        runs_back(b, t, cn_vec3_negate(normal))) {
        CnVec3 square = across != NULL ? *across : normal_of_crossing(d, e);
        bool is_behind = cn_vec3_dot(square, difference) < -CN_TOUCHING * size;
        normal = is_behind ? cn_vec3_negate(square) : square;
    }
    nearest.normal = normal;
    return nearest;
}

CnNearest cn_nearest_at(CnSegment a, double s, CnSegment b, double t, CnVec3 across) {
    return nearest_at(a, s, b, t, &across);
}

// A few roundings: of the end points, of rotating them and of their differences.
#define AS_NEAR (16.0 * 0x1p-52)

// A pair of points on two segments.
typedef struct SegmentPoints {
    double s, t;
    double nearer; // a smaller squared distance than this is less by more than round-off [m^2]
} SegmentPoints;

// Among points at the same distance the first is kept; otherwise round-off would choose an end of
// two edges that lie side by side.
static void try_points(CnSegment a, double s, CnSegment b, double t, double as_near,
                       SegmentPoints* best) {
    CnVec3 across = cn_vec3_sub(cn_segment_at(b, t), cn_segment_at(a, s));
    double square = cn_vec3_dot(across, across);
    if (square < best->nearer) {
        double nearer = fmax(sqrt(square) - as_near, 0.0);
        *best = (SegmentPoints){s, t, nearer * nearer};
    }
}

// Inside both segments the nearest points p + s d, q + t e differ by a multiple of d x e, which
// gives s by Cramer's rule. For nearly parallel lines s is inaccurate. The points are then still
// nearest to each other along the lines; they are used only if no end point is nearer.
static void try_interiors(CnSegment a, CnSegment b, double as_near, SegmentPoints* best) {
    CnVec3 d = cn_vec3_sub(a.end, a.start);
    CnVec3 e = cn_vec3_sub(b.end, b.start);
    CnVec3 w = cn_vec3_sub(b.start, a.start);
    CnVec3 product = cn_vec3_cross(d, e);
    double square = cn_vec3_dot(product, product);
    double s = cn_vec3_dot(cn_vec3_cross(w, e), product);

    if (square > 0.0 && s > 0.0 && s < square) {
        double t = cn_closest_on_segment(b, cn_segment_at(a, s / square));
        try_points(a, cn_closest_on_segment(a, cn_segment_at(b, t)), b, t, as_near, best);
    }
}

static SegmentPoints find_points(CnSegment a, CnSegment b) {
    SegmentPoints best = {.nearer = HUGE_VAL};
    CnVec3 d = cn_vec3_sub(a.end, a.start), e = cn_vec3_sub(b.end, b.start);
    CnVec3 w = cn_vec3_sub(b.start, a.start);
    double as_near = AS_NEAR * sqrt(cn_vec3_dot(d, d) + cn_vec3_dot(e, e) + cn_vec3_dot(w, w));
    try_points(a, 0.0, b, cn_closest_on_segment(b, a.start), as_near, &best);
    try_points(a, 1.0, b, cn_closest_on_segment(b, a.end), as_near, &best);
    try_points(a, cn_closest_on_segment(a, b.start), b, 0.0, as_near, &best);
    try_points(a, cn_closest_on_segment(a, b.end), b, 1.0, as_near, &best);
    try_interiors(a, b, as_near, &best);
    return best;
}

CnNearest cn_closest_segments(CnSegment a, CnSegment b) {
    SegmentPoints best = find_points(a, b);
    return nearest_at(a, best.s, b, best.t, NULL);
}

double cn_segment_distance(CnSegment a, CnSegment b) {
    SegmentPoints best = find_points(a, b);
    return cn_vec3_length(cn_vec3_sub(cn_segment_at(b, best.t), cn_segment_at(a, best.s)));
}

CnNearest cn_closest_to_segment(CnVec3 p, CnSegment b) {
    return nearest_at((CnSegment){p, p}, 0.0, b, cn_closest_on_segment(b, p), NULL);
}
