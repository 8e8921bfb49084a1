// thin_apart.c - whether a ball or capsule is certainly apart from another shape.
#include "collision/round/thin_apart.h"

#include "collision/convex/still_apart.h"

// A segment about its middle; that of a ball has no length.
static CnVec3 axis_of(const CnPlacedShape* thin) {
    CnQuat q = thin->pose.rotation;
    return cn_vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                   1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

static double clamp(double x, double most) {
    return x > most ? most : x < -most ? -most : x;
}

// The nearest points of the segments, or nearly: any vector between the two that satisfies the
// inequality proves that they are apart, so that errors here do no harm. (24)
bool cn_thin_is_apart_from_thin(const CnPlacedShape* a, const CnPlacedShape* b, double margin) {
    CnVec3 across = cn_vec3_sub(b->pose.position, a->pose.position);
    CnVec3 along_a = axis_of(a), along_b = axis_of(b);
    double half_a = a->shape->half_length, half_b = b->shape->half_length;
    double reach = a->shape->radius + b->shape->radius + margin;
    double turn = cn_vec3_dot(along_a, along_b);
    double f = cn_vec3_dot(along_a, across), g = cn_vec3_dot(along_b, across);
    double square = 1.0 - turn * turn;
    double s = half_a > 0.0 && square > 0.0 ? clamp((f - turn * g) / square, half_a) : 0.0;
    double t = clamp(turn * s - g, half_b);
    s = clamp(turn * t + f, half_a);
    CnVec3 between = cn_vec3_add_scaled(cn_vec3_add_scaled(across, t, along_b), -s, along_a);
    double lead = cn_vec3_dot(between, across) - half_a * fabs(cn_vec3_dot(between, along_a)) -
                  half_b * fabs(cn_vec3_dot(between, along_b));
    double farthest = reach + CN_APART_SLACK * (cn_vec3_length(across) + half_a + half_b + reach);
    return lead > 0.0 && lead * lead > farthest * farthest * cn_vec3_dot(between, between);
}

// The distance of the box and the box around the segment, along the axes of the first. (25)
bool cn_thin_is_apart_from_box(const CnPlacedShape* thin, const CnPlacedPolyhedron* box,
                               double margin) {
    CnVec3 across = cn_vec3_sub(thin->pose.position, cn_polyhedron_center(box));
    CnVec3 along = axis_of(thin);
    double half = thin->shape->half_length, reach = thin->shape->radius + margin;
    double square = 0.0, size = half + reach;
    for (int i = 0; i < 3; ++i) {
        CnVec3 axis = cn_vec3(box->axes[i][0], box->axes[i][1], box->axes[i][2]);
        double place = fabs(cn_vec3_dot(axis, across));
        double gap = place - half * fabs(cn_vec3_dot(axis, along)) - box->axes[i][3];
        square += gap > 0.0 ? gap * gap : 0.0;
        size += place + box->axes[i][3];
    }
    double farthest = reach + CN_APART_SLACK * size;
    return square > farthest * farthest;
}
