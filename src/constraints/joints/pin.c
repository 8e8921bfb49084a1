// pin.c - a point of a body stays at a fixed point of the world.
//
// C = center + r - anchor, where r is the carried point seen from the centre of mass. Its rate is
// v + w x r, and with v and w constant the point is left with the centripetal acceleration
// w x (w x r): docs/theory/constraints.md (10)-(11).
#include "cairn/constraint.h"

static CnVec3 arm_of(const CnBodyState* a, const CnPinData* pin) {
    return cn_quat_rotate(a->rotation, pin->point_a);
}

static void store(CnVec3 v, double out[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static void evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value) {
    (void)b;
    (void)time;
    const CnPinData* pin = data;
    CnVec3 point = cn_vec3_add(a->center, arm_of(a, pin));
    store(cn_vec3_sub(point, pin->anchor), value);
}

// Row i is (e_i, r x e_i), because e_i . (w x r) = (r x e_i) . w.
static void jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* jacobian_a, double* jacobian_b) {
    (void)b;
    (void)time;
    (void)jacobian_b;
    CnVec3 arm = arm_of(a, data);
    const CnVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

    for (int i = 0; i < 3; ++i) {
        store(axes[i], &jacobian_a[6 * i]);
        store(cn_vec3_cross(arm, axes[i]), &jacobian_a[6 * i + 3]);
    }
}

static void acceleration_bias(const CnBodyState* a, const CnBodyState* b, double time,
                              const void* data, double* bias) {
    (void)b;
    (void)time;
    CnVec3 w = a->angular_velocity;
    store(cn_vec3_cross(w, cn_vec3_cross(w, arm_of(a, data))), bias);
}

const CnConstraintKind* cn_pin_kind(void) {
    static const CnConstraintKind kind = {
        .name = "pin",
        .body_count = 1,
        .dimension = 3,
        .coordinates = CN_COORDINATES_VELOCITY,
        .evaluate = evaluate,
        .jacobian = jacobian,
        .acceleration_bias = acceleration_bias,
    };
    return &kind;
}
