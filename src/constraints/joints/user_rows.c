// user_rows.c - what a function table says about a constraint, in the velocities of its bodies.
#include "constraints/joints/user_rows.h"

#include "base/error.h"

#include <string.h>

#define POSE_COORDINATES 7

const double cn_difference_offsets[CN_DIFFERENCE_SAMPLES] = {-2.0, -1.0, 1.0, 2.0};

double cn_difference(const double samples[CN_DIFFERENCE_SAMPLES], double step) {
    return (8.0 * (samples[2] - samples[1]) - (samples[3] - samples[0])) / (12.0 * step);
}

// How many states `a` and `b` point at.
static int bodies_on_side(const CnConstraintKind* kind) {
    return kind->body_count == 4 ? 2 : 1;
}

// Rows on the pose times the kinematic map G, docs/theory/constraints.md (4).
static void map_pose_rows(const double* pose_rows, int count, CnQuat rotation,
                          double (*velocity_rows)[6]) {
    for (int i = 0; i < count; ++i) {
        cn_kinematic_map_transpose(rotation, &pose_rows[i * POSE_COORDINATES], velocity_rows[i]);
    }
}

void cn_constraint_velocity_jacobian(const CnConstraintKind* kind, const CnBodyState* a,
                                     const CnBodyState* b, double time, const void* data,
                                     double (*jacobian_a)[6], double (*jacobian_b)[6]) {
    bool two_bodies = kind->body_count >= 2;
    size_t rows = (size_t)kind->dimension * (size_t)bodies_on_side(kind);
    CN_ASSERT(two_bodies == (b != NULL));

    // Rows start at zero: a kind may fill only what is not.
    memset(jacobian_a, 0, rows * sizeof *jacobian_a);
    if (jacobian_b != NULL) {
        memset(jacobian_b, 0, rows * sizeof *jacobian_b);
    }
    if (kind->coordinates == CN_COORDINATES_VELOCITY) {
        kind->jacobian(a, b, time, data, jacobian_a[0], two_bodies ? jacobian_b[0] : NULL);
        return;
    }
    double pose_a[CN_MAX_ROWS * POSE_COORDINATES] = {0.0};
    double pose_b[CN_MAX_ROWS * POSE_COORDINATES] = {0.0};
    kind->jacobian(a, b, time, data, pose_a, two_bodies ? pose_b : NULL);
    map_pose_rows(pose_a, kind->dimension, a->rotation, jacobian_a);
    if (two_bodies) {
        map_pose_rows(pose_b, kind->dimension, b->rotation, jacobian_b);
    }
}

void cn_constraint_time_rate(const CnConstraintKind* kind, const CnBodyState* a,
                             const CnBodyState* b, double time, const void* data, double* rate) {
    memset(rate, 0, (size_t)kind->dimension * sizeof *rate);
    if (kind->time_rate != NULL) {
        kind->time_rate(a, b, time, data, rate);
    }
}

void cn_constraint_rate(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                        double time, const void* data, double* rate) {
    double jacobian_a[CN_MAX_ROWS][6], jacobian_b[CN_MAX_ROWS][6];

    cn_constraint_velocity_jacobian(kind, a, b, time, data, jacobian_a, jacobian_b);
    cn_constraint_time_rate(kind, a, b, time, data, rate);
    for (int k = 0; k < bodies_on_side(kind); ++k) {
        int first = k * kind->dimension;
        for (int i = 0; i < kind->dimension; ++i) {
            rate[i] += cn_row_rate(jacobian_a[first + i], &a[k]);
            rate[i] += b != NULL ? cn_row_rate(jacobian_b[first + i], &b[k]) : 0.0;
        }
    }
}

double cn_reading_rate(const CnConstraintKind* kind, const CnConstraintReading* reading, int row,
                       const CnBodyState* a, const CnBodyState* b) {
    double rate = cn_row_rate(reading->jacobian_a[row], a);
    rate = b != NULL ? rate + cn_row_rate(reading->jacobian_b[row], b) : rate;
    if (kind->body_count == 4) {
        rate += cn_row_rate(reading->jacobian_a[kind->dimension + row], &a[1]) +
                cn_row_rate(reading->jacobian_b[kind->dimension + row], &b[1]);
    }
    return rate;
}

void cn_reading_clear_forces(CnConstraintReading* reading, int rows) {
    for (int i = 0; i < rows; ++i) {
        reading->lower[i] = -INFINITY;
        reading->upper[i] = INFINITY;
        reading->stiffness[i] = reading->damping[i] = 0.0;
    }
}

void cn_kind_read(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                  double time, const void* data, unsigned what, CnConstraintReading* reading) {
    if ((what & CN_READ_VALUES) != 0) {
        kind->evaluate(a, b, time, data, reading->value);
    }
    if ((what & CN_READ_JACOBIANS) != 0) {
        cn_constraint_velocity_jacobian(kind, a, b, time, data, reading->jacobian_a,
                                        reading->jacobian_b);
    }
    if ((what & CN_READ_FORCES) == 0) {
        return;
    }
    cn_reading_clear_forces(reading, kind->dimension);
    if (kind->force_bounds != NULL) {
        kind->force_bounds(a, b, time, data, reading->lower, reading->upper);
    }
    if (kind->softness != NULL) {
        kind->softness(a, b, time, data, reading->stiffness, reading->damping);
    }
}

CnBodyState cn_body_state_after(const CnBodyState* state, double duration) {
    CnBodyState moved = *state;
    CnQuat turn = cn_quat_exp(cn_vec3_scale(duration, state->angular_velocity));

    moved.center = cn_vec3_add_scaled(state->center, duration, state->velocity);
    moved.rotation = cn_quat_multiply(turn, state->rotation);
    return moved;
}

// Rounded down to a power of two, so that time +- h is exact.
double cn_motion_step(const CnBodyState* a, const CnBodyState* b) {
    double speed = fmax(cn_vec3_length(a->velocity), cn_vec3_length(a->angular_velocity));
    if (b != NULL) {
        speed = fmax(speed, cn_vec3_length(b->velocity));
        speed = fmax(speed, cn_vec3_length(b->angular_velocity));
    }
    int exponent;
    frexp(fmax(speed, 1.0), &exponent); // speed < 2^exponent
    return ldexp(CN_DIFFERENCE_STEP, -exponent);
}

void cn_constraint_acceleration_bias_by_differences(const CnConstraintKind* kind,
                                                    const CnBodyState* a, const CnBodyState* b,
                                                    double time, const void* data, double* bias) {
    double rate[CN_DIFFERENCE_SAMPLES][CN_MAX_ROWS];
    double step = cn_motion_step(a, b);
    if (bodies_on_side(kind) == 2) {
        step = fmin(step, cn_motion_step(&a[1], &b[1]));
    }

    for (int k = 0; k < CN_DIFFERENCE_SAMPLES; ++k) {
        double duration = cn_difference_offsets[k] * step;
        CnBodyState moved_a[2], moved_b[2];
        for (int i = 0; i < bodies_on_side(kind); ++i) {
            moved_a[i] = cn_body_state_after(&a[i], duration);
            moved_b[i] = b != NULL ? cn_body_state_after(&b[i], duration) : moved_a[i];
        }
        cn_constraint_rate(kind, moved_a, b != NULL ? moved_b : NULL, time + duration, data,
                           rate[k]);
    }
    for (int i = 0; i < kind->dimension; ++i) {
        double samples[CN_DIFFERENCE_SAMPLES] = {rate[0][i], rate[1][i], rate[2][i], rate[3][i]};
        bias[i] = cn_difference(samples, step);
    }
}

void cn_constraint_acceleration_bias(const CnConstraintKind* kind, const CnBodyState* a,
                                     const CnBodyState* b, double time, const void* data,
                                     double* bias) {
    if (kind->acceleration_bias == NULL) {
        cn_constraint_acceleration_bias_by_differences(kind, a, b, time, data, bias);
        return;
    }
    memset(bias, 0, (size_t)kind->dimension * sizeof *bias);
    kind->acceleration_bias(a, b, time, data, bias);
}
