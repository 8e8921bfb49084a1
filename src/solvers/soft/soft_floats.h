// soft_floats.h - numbers, vectors and rows of bodies, several lanes at a time; for soft_lanes.h.
//
// Whoever includes it defines CN_SOFT_WIDTH, and what math/simd.h asks for unless that is 1.
#pragma once

#include "solvers/soft/soft_tile.h"

#if CN_SOFT_WIDTH == 1

#define CN_LANE_FUNCTION static inline
#define CN_LANE_STAGE static
#define CN_UNROLLED

typedef float Floats;
typedef bool Mask;

CN_LANE_FUNCTION Floats splat(float x) {
    return x;
}

CN_LANE_FUNCTION Mask exceeds(Floats x, Floats y) {
    return x > y;
}

CN_LANE_FUNCTION Floats select(Mask where, Floats yes, Floats no) {
    return where ? yes : no;
}

CN_LANE_FUNCTION Floats max_of(Floats x, Floats y) {
    return x < y ? y : x;
}

CN_LANE_FUNCTION Floats min_of(Floats x, Floats y) {
    return y < x ? y : x;
}

CN_LANE_FUNCTION Floats root(Floats x) {
    return sqrtf(x);
}

CN_LANE_FUNCTION unsigned bits_of(Mask mask) {
    return mask;
}

CN_LANE_FUNCTION void rows_to_lanes(const CnFloat4* rows, Floats to[4]) {
    for (int k = 0; k < 4; ++k) {
        to[k] = rows[0][k];
    }
}

CN_LANE_FUNCTION void lanes_to_rows(const Floats from[4], CnFloat4* rows) {
    rows[0] = (CnFloat4){from[0], from[1], from[2], from[3]};
}

#else

typedef CnFloatLanes Floats;
typedef CnFloatMask Mask;

CN_LANE_FUNCTION Floats splat(float x) {
    return x - (Floats){0.0f}; // minus: a zero keeps its sign
}

CN_LANE_FUNCTION Mask exceeds(Floats x, Floats y) {
    return x > y;
}

#define select cn_floats_select
#define max_of cn_floats_max
#define min_of cn_floats_min
#define root cn_floats_sqrt
#define bits_of cn_float_mask_bits
#define rows_to_lanes cn_floats_transpose
#define lanes_to_rows cn_floats_transpose_back

#endif

// ---- numbers, vectors and symmetric matrices of several lanes ----

CN_LANE_FUNCTION Floats load(const float* from, int lane) {
    Floats x;
    memcpy(&x, from + lane, sizeof x);
    return x;
}

CN_LANE_FUNCTION void store(Floats x, float* to, int lane) {
    memcpy(to + lane, &x, sizeof x);
}

typedef struct Vector {
    Floats x, y, z;
} Vector;

CN_LANE_FUNCTION Vector load_vector(const float from[3][CN_SOFT_LANES], int lane) {
    return (Vector){load(from[0], lane), load(from[1], lane), load(from[2], lane)};
}

CN_LANE_FUNCTION Vector add(Vector a, Vector b) {
    return (Vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

CN_LANE_FUNCTION Vector subtract(Vector a, Vector b) {
    return (Vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

CN_LANE_FUNCTION Vector times(Floats s, Vector a) {
    return (Vector){s * a.x, s * a.y, s * a.z};
}

CN_LANE_FUNCTION Floats dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

CN_LANE_FUNCTION Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// In the order xx xy xz yy yz zz.
typedef struct Symmetric {
    Floats m[6];
} Symmetric;

CN_LANE_FUNCTION Symmetric load_symmetric(const float from[6][CN_SOFT_LANES], int lane) {
    Symmetric s;
    CN_UNROLLED
    for (int k = 0; k < 6; ++k) {
        s.m[k] = load(from[k], lane);
    }
    return s;
}

CN_LANE_FUNCTION Vector apply(const Symmetric* s, Vector a) {
    return (Vector){s->m[0] * a.x + s->m[1] * a.y + s->m[2] * a.z,
                    s->m[1] * a.x + s->m[3] * a.y + s->m[4] * a.z,
                    s->m[2] * a.x + s->m[4] * a.y + s->m[5] * a.z};
}

// ---- bodies ----

typedef struct Velocity {
    Vector linear, spin;
    Floats inverse_mass, unused;
} Velocity;

typedef struct Motion {
    Vector moved, turn; // since the body was placed; vector part of the quaternion
    Floats turn_w;
} Motion;

// A row of 16 bytes of each lane's body.
CN_LANE_FUNCTION void load_row(const char* from, const int32_t* offset, Floats to[4]) {
    CnFloat4 rows[CN_SOFT_WIDTH];
    CN_UNROLLED
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        memcpy(&rows[i], from + offset[i], sizeof rows[i]);
    }
    rows_to_lanes(rows, to);
}

CN_LANE_FUNCTION void store_row(const Floats from[4], const int32_t* offset, char* to) {
    CnFloat4 rows[CN_SOFT_WIDTH];
    lanes_to_rows(from, rows);
    CN_UNROLLED
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        memcpy(to + offset[i], &rows[i], sizeof rows[i]);
    }
}

// Two rows that follow each other.
CN_LANE_FUNCTION void load_rows(const char* from, const int32_t* offset, Floats to[8]) {
    CnFloat4 rows[2][CN_SOFT_WIDTH];
    CN_UNROLLED
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        memcpy(&rows[0][i], from + offset[i], sizeof rows[0][i]);
        memcpy(&rows[1][i], from + offset[i] + 16, sizeof rows[1][i]);
    }
    rows_to_lanes(rows[0], to);
    rows_to_lanes(rows[1], to + 4);
}

CN_LANE_FUNCTION void store_rows(const Floats from[8], const int32_t* offset, char* to) {
    CnFloat4 rows[2][CN_SOFT_WIDTH];
    lanes_to_rows(from, rows[0]);
    lanes_to_rows(from + 4, rows[1]);
    CN_UNROLLED
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        memcpy(to + offset[i], &rows[0][i], sizeof rows[0][i]);
        memcpy(to + offset[i] + 16, &rows[1][i], sizeof rows[1][i]);
    }
}

CN_LANE_FUNCTION Velocity load_velocity(const CnSoftBody* bodies, const int32_t* offset) {
    Floats v[8];
    load_rows((const char*)bodies, offset, v);
    return (Velocity){{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, v[3], v[7]};
}

CN_LANE_FUNCTION void store_velocity(const Velocity* v, const int32_t* offset, CnSoftBody* bodies) {
    const Floats rows[8] = {v->linear.x, v->linear.y, v->linear.z, v->inverse_mass,
                            v->spin.x,   v->spin.y,   v->spin.z,   v->unused};
    store_rows(rows, offset, (char*)bodies);
}

CN_LANE_FUNCTION Motion load_motion(const CnSoftBody* bodies, const int32_t* offset) {
    Floats m[8];
    load_rows((const char*)bodies->moved, offset, m);
    return (Motion){{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, m[7]};
}
