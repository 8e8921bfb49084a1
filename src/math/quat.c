// quat.c - rotations from and to axes and angles, and their rates.
#include "cairn/math.h"

// The largest component is divided out first, so no length is too small or too large to square.
CnQuat cn_quat_from_axis_angle(CnVec3 axis, double angle) {
    double largest = fmax(fabs(axis.x), fmax(fabs(axis.y), fabs(axis.z)));
    if (!(largest > 0.0)) {
        return cn_quat_identity();
    }
    CnVec3 scaled = cn_vec3(axis.x / largest, axis.y / largest, axis.z / largest);
    CnVec3 unit = cn_vec3_normalize(scaled);
    double s = cn_sin(0.5 * angle);
    return cn_quat(cn_cos(0.5 * angle), s * unit.x, s * unit.y, s * unit.z);
}

// sin(a/2) / a keeps its relative accuracy down to the smallest length that squares to more than
// zero, since cn_sin does; below that its limit 1/2 is exact in double.
CnQuat cn_quat_exp(CnVec3 turn) {
    double angle = cn_vec3_length(turn);
    double s = angle > 0.0 ? cn_sin(0.5 * angle) / angle : 0.5;
    return cn_quat(cn_cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z);
}

// q and -q are the same rotation; the one with w >= 0 turns by at most pi. When the vector part
// squares to zero, angle / sine has reached its limit 2.
CnVec3 cn_quat_log(CnQuat q) {
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    CnVec3 axis = cn_vec3(sign * q.x, sign * q.y, sign * q.z);
    double sine = cn_vec3_length(axis);
    double scale = sine > 0.0 ? 2.0 * cn_atan2(sine, sign * q.w) / sine : 2.0;
    return cn_vec3_scale(scale, axis);
}

void cn_kinematic_map(CnQuat rotation, double g[7][6]) {
    for (int i = 0; i < 6; ++i) {
        double velocity[6] = {0.0}, rate[7];
        velocity[i] = 1.0;
        cn_kinematic_map_apply(rotation, velocity, rate);
        for (int k = 0; k < 7; ++k) {
            g[k][i] = rate[k];
        }
    }
}

// dQ/dt = 1/2 [0, w] Q for w in world axes.
void cn_kinematic_map_apply(CnQuat rotation, const double velocity[6], double pose_rate[7]) {
    CnQuat turning = cn_quat(0.0, velocity[3], velocity[4], velocity[5]);
    CnQuat rate = cn_quat_multiply(turning, rotation);
    for (int i = 0; i < 3; ++i) {
        pose_rate[i] = velocity[i];
    }
    pose_rate[3] = 0.5 * rate.w;
    pose_rate[4] = 0.5 * rate.x;
    pose_rate[5] = 0.5 * rate.y;
    pose_rate[6] = 0.5 * rate.z;
}

// The transpose takes a row (s, t) on Q = (q0, q) to 1/2 (q0 t - s q + q x t). Written so, a row
// along Q itself gives zero to the bit.
void cn_kinematic_map_transpose(CnQuat rotation, const double pose_row[7], double velocity_row[6]) {
    CnVec3 q = cn_vec3(rotation.x, rotation.y, rotation.z);
    CnVec3 t = cn_vec3(pose_row[4], pose_row[5], pose_row[6]);
    CnVec3 straight = cn_vec3_sub(cn_vec3_scale(rotation.w, t), cn_vec3_scale(pose_row[3], q));
    CnVec3 turn = cn_vec3_scale(0.5, cn_vec3_add(straight, cn_vec3_cross(q, t)));
    for (int i = 0; i < 3; ++i) {
        velocity_row[i] = pose_row[i];
    }
    velocity_row[3] = turn.x;
    velocity_row[4] = turn.y;
    velocity_row[5] = turn.z;
}

// G^T G is |Q|^2 / 4 of its rotational part.
void cn_kinematic_map_invert(CnQuat rotation, const double pose_rate[7], double velocity[6]) {
    double length = cn_quat_length(rotation);
    cn_kinematic_map_transpose(rotation, pose_rate, velocity);
    for (int i = 3; i < 6; ++i) {
        velocity[i] *= 4.0 / (length * length);
    }
}
