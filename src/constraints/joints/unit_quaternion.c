// unit_quaternion.c - the rotation of a body is a unit quaternion, Q . Q = 1.
//
// The one kind written in pose coordinates. Its row 2 Q is normal to every rate 1/2 [0, w] Q, so in
// velocities it vanishes, and so does the second derivative: docs/theory/constraints.md (12).
#include "cairn/constraint.h"

static void evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value) {
    (void)b;
    (void)time;
    (void)data;
    CnQuat q = a->rotation;
    value[0] = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0;
}

static void jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* jacobian_a, double* jacobian_b) {
    (void)b;
    (void)time;
    (void)data;
    (void)jacobian_b;
    CnQuat q = a->rotation;
    const double row[7] = {0.0, 0.0, 0.0, 2.0 * q.w, 2.0 * q.x, 2.0 * q.y, 2.0 * q.z};

    for (int i = 0; i < 7; ++i) {
        jacobian_a[i] = row[i];
    }
}

static void acceleration_bias(const CnBodyState* a, const CnBodyState* b, double time,
                              const void* data, double* bias) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    bias[0] = 0.0;
}

const CnConstraintKind* cn_unit_quaternion_kind(void) {
    static const CnConstraintKind kind = {
        .name = "unit_quaternion",
        .body_count = 1,
        .dimension = 1,
        .coordinates = CN_COORDINATES_POSE,
        .evaluate = evaluate,
        .jacobian = jacobian,
        .acceleration_bias = acceleration_bias,
    };
    return &kind;
}
