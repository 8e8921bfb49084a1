// compact_rows.h - rows of a joint that keeps a point, used without being written out.
//
// The point of B moves against that of A with v = (v_B + w_B x r_B) - (v_A + w_A x r_A), and B
// turns with w = w_B - w_A: the rates of the rows are n_k . v and g_k . w.
// docs/theory/mechanisms.md (45).
#pragma once

#include "cairn/math.h"
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
    rate[0] = cn_vec3_dot(rows->axes[0], v);
    rate[1] = cn_vec3_dot(rows->axes[1], v);
    rate[2] = cn_vec3_dot(rows->axes[2], v);
    if (row_count == 5) {
        rate[3] = cn_vec3_dot(rows->turn[0], w);
        rate[4] = cn_vec3_dot(rows->turn[1], w);
    }
}

// What the impulses of the rows give B, or A, added to its momentum: J^T p.
static inline void cn_compact_push(const CnCompactRows* rows, int row_count, const double* p,
                                   bool is_b, double momentum[6]) {
    double sign = is_b ? 1.0 : -1.0;
    CnVec3 f = cn_vec3_scale(sign * p[0], rows->axes[0]);
    f = cn_vec3_add_scaled(f, sign * p[1], rows->axes[1]);
    f = cn_vec3_add_scaled(f, sign * p[2], rows->axes[2]);
    CnVec3 moment = cn_vec3_cross(is_b ? rows->arm_b : rows->arm_a, f);
    if (row_count == 5) {
        moment = cn_vec3_add_scaled(moment, sign * p[3], rows->turn[0]);
        moment = cn_vec3_add_scaled(moment, sign * p[4], rows->turn[1]);
    }
    momentum[0] += f.x;
    momentum[1] += f.y;
    momentum[2] += f.z;
    momentum[3] += moment.x;
    momentum[4] += moment.y;
    momentum[5] += moment.z;
}

// The compact rows of a block; NULL: it has none.
static inline CnCompactRows* cn_rows_compact(const CnRows* rows, int block) {
    int place = rows->sources.data[block].compact;
    return place > 0 ? &rows->compact.data[place - 1] : NULL;
}

// Sees to it that the Jacobians of a block are written; or those of all blocks.
void cn_rows_write(const CnRows* rows, int block);
void cn_rows_write_all(const CnRows* rows);
