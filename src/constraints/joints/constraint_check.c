// constraint_check.c - compares a kind's derivatives with differences of what they derive from.
#include "base/error.h"
#include "constraints/joints/kind.h"
#include "constraints/joints/user_rows.h"

// What is being checked, and where.
typedef struct CheckedConstraint {
    const CnConstraintKind* kind;
    const CnBodyState *a, *b; // b is NULL for one body
    double time;
    const void* data;
} CheckedConstraint;

// A straight way through configuration and time: each body moves with the velocity of its own
// state, the clock with its own speed. s is how far along [s].
typedef struct Path {
    CnBodyState a, b;
    double clock; // 0 or 1
} Path;

static Path path_at_rest(const CheckedConstraint* subject) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    Path path = {.a = *subject->a};

    path.a.velocity = path.a.angular_velocity = zero;
    if (subject->b != NULL) {
        path.b = *subject->b;
        path.b.velocity = path.b.angular_velocity = zero;
    }
    return path;
}

static void evaluate_along(const CheckedConstraint* subject, const Path* path, double s,
                           double* value) {
    CnBodyState a = cn_body_state_after(&path->a, s);
    CnBodyState b = subject->b != NULL ? cn_body_state_after(&path->b, s) : a;

    subject->kind->evaluate(&a, subject->b != NULL ? &b : NULL, subject->time + path->clock * s,
                            subject->data, value);
}

// dC/ds at the start of the path, from C alone.
static void differentiate(const CheckedConstraint* subject, const Path* path, double* slope) {
    double value[CN_DIFFERENCE_SAMPLES][CN_MAX_ROWS] = {{0.0}};

    for (int k = 0; k < CN_DIFFERENCE_SAMPLES; ++k) {
        evaluate_along(subject, path, cn_difference_offsets[k] * CN_DIFFERENCE_STEP, value[k]);
    }
    for (int i = 0; i < subject->kind->dimension; ++i) {
        double samples[CN_DIFFERENCE_SAMPLES] = {value[0][i], value[1][i], value[2][i],
                                                 value[3][i]};
        slope[i] = cn_difference(samples, CN_DIFFERENCE_STEP);
    }
}

// The larger of the two; not a number wins, so that it cannot hide.
static double worse(double error, double difference) {
    return isnan(error) || fabs(difference) <= error ? error : fabs(difference);
}

static void set_unit_velocity(CnBodyState* state, int coordinate) {
    double unit[6] = {0.0};
    unit[coordinate] = 1.0;
    state->velocity = cn_vec3(unit[0], unit[1], unit[2]);
    state->angular_velocity = cn_vec3(unit[3], unit[4], unit[5]);
}

// Column j of a body's J is dC/ds on the path where only its velocity j is one.
static double check_columns(const CheckedConstraint* subject, bool of_b,
                            const double (*jacobian)[6]) {
    double error = 0.0;

    for (int j = 0; j < 6; ++j) {
        double slope[CN_MAX_ROWS];
        Path path = path_at_rest(subject);
        set_unit_velocity(of_b ? &path.b : &path.a, j);
        differentiate(subject, &path, slope);
        for (int i = 0; i < subject->kind->dimension; ++i) {
            error = worse(error, jacobian[i][j] - slope[i]);
        }
    }
    return error;
}

static double check_jacobian(const CheckedConstraint* subject) {
    double jacobian_a[CN_MAX_ROWS][6], jacobian_b[CN_MAX_ROWS][6];

    cn_constraint_velocity_jacobian(subject->kind, subject->a, subject->b, subject->time,
                                    subject->data, jacobian_a, jacobian_b);
    double error = check_columns(subject, false, (const double(*)[6])jacobian_a);
    if (subject->b != NULL) {
        error = worse(error, check_columns(subject, true, (const double(*)[6])jacobian_b));
    }
    return error;
}

static double check_time_rate(const CheckedConstraint* subject) {
    double rate[CN_MAX_ROWS], slope[CN_MAX_ROWS], error = 0.0;
    Path path = path_at_rest(subject);

    path.clock = 1.0;
    differentiate(subject, &path, slope);
    cn_constraint_time_rate(subject->kind, subject->a, subject->b, subject->time, subject->data,
                            rate);
    for (int i = 0; i < subject->kind->dimension; ++i) {
        error = worse(error, rate[i] - slope[i]);
    }
    return error;
}

// Against differences of the rate, which the two checks above tie to C: second differences of C
// itself would lose half the digits.
static double check_acceleration_bias(const CheckedConstraint* subject) {
    double given[CN_MAX_ROWS], expected[CN_MAX_ROWS], error = 0.0;

    cn_constraint_acceleration_bias(subject->kind, subject->a, subject->b, subject->time,
                                    subject->data, given);
    cn_constraint_acceleration_bias_by_differences(subject->kind, subject->a, subject->b,
                                                   subject->time, subject->data, expected);
    for (int i = 0; i < subject->kind->dimension; ++i) {
        error = worse(error, given[i] - expected[i]);
    }
    return error;
}

// Each derivative of f(C, dC/dt) against a difference along its own argument.
static double check_force(const CheckedConstraint* subject) {
    double value[CN_MAX_ROWS], rate[CN_MAX_ROWS], scratch[3][CN_MAX_ROWS];
    double slope[2][CN_MAX_ROWS], error = 0.0; // by value, by rate

    subject->kind->evaluate(subject->a, subject->b, subject->time, subject->data, value);
    cn_constraint_rate(subject->kind, subject->a, subject->b, subject->time, subject->data, rate);
    subject->kind->force(value, rate, subject->time, subject->data, scratch[0], slope[0], slope[1]);
    for (int argument = 0; argument < 2; ++argument) {
        for (int i = 0; i < subject->kind->dimension; ++i) {
            double* moved = argument == 0 ? &value[i] : &rate[i];
            double samples[CN_DIFFERENCE_SAMPLES], kept = *moved;
            for (int k = 0; k < CN_DIFFERENCE_SAMPLES; ++k) {
                *moved = kept + cn_difference_offsets[k] * CN_DIFFERENCE_STEP;
                subject->kind->force(value, rate, subject->time, subject->data, scratch[0],
                                     scratch[1], scratch[2]);
                samples[k] = scratch[0][i];
            }
            *moved = kept;
            error = worse(error, slope[argument][i] - cn_difference(samples, CN_DIFFERENCE_STEP));
        }
    }
    return error;
}

CnStatus cn_constraint_check(const CnConstraintKind* kind, const CnBodyState* a,
                             const CnBodyState* b, double time, const void* data,
                             CnConstraintCheck* check, CnError* error) {
    CnStatus status = cn_constraint_kind_validate(kind, error);
    if (status != CN_OK) {
        return status;
    }
    if (a == NULL || (kind->body_count == 2 && b == NULL)) {
        return cn_error_set(error, CN_INVALID,
                            "state %s is NULL; constraint kind \"%s\" acts on %d bodies",
                            a == NULL ? "a" : "b", kind->name, kind->body_count);
    }
    if (!isfinite(time)) {
        return cn_error_set(error, CN_INVALID, "time is %g s; it must be a finite number", time);
    }
    CheckedConstraint subject = {kind, a, kind->body_count == 2 ? b : NULL, time, data};
    *check = (CnConstraintCheck){
        .jacobian_error = check_jacobian(&subject),
        .time_rate_error = check_time_rate(&subject),
        .acceleration_bias_error =
            kind->acceleration_bias != NULL ? check_acceleration_bias(&subject) : 0.0,
        .force_error = kind->force != NULL ? check_force(&subject) : 0.0,
    };
    return CN_OK;
}
