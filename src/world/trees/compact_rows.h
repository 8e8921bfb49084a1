// compact_rows.h - rows of a joint that keeps a point, used without being written out.
//
// The point of B moves against that of A with v = (v_B + w_B x r_B) - (v_A + w_A x r_A), and B
// turns with w = w_B - w_A: the rates of the rows are n_k . v and g_k . w. There are three to five:
// two or three of the point, then those of angles. docs/theory/mechanisms.md (45).
#pragma once

#include "cairn/math.h"
#include "math/simd.h"
#include "world/world.h"

static inline CnVec3 cn_point_velocity(const double v[6], CnVec3 arm) {
    return cn_vec3_add(cn_vec3(v[0], v[1], v[2]), cn_vec3_cross(cn_vec3(v[3], v[4], v[5]), arm));
}

// J v of each row for the velocities of A and B; NULL: the world.
static inline void cn_compact_rates(const CnCompactRows* rows, int row_count, const double* a,
                                    const double* b, double* rate) {
    static const double still[6] = {0.0};
    a = a == NULL ? still : a;
    b = b == NULL ? still : b;
    CnVec3 v = cn_vec3_sub(cn_point_velocity(b, rows->arm_b), cn_point_velocity(a, rows->arm_a));
    CnVec3 w = cn_vec3(b[3] - a[3], b[4] - a[4], b[5] - a[5]);
    rate[0] = cn_vec3_dot(rows->vector[0], v);
    rate[1] = cn_vec3_dot(rows->vector[1], v);
    rate[2] = cn_vec3_dot(rows->vector[2], rows->points == 3 ? v : w);
    for (int k = 3; k < row_count; ++k) {
        rate[k] = cn_vec3_dot(rows->vector[k], w);
    }
}

// The moment of the rows of angles, added to that of the point.
static inline CnVec3 cn_compact_moment(const CnCompactRows* rows, int row_count, double sign,
                                       const double* p, CnVec3 moment) {
    for (int k = rows->points; k < row_count; ++k) {
        moment = cn_vec3_add_scaled(moment, sign * p[k], rows->vector[k]);
    }
    return moment;
}

// What the impulses of the rows give B, or A, added to its momentum: J^T p.
static inline void cn_compact_push(const CnCompactRows* rows, int row_count, const double* p,
                                   bool is_b, double momentum[6]) {
    double sign = is_b ? 1.0 : -1.0;
    CnVec3 f = cn_vec3_scale(sign * p[0], rows->vector[0]);
    f = cn_vec3_add_scaled(f, sign * p[1], rows->vector[1]);
    if (rows->points == 3) {
        f = cn_vec3_add_scaled(f, sign * p[2], rows->vector[2]);
    }
    CnVec3 moment = cn_compact_moment(rows, row_count, sign, p,
                                      cn_vec3_cross(is_b ? rows->arm_b : rows->arm_a, f));
    momentum[0] += f.x;
    momentum[1] += f.y;
    momentum[2] += f.z;
    momentum[3] += moment.x;
    momentum[4] += moment.y;
    momentum[5] += moment.z;
}

// cn_compact_push() of B and of A, NULL: those that do not move, to the same bits.
static inline void cn_compact_push_both(const CnCompactRows* rows, int row_count, const double* p,
                                        double* a, double* b) {
    double of_b[6] = {0.0};
    cn_compact_push(rows, row_count, p, true, of_b);
    for (int k = 0; b != NULL && k < 6; ++k) {
        b[k] += of_b[k];
    }
    if (a == NULL) {
        return;
    }
    CnVec3 f = cn_vec3(of_b[0], of_b[1], of_b[2]);
    CnVec3 moment = cn_compact_moment(rows, row_count, 1.0, p, cn_vec3_cross(rows->arm_a, f));
    const double of_a[6] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
    for (int k = 0; k < 6; ++k) {
        a[k] -= of_a[k];
    }
}

// ---- two velocities at once, one in each lane ----

typedef struct CnTwoVectors {
    CnDouble2 x, y, z;
} CnTwoVectors;

static inline CnDouble2 cn_two_dot(CnVec3 a, CnTwoVectors b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The velocities of a body's point.
static inline CnTwoVectors cn_two_point_velocities(const CnDouble2 v[6], CnVec3 arm) {
    return (CnTwoVectors){v[0] + (v[4] * arm.z - v[5] * arm.y),
                          v[1] + (v[5] * arm.x - v[3] * arm.z),
                          v[2] + (v[3] * arm.y - v[4] * arm.x)};
}

// cn_compact_rates() of two velocities of the same bodies, to the same bits.
static inline void cn_compact_two_rates(const CnCompactRows* rows, int row_count,
                                        const double* const a[2], const double* const b[2],
                                        CnDouble2* rate) {
    CnDouble2 of_a[6], of_b[6];
    for (int k = 0; k < 6; ++k) {
        of_a[k] = a[0] == NULL ? (CnDouble2){0.0} : (CnDouble2){a[0][k], a[1][k]};
        of_b[k] = b[0] == NULL ? (CnDouble2){0.0} : (CnDouble2){b[0][k], b[1][k]};
    }
    CnTwoVectors from = cn_two_point_velocities(of_a, rows->arm_a);
    CnTwoVectors to = cn_two_point_velocities(of_b, rows->arm_b);
    CnTwoVectors v = {to.x - from.x, to.y - from.y, to.z - from.z};
    CnTwoVectors w = {of_b[3] - of_a[3], of_b[4] - of_a[4], of_b[5] - of_a[5]};
    for (int k = 0; k < row_count; ++k) {
        rate[k] = cn_two_dot(rows->vector[k], k < rows->points ? v : w);
    }
}

// The compact rows of a block; NULL: it has none.
static inline CnCompactRows* cn_rows_compact(const CnRows* rows, int block) {
    int place = rows->sources.data[block].compact;
    return place > 0 ? &rows->compact.data[place - 1] : NULL;
}

// The row of a drive about the axis of a hinge; NULL: the block has none.
static inline CnTurnRow* cn_rows_turn(const CnRows* rows, int block) {
    int place = rows->sources.data[block].turn;
    return place > 0 ? &rows->turns.data[place - 1] : NULL;
}

// Its rate for the velocities of A and B; NULL: the world.
static inline double cn_turn_rate(CnVec3 turn, const double* a, const double* b) {
    static const double still[6] = {0.0};
    a = a == NULL ? still : a;
    b = b == NULL ? still : b;
    return cn_vec3_dot(turn, cn_vec3(b[3] - a[3], b[4] - a[4], b[5] - a[5]));
}

// Sees to it that the Jacobians of a block are written; or those of all blocks.
void cn_rows_write(const CnRows* rows, int block);
void cn_rows_write_all(const CnRows* rows);
