// collide_capsule_capsule.c - two capsules: one point where they cross, two if they are parallel.
#include "collision/collide_pairs.h"
#include "collision/round/round.h"

// Capsules whose axes make an angle with a smaller sine count as parallel: they may touch at both
// ends of their common stretch. At larger angles these ends cannot touch.
#define ALONG 0.1

// A point between the ends is kept as well if it is nearer than both by more than round-off, in
// units of the lengths it was computed from.
#define NEARER 1e-12

// A common stretch shorter than this fraction of the axes counts as one point.
#define ONE_END 1e-9

static bool lie_along(CnSegment a, CnSegment b) {
    CnVec3 d = cn_vec3_sub(a.end, a.start);
    CnVec3 e = cn_vec3_sub(b.end, b.start);
    CnVec3 across = cn_vec3_cross(d, e);
    double product = cn_vec3_dot(d, d) * cn_vec3_dot(e, e);
    return product > 0.0 && cn_vec3_dot(across, across) < ALONG * ALONG * product;
}

// The common stretch of parallel capsules ends where one of them ends: at an end of B if that faces
// the inside of A, else at the end of A that B extends beyond.
static CnNearest end_of_stretch(CnSegment a, CnSegment b, double t, CnVec3 normal, double* s) {
    *s = cn_closest_on_segment(a, cn_segment_at(b, t));
    if (*s == 0.0 || *s == 1.0) {
        t = cn_closest_on_segment(b, cn_segment_at(a, *s));
    }
    return cn_nearest_at(a, *s, b, t, normal);
}

int cn_collide_capsule_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnSegment segment_a = cn_placed_segment_in(a, a.pose);
    CnSegment segment_b = cn_placed_segment_in(b, a.pose);
    double ra = a.shape->radius, rb = b.shape->radius;
    CnNearest nearest = cn_closest_segments(segment_a, segment_b);
    double least = HUGE_VAL;
    int count = 0;

    if (lie_along(segment_a, segment_b)) {
        double s[2];
        CnNearest ends[2] = {
            end_of_stretch(segment_a, segment_b, 0.0, nearest.normal, &s[0]),
            end_of_stretch(segment_a, segment_b, 1.0, nearest.normal, &s[1]),
        };
        double shared = fabs(s[1] - s[0]) * 2.0 * a.shape->half_length;
        bool is_long = shared > ONE_END * (a.shape->half_length + b.shape->half_length);
        for (uint32_t i = 0; i < 2 && is_long; ++i) {
            CnManifoldPoint contact = cn_round_contact(&ends[i], ra, rb, a.pose, i + 1);
            count = cn_manifold_keep(contact, margin, points, count);
            least = fmin(least, ends[i].distance);
        }
    }
    double size = a.shape->half_length + b.shape->half_length + nearest.distance;
    if (least > nearest.distance + NEARER * size) {
        CnManifoldPoint contact = cn_round_contact(&nearest, ra, rb, a.pose, 0);
        count = cn_manifold_keep(contact, margin, points, count);
    }
    return count;
}
