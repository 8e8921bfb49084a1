// user_rows.h - what a function table says about a constraint, in the velocities of its bodies.
//
// Every function takes the states of A and B (B is NULL for one body), the time [s] and the
// kind's data, and fills kind->dimension rows. The kind must have passed
// cn_constraint_kind_validate().
//
// Kinds of this library may have four bodies, those of two joints: body_count is 4, the dimension
// at most CN_MAX_ROWS / 2. `a` then points at the states of A and B, one behind the other, `b` at
// those of C and D, and a Jacobian has the rows of the first body, then those of the second.
#pragma once

#include "cairn/constraint.h"

// J: how C changes with (v, w) of A and of B, whatever coordinates the kind is written in.
// jacobian_b may be NULL for one body, and is zero when it is not.
void cn_constraint_velocity_jacobian(const CnConstraintKind* kind, const CnBodyState* a,
                                     const CnBodyState* b, double time, const void* data,
                                     double (*jacobian_a)[6], double (*jacobian_b)[6]);

// The rows of side A, B, C or D among what cn_constraint_velocity_jacobian() filled.
static inline const double (*cn_constraint_side_rows(const CnConstraintKind* kind, int side,
                                                     const double (*jacobian_a)[6],
                                                     const double (*jacobian_b)[6]))[6] {
    if (kind->body_count < 4) {
        return side == 0 ? jacobian_a : jacobian_b;
    }
    return (side < 2 ? jacobian_a : jacobian_b) + (side % 2 == 0 ? 0 : kind->dimension);
}

// How C changes with time alone [unit of C / s]; zero when the kind does not say.
void cn_constraint_time_rate(const CnConstraintKind* kind, const CnBodyState* a,
                             const CnBodyState* b, double time, const void* data, double* rate);

// dC/dt = J_a (v_a, w_a) + J_b (v_b, w_b) + time rate [unit of C / s].
void cn_constraint_rate(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                        double time, const void* data, double* rate);

// The second derivative of C when v and w of both bodies stay as they are [unit of C / s^2]: the
// kind's own function, or the rate differentiated along the motion when it has none.
void cn_constraint_acceleration_bias(const CnConstraintKind* kind, const CnBodyState* a,
                                     const CnBodyState* b, double time, const void* data,
                                     double* bias);

// The same, always by differences: error about 1e-11 of the rate's size per second.
void cn_constraint_acceleration_bias_by_differences(const CnConstraintKind* kind,
                                                    const CnBodyState* a, const CnBodyState* b,
                                                    double time, const void* data, double* bias);

// What a constraint says at given states, as far as it was asked.
enum { CN_READ_VALUES = 1, CN_READ_JACOBIANS = 2, CN_READ_FORCES = 4 };
typedef struct CnConstraintReading {
    double value[CN_MAX_ROWS];                                     // C
    double jacobian_a[CN_MAX_ROWS][6], jacobian_b[CN_MAX_ROWS][6]; // J on velocities
    double lower[CN_MAX_ROWS], upper[CN_MAX_ROWS];                 // forces allowed [N or N m]
    double stiffness[CN_MAX_ROWS], damping[CN_MAX_ROWS];           // of rows that yield
} CnConstraintReading;
void cn_kind_read(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                  double time, const void* data, unsigned what, CnConstraintReading* reading);
void cn_reading_clear_forces(CnConstraintReading* reading, int rows); // any force, no row yields

// What a row makes of the velocity of its body.
static inline double cn_row_rate(const double row[6], const CnBodyState* state) {
    return cn_vec3_dot(cn_vec3(row[0], row[1], row[2]), state->velocity) +
           cn_vec3_dot(cn_vec3(row[3], row[4], row[5]), state->angular_velocity);
}

// dC/dt from a reading of a kind with Jacobians, but for what time alone changes; b may be NULL.
double cn_reading_rate(const CnConstraintKind* kind, const CnConstraintReading* reading, int row,
                       const CnBodyState* a, const CnBodyState* b);

// Where a body is after `duration` [s] of its present v and w: center + duration v,
// exp(duration w) rotation.
CnBodyState cn_body_state_after(const CnBodyState* state, double duration);

// Numerical derivatives of fourth order, for functions sampled at -2, -1, 1 and 2 steps. With
// values and scales of order one the truncation h^4/30 is 3e-20 and round-off (3/2) 2^-53 / h is
// 5e-12. The error could be balanced at a longer step, 2^-10; this one leaves room for mechanisms
// of a few millimetres, where the truncation is (h / 0.001)^4/30 = 3e-8.
#define CN_DIFFERENCE_STEP 0x1p-15 // [s, m or rad]
#define CN_DIFFERENCE_SAMPLES 4
extern const double cn_difference_offsets[CN_DIFFERENCE_SAMPLES];
double cn_difference(const double samples[CN_DIFFERENCE_SAMPLES], double step);
// The difference step as a time [s]: in it nothing moves more than CN_DIFFERENCE_STEP metres or
// turns more than as many radians. b may be NULL.
double cn_motion_step(const CnBodyState* a, const CnBodyState* b);
