// distance.c - a carried point keeps its distance from another, or from a fixed one.
//
// C = |d| - length, with d from the first point to the second. With n = d / |d| and dd the rate of
// d, docs/theory/constraints.md (7)-(9):
//
//     dC/dt   = n . dd
//     d2C/dt2 = (|dd|^2 - (n . dd)^2) / |d| + n . (centripetal accelerations of the two ends)
//
// Where the points coincide there is no direction: n falls back to the z axis, the same way every
// time, and the first term, which has no limit there, is left out.
#include "cairn/constraint.h"

// A point that a body carries: what the equations above ask of it.
typedef struct End {
    CnVec3 arm;         // from the centre of mass, world axes [m]
    CnVec3 position;    // [m]
    CnVec3 velocity;    // [m/s]
    CnVec3 centripetal; // acceleration when v and w stay as they are [m/s^2]
} End;

static End carried_end(const CnBodyState* body, CnVec3 point) {
    CnVec3 arm = cn_quat_rotate(body->rotation, point);
    CnVec3 swing = cn_vec3_cross(body->angular_velocity, arm);

    return (End){
        .arm = arm,
        .position = cn_vec3_add(body->center, arm),
        .velocity = cn_vec3_add(body->velocity, swing),
        .centripetal = cn_vec3_cross(body->angular_velocity, swing),
    };
}

static End fixed_end(CnVec3 anchor) {
    return (End){.position = anchor};
}

static CnVec3 direction(const End* from, const End* to) {
    CnVec3 d = cn_vec3_sub(to->position, from->position);
    return cn_vec3_length(d) > 0.0 ? cn_vec3_normalize(d) : cn_vec3(0.0, 0.0, 1.0);
}

static double distance(const End* from, const End* to) {
    return cn_vec3_length(cn_vec3_sub(to->position, from->position));
}

static double distance_bias(const End* from, const End* to) {
    CnVec3 n = direction(from, to);
    CnVec3 rate = cn_vec3_sub(to->velocity, from->velocity);
    CnVec3 sideways = cn_vec3_add_scaled(rate, -cn_vec3_dot(n, rate), n);
    double length = distance(from, to);
    double swing = length > 0.0 ? cn_vec3_dot(sideways, sideways) / length : 0.0;

    return swing + cn_vec3_dot(n, cn_vec3_sub(to->centripetal, from->centripetal));
}

// How n . (velocity of the end) depends on its body's (v, w).
static void fill_row(CnVec3 n, CnVec3 arm, double row[6]) {
    CnVec3 moment = cn_vec3_cross(arm, n);

    row[0] = n.x;
    row[1] = n.y;
    row[2] = n.z;
    row[3] = moment.x;
    row[4] = moment.y;
    row[5] = moment.z;
}

// Between two bodies.

static void pair_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* value) {
    (void)time;
    const CnDistanceData* d = data;
    End end_a = carried_end(a, d->point_a), end_b = carried_end(b, d->point_b);
    value[0] = distance(&end_a, &end_b) - d->length;
}

static void pair_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* jacobian_a, double* jacobian_b) {
    (void)time;
    const CnDistanceData* d = data;
    End end_a = carried_end(a, d->point_a), end_b = carried_end(b, d->point_b);
    CnVec3 n = direction(&end_a, &end_b);
    fill_row(cn_vec3_negate(n), end_a.arm, jacobian_a);
    fill_row(n, end_b.arm, jacobian_b);
}

static void pair_bias(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                      double* bias) {
    (void)time;
    const CnDistanceData* d = data;
    End end_a = carried_end(a, d->point_a), end_b = carried_end(b, d->point_b);
    bias[0] = distance_bias(&end_a, &end_b);
}

const CnConstraintKind* cn_distance_kind(void) {
    static const CnConstraintKind kind = {
        .name = "distance",
        .body_count = 2,
        .dimension = 1,
        .coordinates = CN_COORDINATES_VELOCITY,
        .evaluate = pair_evaluate,
        .jacobian = pair_jacobian,
        .acceleration_bias = pair_bias,
    };
    return &kind;
}

// Between one body and the world: d goes from the anchor to the body.

static void anchor_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    (void)b;
    (void)time;
    const CnAnchorDistanceData* d = data;
    End anchor = fixed_end(d->anchor), end = carried_end(a, d->point_a);
    value[0] = distance(&anchor, &end) - d->length;
}

static void anchor_jacobian(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* jacobian_a, double* jacobian_b) {
    (void)b;
    (void)time;
    (void)jacobian_b;
    const CnAnchorDistanceData* d = data;
    End anchor = fixed_end(d->anchor), end = carried_end(a, d->point_a);
    fill_row(direction(&anchor, &end), end.arm, jacobian_a);
}

static void anchor_bias(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* bias) {
    (void)b;
    (void)time;
    const CnAnchorDistanceData* d = data;
    End anchor = fixed_end(d->anchor), end = carried_end(a, d->point_a);
    bias[0] = distance_bias(&anchor, &end);
}

const CnConstraintKind* cn_anchor_distance_kind(void) {
    static const CnConstraintKind kind = {
        .name = "anchor_distance",
        .body_count = 1,
        .dimension = 1,
        .coordinates = CN_COORDINATES_VELOCITY,
        .evaluate = anchor_evaluate,
        .jacobian = anchor_jacobian,
        .acceleration_bias = anchor_bias,
    };
    return &kind;
}
