// math.h - vectors, quaternions and matrices as plain values, with the few operations users need.
//
// Everything here uses only IEEE + - * / sqrt in a fixed order, so results carry the same bits on
// every compiler and machine. cn_sin and friends replace the ones of libm for the same reason.
#pragma once

#include "cairn/base.h"
#include <math.h>

typedef struct CnVec3 {
    double x, y, z;
} CnVec3;

typedef struct CnQuat {
    double w, x, y, z; // unit: a rotation from body axes to world axes
} CnQuat;

typedef struct CnMat3 {
    double m[3][3]; // m[row][column]
} CnMat3;

typedef struct CnTransform {
    CnVec3 position;
    CnQuat rotation;
} CnTransform;

#define CN_PI 3.14159265358979323846

// Errors at most 2 units in the last place over the whole finite range (see docs/theory/trig.md).
CN_API double cn_sin(double x);
CN_API double cn_cos(double x);
CN_API double cn_atan2(double y, double x);
CN_API double cn_acos(double x); // x in [-1, 1]; NaN outside
CN_API double cn_exp(double x);

// Bits of the vector registers that are used on this processor: 128 or 256. Results do not depend
// on it.
CN_API int cn_simd_width(void);

static inline CnVec3 cn_vec3(double x, double y, double z) {
    CnVec3 v = {x, y, z};
    return v;
}

static inline CnVec3 cn_vec3_add(CnVec3 a, CnVec3 b) {
    return cn_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline CnVec3 cn_vec3_sub(CnVec3 a, CnVec3 b) {
    return cn_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline CnVec3 cn_vec3_scale(double s, CnVec3 a) {
    return cn_vec3(s * a.x, s * a.y, s * a.z);
}

static inline CnVec3 cn_vec3_negate(CnVec3 a) {
    return cn_vec3(-a.x, -a.y, -a.z);
}

// a + s b
static inline CnVec3 cn_vec3_add_scaled(CnVec3 a, double s, CnVec3 b) {
    return cn_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double cn_vec3_dot(CnVec3 a, CnVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CnVec3 cn_vec3_cross(CnVec3 a, CnVec3 b) {
    return cn_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double cn_vec3_length(CnVec3 a) {
    return sqrt(cn_vec3_dot(a, a));
}

// The zero vector stays zero.
static inline CnVec3 cn_vec3_normalize(CnVec3 a) {
    double length = cn_vec3_length(a);
    return length > 0.0 ? cn_vec3_scale(1.0 / length, a) : a;
}

static inline bool cn_vec3_is_finite(CnVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline CnQuat cn_quat(double w, double x, double y, double z) {
    CnQuat q = {w, x, y, z};
    return q;
}

static inline CnQuat cn_quat_identity(void) {
    return cn_quat(1.0, 0.0, 0.0, 0.0);
}

static inline CnQuat cn_quat_conjugate(CnQuat q) {
    return cn_quat(q.w, -q.x, -q.y, -q.z);
}

// First b, then a.
static inline CnQuat cn_quat_multiply(CnQuat a, CnQuat b) {
    return cn_quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                   a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

static inline double cn_quat_length(CnQuat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

// The zero quaternion becomes the identity.
static inline CnQuat cn_quat_normalize(CnQuat q) {
    double length = cn_quat_length(q);
    if (!(length > 0.0)) {
        return cn_quat_identity();
    }
    double s = 1.0 / length;
    return cn_quat(s * q.w, s * q.x, s * q.y, s * q.z);
}

// v + 2 w (q x v) + 2 q x (q x v), with q the vector part.
static inline CnVec3 cn_quat_rotate(CnQuat q, CnVec3 v) {
    CnVec3 axis = cn_vec3(q.x, q.y, q.z);
    CnVec3 t = cn_vec3_scale(2.0, cn_vec3_cross(axis, v));
    return cn_vec3_add(cn_vec3_add_scaled(v, q.w, t), cn_vec3_cross(axis, t));
}

// From world axes back to body axes.
static inline CnVec3 cn_quat_unrotate(CnQuat q, CnVec3 v) {
    return cn_quat_rotate(cn_quat_conjugate(q), v);
}

// Rotation by angle [rad] about axis (any length but zero; zero gives the identity).
CN_API CnQuat cn_quat_from_axis_angle(CnVec3 axis, double angle);

// Rotation by |turn| [rad] about turn: the exponential map.
CN_API CnQuat cn_quat_exp(CnVec3 turn);

// The shortest turn that cn_quat_exp maps to q.
CN_API CnVec3 cn_quat_log(CnQuat q);

// The kinematic map G of a rotation: the pose (x y z of the centre, quaternion w x y z) changes
// with the velocity (v, w), world axes, as d pose/dt = G velocity. docs/theory/constraints.md (4).
CN_API void cn_kinematic_map(CnQuat rotation, double g[7][6]);

// G velocity.
CN_API void cn_kinematic_map_apply(CnQuat rotation, const double velocity[6], double pose_rate[7]);

// G^T pose_row: a gradient with respect to the pose becomes a row on velocities, J = grad C G.
CN_API void cn_kinematic_map_transpose(CnQuat rotation, const double pose_row[7],
                                       double velocity_row[6]);

// The velocity with a given rate of the pose; a part of it along the quaternion is left out.
CN_API void cn_kinematic_map_invert(CnQuat rotation, const double pose_rate[7], double velocity[6]);

static inline CnVec3 cn_transform_point(CnTransform t, CnVec3 local) {
    return cn_vec3_add(t.position, cn_quat_rotate(t.rotation, local));
}

// Two unit vectors that make a right-handed frame (n, t1, t2) with the unit vector n: a fixed
// function of n without a branch on its size (Duff et al. 2017).
CN_API void cn_tangent_basis(CnVec3 n, CnVec3* t1, CnVec3* t2);
