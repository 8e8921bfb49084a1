// quat.c - rotations from and to axes and angles.
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
