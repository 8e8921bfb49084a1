// lane_vectors.h - vectors and rotations of several things, one in each lane.
//
// For kernels that have defined CN_LANES: see simd.h. Operation by operation that of cairn/math.h
// and math/mat3.h, so that each lane has the bits of a plain value.
#pragma once

#include "math/simd.h"
#include "math/sine_series.h"

typedef struct CnLaneVec3 {
    CnLanes x, y, z;
} CnLaneVec3;

typedef struct CnLaneQuat {
    CnLanes w, x, y, z;
} CnLaneQuat;

typedef struct CnLaneMat3 {
    CnLanes m[3][3];
} CnLaneMat3;

CN_LANE_FUNCTION CnLaneVec3 cn_lane_vec3(const CnLanes from[3]) {
    return (CnLaneVec3){from[0], from[1], from[2]};
}

CN_LANE_FUNCTION CnLaneQuat cn_lane_quat(const CnLanes from[4]) {
    return (CnLaneQuat){from[0], from[1], from[2], from[3]};
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_add(CnLaneVec3 a, CnLaneVec3 b) {
    return (CnLaneVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_sub(CnLaneVec3 a, CnLaneVec3 b) {
    return (CnLaneVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_scale(CnLanes s, CnLaneVec3 a) {
    return (CnLaneVec3){s * a.x, s * a.y, s * a.z};
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_add_scaled(CnLaneVec3 a, CnLanes s, CnLaneVec3 b) {
    return (CnLaneVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

CN_LANE_FUNCTION CnLanes cn_lane_dot(CnLaneVec3 a, CnLaneVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_cross(CnLaneVec3 a, CnLaneVec3 b) {
    return (CnLaneVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CN_LANE_FUNCTION CnLanes cn_lane_length(CnLaneVec3 a) {
    return cn_lanes_sqrt(cn_lane_dot(a, a));
}

CN_LANE_FUNCTION CnMask cn_lane_is_zero(CnLaneVec3 a) {
    CnLanes zero = cn_lanes(0.0);
    return cn_equal(a.x, zero) & cn_equal(a.y, zero) & cn_equal(a.z, zero);
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_rotate(CnLaneQuat q, CnLaneVec3 v) {
    CnLaneVec3 axis = {q.x, q.y, q.z};
    CnLaneVec3 t = cn_lane_scale(cn_lanes(2.0), cn_lane_cross(axis, v));
    return cn_lane_add(cn_lane_add_scaled(v, q.w, t), cn_lane_cross(axis, t));
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_unrotate(CnLaneQuat q, CnLaneVec3 v) {
    return cn_lane_rotate((CnLaneQuat){q.w, -q.x, -q.y, -q.z}, v);
}

CN_LANE_FUNCTION CnLaneQuat cn_lane_multiply(CnLaneQuat a, CnLaneQuat b) {
    return (CnLaneQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// The zero quaternion becomes the identity.
CN_LANE_FUNCTION CnLaneQuat cn_lane_normalize(CnLaneQuat q) {
    CnLanes length = cn_lanes_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    CnLanes s = cn_lanes(1.0) / length;
    CnMask has = cn_less(cn_lanes(0.0), length);
    return (CnLaneQuat){cn_select(has, s * q.w, cn_lanes(1.0)), cn_keep(has, s * q.x),
                        cn_keep(has, s * q.y), cn_keep(has, s * q.z)};
}

CN_LANE_FUNCTION CnLanes cn_lane_series(const double* c, CnLanes z) {
    CnLanes sum = cn_lanes(c[CN_SERIES_TERMS - 1]);
    CN_UNROLLED
    for (int i = CN_SERIES_TERMS - 2; i >= 0; --i) {
        sum = sum * z + cn_lanes(c[i]);
    }
    return sum;
}

// cn_quat_exp() of turns whose half angles are at most CN_SERIES_ANGLE: in *is_small those that
// are. The others have other numbers.
CN_LANE_FUNCTION CnLaneQuat cn_lane_exp_small(CnLaneVec3 turn, CnMask* is_small) {
    CnLanes zero = cn_lanes(0.0), half = cn_lanes(0.5), one = cn_lanes(1.0);
    CnLanes angle = cn_lane_length(turn), y = half * angle, z = y * y;
    CnLanes sine = y + (y * (z * cn_lane_series(cn_sine_series, z)) + zero);
    CnLanes high = one - half * z, low = -half * z - (high - one);
    CnLanes cosine = high + (low + (z * z * cn_lane_series(cn_cosine_series, z) - y * zero));
    sine = cn_select(cn_less(y, cn_lanes(CN_SMALL_ANGLE)), y, sine);
    CnLanes s = cn_select(cn_less(zero, angle), sine / angle, half);
    *is_small = cn_at_most(y, cn_lanes(CN_SERIES_ANGLE));
    return (CnLaneQuat){cosine, s * turn.x, s * turn.y, s * turn.z};
}

CN_LANE_FUNCTION CnLaneVec3 cn_lane_apply(const CnLaneMat3* a, CnLaneVec3 v) {
    return (CnLaneVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                        a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                        a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

CN_LANE_FUNCTION CnLaneMat3 cn_lane_mat3_from_quat(CnLaneQuat q) {
    CnLanes one = cn_lanes(1.0), two = cn_lanes(2.0);
    CnLanes xx = two * q.x * q.x, yy = two * q.y * q.y, zz = two * q.z * q.z;
    CnLanes xy = two * q.x * q.y, xz = two * q.x * q.z, yz = two * q.y * q.z;
    CnLanes wx = two * q.w * q.x, wy = two * q.w * q.y, wz = two * q.w * q.z;
    return (CnLaneMat3){{{one - (yy + zz), xy - wz, xz + wy},
                         {xy + wz, one - (xx + zz), yz - wx},
                         {xz - wy, yz + wx, one - (xx + yy)}}};
}

CN_LANE_FUNCTION void cn_lane_rotate_tensor(const CnLaneMat3* rotation, const CnLaneMat3* tensor,
                                            CnLaneMat3* result) {
    const CnLanes(*r)[3] = rotation->m;
    const CnLanes(*t)[3] = tensor->m;
    CN_UNROLLED
    for (int i = 0; i < 3; ++i) {
        CnLanes half[3];
        CN_UNROLLED
        for (int j = 0; j < 3; ++j) {
            half[j] = r[i][0] * t[0][j] + r[i][1] * t[1][j] + r[i][2] * t[2][j];
        }
        CN_UNROLLED
        for (int j = i; j < 3; ++j) {
            result->m[i][j] = half[0] * r[j][0] + half[1] * r[j][1] + half[2] * r[j][2];
            result->m[j][i] = result->m[i][j];
        }
    }
}

// Numbers of each lane's array, from a place on; `count` is even.
CN_LANE_FUNCTION void cn_lanes_gather_many(const double* const from[CN_LANES], int place, int count,
                                           CnLanes* to) {
    CN_UNROLLED
    for (int k = 0; k < count; k += 2) {
        const double* at[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            at[i] = from[i] + place + k;
        }
        cn_lanes_gather(at, to + k);
    }
}

// One of them.
CN_LANE_FUNCTION CnLanes cn_lanes_gather_one(const double* const from[CN_LANES], int place) {
    CnLanes x;
    for (int i = 0; i < CN_LANES; ++i) {
        x[i] = from[i][place];
    }
    return x;
}

// The matrix that begins there.
CN_LANE_FUNCTION void cn_lanes_gather_mat3(const double* const from[CN_LANES], CnLaneMat3* to) {
    CnLanes* numbers = &to->m[0][0];
    cn_lanes_gather_many(from, 0, 8, numbers);
    numbers[8] = cn_lanes_gather_one(from, 8);
}

// The reverse, for any count.
CN_LANE_FUNCTION void cn_lanes_scatter_many(const CnLanes* from, int count,
                                            double* const to[CN_LANES], int place) {
    CN_UNROLLED
    for (int k = 0; k + 1 < count; k += 2) {
        double* at[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            at[i] = to[i] + place + k;
        }
        cn_lanes_scatter(from + k, at);
    }
    for (int i = 0; count % 2 != 0 && i < CN_LANES; ++i) {
        to[i][place + count - 1] = from[count - 1][i];
    }
}
