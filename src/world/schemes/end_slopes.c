// end_slopes.c - how forces at the end of a step change with where it ends (scheme implicit).
#include "world/schemes/end_slopes.h"

#include "constraints/joints/user_rows.h"
#include "constraints/problem/block.h"
#include "world/step/rows.h"

#include <string.h>

// Central differences of numbers of order one: truncation and round-off meet near here.
#define TURN 1e-5     // [rad]
#define VELOCITY 1e-5 // [m/s or rad/s]

// Rows are unit vectors, or nearly: what is smaller by this much is round-off.
#define SEEN 1e-9

static CnVec3 axis(int k) {
    return cn_vec3(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0);
}

// The rows of a constraint on one body: on one of its sides, or of a mimic on several.
typedef struct Side {
    const CnUserConstraint* constraint;
    CnBodyState four[4]; // A, B, and of a mimic C, D
    bool is_on[4];       // the body is this one
    double time;
    const double* impulse; // of its rows   [CN_MAX_ROWS]
} Side;

typedef struct Wrench {
    CnVec3 force, moment; // impulses; moment about the centre of mass
} Wrench;

static void rows_of(const Side* side, double rows[CN_MAX_ROWS][6]) {
    const CnUserConstraint* constraint = side->constraint;
    const CnConstraintKind* kind = constraint->kind;
    int count = kind->body_count;
    double a[CN_MAX_ROWS][6] = {{0.0}}, b[CN_MAX_ROWS][6] = {{0.0}};
    memset(rows, 0, CN_MAX_ROWS * sizeof *rows);
    cn_constraint_velocity_jacobian(kind, &side->four[0],
                                    count == 1 ? NULL : &side->four[count / 2], side->time,
                                    constraint->data, a, b);
    for (int own = 0; own < count; ++own) {
        const double(*part)[6] =
            cn_constraint_side_rows(kind, own, (const double(*)[6])a, (const double(*)[6])b);
        for (int i = 0; side->is_on[own] && i < 6 * kind->dimension; ++i) {
            rows[i / 6][i % 6] += part[i / 6][i % 6];
        }
    }
}

static Wrench wrench_of(const double rows[CN_MAX_ROWS][6], const double p[CN_MAX_ROWS]) {
    Wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        const double* j = rows[i];
        sum.force = cn_vec3_add_scaled(sum.force, p[i], cn_vec3(j[0], j[1], j[2]));
        sum.moment = cn_vec3_add_scaled(sum.moment, p[i], cn_vec3(j[3], j[4], j[5]));
    }
    return sum;
}

// The wrench after the body has moved a little.
static Wrench wrench_at(Side side, CnVec3 way, CnVec3 turn) {
    double rows[CN_MAX_ROWS][6];
    for (int i = 0; i < 4; ++i) {
        if (side.is_on[i]) {
            CnBodyState* moved = &side.four[i];
            moved->center = cn_vec3_add(moved->center, way);
            moved->rotation =
                cn_quat_normalize(cn_quat_multiply(cn_quat_exp(turn), moved->rotation));
        }
    }
    rows_of(&side, rows);
    return wrench_of((const double(*)[6])rows, side.impulse);
}

// (L^T L)^+ of the linear parts L of rows. Directions below the cut-off are those no row looks at.
static CnMat3 inverse_of_linear_parts(const double rows[CN_MAX_ROWS][6]) {
    double values[3];
    CnMat3 square = {0}, vectors, inverse = {0};
    for (int r = 0; r < CN_MAX_ROWS; ++r) {
        for (int i = 0; i < 9; ++i) {
            square.m[i / 3][i % 3] += rows[r][i / 3] * rows[r][i % 3];
        }
    }
    cn_mat3_eigen_symmetric(&square, values, &vectors);
    for (int e = 0; e < 3; ++e) {
        for (int i = 0; i < 9 && values[e] > SEEN * values[2]; ++i) {
            inverse.m[i / 3][i % 3] += vectors.m[i / 3][e] * vectors.m[i % 3][e] / values[e];
        }
    }
    return inverse;
}

// How the moment changes when the body turns about an axis, moves along so that the constraint
// stays as it is, and its impulses change so that the force keeps its direction in space: what is
// left is the same however the constraint is written. docs/theory/implicit.md (11).
static CnVec3 moment_slope(const Side* side, const double rows[CN_MAX_ROWS][6],
                           const CnMat3* inverse, CnVec3 about) {
    CnVec3 lifted = {0.0, 0.0, 0.0};
    double change[CN_MAX_ROWS];
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        const double* j = rows[i];
        double rate = cn_vec3_dot(cn_vec3(j[3], j[4], j[5]), about);
        lifted = cn_vec3_add_scaled(lifted, rate, cn_vec3(j[0], j[1], j[2]));
    }
    CnVec3 way = cn_vec3_scale(-TURN, cn_mat3_apply(inverse, lifted));
    CnVec3 turn = cn_vec3_scale(TURN, about);
    Wrench ahead = wrench_at(*side, way, turn);
    Wrench behind = wrench_at(*side, cn_vec3_negate(way), cn_vec3_negate(turn));
    CnVec3 force = cn_vec3_scale(0.5 / TURN, cn_vec3_sub(ahead.force, behind.force));
    CnVec3 moment = cn_vec3_scale(0.5 / TURN, cn_vec3_sub(ahead.moment, behind.moment));
    CnVec3 turned_back = cn_mat3_apply(inverse, force);
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        change[i] = -cn_vec3_dot(cn_vec3(rows[i][0], rows[i][1], rows[i][2]), turned_back);
    }
    return cn_vec3_add(moment, wrench_of(rows, change).moment);
}

static void add_stiffness(const Side* side, CnMat3* stiffness) {
    double rows[CN_MAX_ROWS][6];
    rows_of(side, rows);
    CnMat3 inverse = inverse_of_linear_parts((const double(*)[6])rows);
    for (int k = 0; k < 3; ++k) {
        CnVec3 slope = moment_slope(side, (const double(*)[6])rows, &inverse, axis(k));
        const double half[3] = {-0.5 * slope.x, -0.5 * slope.y, -0.5 * slope.z};
        for (int i = 0; i < 3; ++i) { // the symmetric part
            stiffness->m[i][k] += half[i];
            stiffness->m[k][i] += half[i];
        }
    }
}

// A matrix without its negative part: moments that turn a body further are left to the search.
static CnMat3 positive_part(const CnMat3* a) {
    double values[3];
    CnMat3 vectors, part = {0};
    cn_mat3_eigen_symmetric(a, values, &vectors);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int e = 0; e < 3; ++e) {
                part.m[i][k] += fmax(values[e], 0.0) * vectors.m[i][e] * vectors.m[k][e];
            }
        }
    }
    return part;
}

static bool turns(const CnWorld* world, int body) {
    return body >= 0 && cn_world_body_by_index(world, body)->type == CN_BODY_DYNAMIC;
}

static Side side_of(const CnWorld* world, const CnBoundConstraint* bound, int body, double time,
                    const double* impulse) {
    CnConstraintSides sides = cn_world_constraint_sides(world, bound->constraint);
    int count = bound->constraint->kind->body_count, half = count == 4 ? 2 : 1;
    Side side = {.constraint = bound->constraint, .time = time, .impulse = impulse};
    for (int i = 0; i < count; ++i) {
        side.four[i] = i < half ? bound->a[i] : bound->b[i - half];
        side.is_on[i] = sides.own[i] == body;
    }
    return side;
}

void cn_world_turning_stiffness(const CnWorld* world, const CnBodyState* states, double time,
                                CnMat3* stiffness) {
    const CnRows* rows = &world->step.rows;
    memset(stiffness, 0, (size_t)world->order.count * sizeof *stiffness);
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        double p[CN_MAX_ROWS] = {0.0};
        CnBoundConstraint bound;
        if (source->constraint < 0 ||
            !cn_world_bind_constraint(world, source->constraint, states, time, &bound)) {
            continue;
        }
        for (int k = 0; k < block->row_count; ++k) {
            p[source->rows[k]] = rows->impulse[block->first_row + k];
        }
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side);
            if (turns(world, body)) {
                Side on = side_of(world, &bound, body, time, p);
                add_stiffness(&on, &stiffness[body]);
            }
        }
    }
    for (int i = 0; i < world->order.count; ++i) {
        if (turns(world, i)) {
            stiffness[i] = positive_part(&stiffness[i]);
        }
    }
}

// One component of the velocities of all bodies at once: loads act on one body each.
static void add_resistance(const CnWorld* world, const CnBodyState* states, double time, int k,
                           const CnLoad* loads, CnBodyState* moved, CnLoad* changed,
                           CnResistance* resistance) {
    CnVec3 direction = axis(k % 3);
    for (int i = 0; i < world->order.count; ++i) {
        CnVec3* velocity = k < 3 ? &moved[i].velocity : &moved[i].angular_velocity;
        moved[i] = states[i];
        *velocity = cn_vec3_add_scaled(*velocity, VELOCITY, direction);
    }
    cn_world_loads(world, moved, time, changed);
    for (int i = 0; i < world->order.count; ++i) {
        CnVec3 lost = k < 3 ? cn_vec3_sub(loads[i].force, changed[i].force)
                            : cn_vec3_sub(loads[i].torque, changed[i].torque);
        double* sum = k < 3 ? &resistance[i].linear : &resistance[i].angular;
        *sum += cn_vec3_dot(lost, direction) / (3.0 * VELOCITY);
    }
}

void cn_world_resistance(const CnWorld* world, const CnBodyState* states, double time,
                         const CnLoad* loads, CnBodyState* scratch_states, CnLoad* scratch_loads,
                         CnResistance* resistance) {
    bool any = false;
    for (int i = 0; i < world->order.count; ++i) {
        resistance[i] = (CnResistance){0.0, 0.0};
        any = any || loads[i].depends_on_velocity;
    }
    for (int k = 0; any && k < 6; ++k) {
        add_resistance(world, states, time, k, loads, scratch_states, scratch_loads, resistance);
    }
    for (int i = 0; i < world->order.count; ++i) {
        resistance[i].linear = fmax(resistance[i].linear, 0.0);
        resistance[i].angular = fmax(resistance[i].angular, 0.0);
    }
}
