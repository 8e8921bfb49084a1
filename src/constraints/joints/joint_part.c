// joint_part.c - the constraints a joint is made of: what it keeps, limits, drives and answers.
#include "constraints/joints/joint_part.h"

#include "constraints/joints/user_rows.h"

static double course_value(const CnCourse* course, double time) {
    double since = time - course->start;
    const CnCurve* curve = &course->curve;
    switch (course->order) {
    case CN_COURSE_DISPLACEMENT:
        return cn_curve_value(curve, time) - cn_curve_value(curve, course->start);
    case CN_COURSE_VELOCITY:
        return cn_curve_integral(curve, time) - cn_curve_integral(curve, course->start);
    case CN_COURSE_ACCELERATION:
        return cn_curve_second_integral(curve, time) -
               cn_curve_second_integral(curve, course->start) +
               since * (course->speed - cn_curve_integral(curve, course->start));
    default:
        return 0.0;
    }
}

static double course_rate(const CnCourse* course, double time) {
    const CnCurve* curve = &course->curve;
    switch (course->order) {
    case CN_COURSE_DISPLACEMENT:
        return cn_curve_slope(curve, time);
    case CN_COURSE_VELOCITY:
        return cn_curve_value(curve, time);
    case CN_COURSE_ACCELERATION:
        return course->speed + cn_curve_integral(curve, time) -
               cn_curve_integral(curve, course->start);
    default:
        return 0.0;
    }
}

static double course_acceleration(const CnCourse* course, double time) {
    switch (course->order) {
    case CN_COURSE_VELOCITY:
        return cn_curve_slope(&course->curve, time);
    case CN_COURSE_ACCELERATION:
        return cn_curve_value(&course->curve, time);
    default: // the corners of a displacement have none that is a number
        return 0.0;
    }
}

double cn_joint_row_value(const CnJointRow* row, const CnJointView* view, double time) {
    double value = -row->shift - course_value(&row->course, time);
    for (int i = 0; i < row->term_count; ++i) {
        const CnJointTerm* term = &row->terms[i];
        value += term->factor * cn_measure_value(term->measure, view, term->near);
    }
    return value;
}

static void add_rows(const CnJointRow* row, const CnJointView* view, double row_a[6],
                     double row_b[6]) {
    for (int i = 0; i < row->term_count; ++i) {
        cn_measure_add_row(row->terms[i].measure, view, row->terms[i].factor, row_a, row_b);
    }
}

static double row_times(const double row[6], const CnBodyState* state) {
    CnVec3 v = state->velocity, w = state->angular_velocity;
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z;
}

double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b, double time) {
    double row_a[6] = {0.0}, row_b[6] = {0.0};
    add_rows(row, view, row_a, row_b);
    return row_times(row_a, a) + row_times(row_b, b) - course_rate(&row->course, time);
}

static void part_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* value) {
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        value[i] = cn_joint_row_value(&part->rows[i], &view, time);
    }
}

static void part_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* jacobian_a, double* jacobian_b) {
    (void)time;
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        add_rows(&part->rows[i], &view, &jacobian_a[6 * i], &jacobian_b[6 * i]);
    }
}

static void part_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* rate) {
    (void)a, (void)b;
    const CnJointPart* part = data;
    for (int i = 0; i < part->row_count; ++i) {
        rate[i] = -course_rate(&part->rows[i].course, time);
    }
}

// Differences across a corner of a series would be a blow; what a course adds is known.
static void part_acceleration_bias(const CnBodyState* a, const CnBodyState* b, double time,
                                   const void* data, double* bias) {
    const CnJointPart* part = data;
    const CnConstraintKind still = {
        .name = "joint", .body_count = 2, .dimension = part->row_count, .jacobian = part_jacobian};
    cn_constraint_acceleration_bias_by_differences(&still, a, b, time, data, bias);
    for (int i = 0; i < part->row_count; ++i) {
        bias[i] -= course_acceleration(&part->rows[i].course, time);
    }
}

static bool part_is_active(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data) {
    (void)a, (void)b, (void)time;
    return !((const CnJointPart*)data)->idle;
}

static bool part_is_grounded(const void* data) {
    const CnJointPart* part = data;
    for (int i = 0; i < part->row_count; ++i) {
        if (cn_measure_is_grounded(part->rows[i].terms[0].measure)) {
            return true;
        }
    }
    return false;
}

// Angles that count on remember where they are.
static void part_advance(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)time;
    CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        for (int k = 0; k < part->rows[i].term_count; ++k) {
            CnJointTerm* term = &part->rows[i].terms[k];
            if (cn_measure_counts_on(term->measure)) {
                term->near = cn_measure_value(term->measure, &view, term->near);
            }
        }
    }
}

#define PART_FUNCTIONS                                                                             \
    .body_count = 2, .jacobian = part_jacobian, .is_active = part_is_active,                       \
    .is_grounded = part_is_grounded, .advance = part_advance, .alpha = CN_CONSTRAINT_ALPHA,        \
    .beta = CN_CONSTRAINT_BETA

#define KEEP_KIND(lengths, angles)                                                                 \
    {                                                                                              \
        .name = "joint", .dimension = (lengths) + (angles),                                        \
        .angular_rows = ((1u << (angles)) - 1u) << (lengths), .evaluate = part_evaluate,           \
        .time_rate = part_time_rate, .acceleration_bias = part_acceleration_bias, PART_FUNCTIONS   \
    }

#define KEEP_KINDS(lengths)                                                                        \
    { KEEP_KIND(lengths, 0), KEEP_KIND(lengths, 1), KEEP_KIND(lengths, 2), KEEP_KIND(lengths, 3) }

const CnConstraintKind* cn_joint_keep_kind(int lengths, int angles) {
    static const CnConstraintKind kinds[4][4] = {KEEP_KINDS(0), KEEP_KINDS(1), KEEP_KINDS(2),
                                                 KEEP_KINDS(3)};
    return &kinds[lengths][angles];
}

// The nearer of the two limits: C >= 0 above the lower one, C <= 0 below the upper one.
static bool is_near_lower(const CnJointAxis* axis, double x) {
    return isinf(axis->upper) || (isfinite(axis->lower) && x - axis->lower < axis->upper - x);
}

static double position(const CnJointPart* part, const CnBodyState* a, const CnBodyState* b,
                       double time) {
    CnJointView view = cn_joint_view(&part->frames, a, b);
    return cn_joint_row_value(&part->rows[0], &view, time);
}

static void limit_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    const CnJointPart* part = data;
    double x = position(part, a, b, time);
    value[0] = is_near_lower(&part->axis, x) ? x - part->axis.lower : x - part->axis.upper;
}

static void limit_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper) {
    const CnJointPart* part = data;
    bool pushes = is_near_lower(&part->axis, position(part, a, b, time));
    bool locks = part->axis.lower == part->axis.upper; // both ends are at hand
    lower[0] = pushes && !locks ? 0.0 : -HUGE_VAL;
    upper[0] = pushes || locks ? HUGE_VAL : 0.0;
}

static void limit_restitution(double time, const void* data, double* restitution) {
    (void)time;
    restitution[0] = ((const CnJointPart*)data)->axis.restitution;
}

const CnConstraintKind* cn_joint_limit_kind(void) {
    static const CnConstraintKind kind = {
        .name = "joint limit",
        .dimension = 1,
        .evaluate = limit_evaluate,
        .force_bounds = limit_bounds,
        .restitution = limit_restitution,
        PART_FUNCTIONS,
    };
    return &kind;
}

static double motor_target(const CnJointPart* part, double time) {
    double factor = part->target.count > 0 ? cn_curve_value(&part->target, time) : 1.0;
    return factor * part->axis.target;
}

static void motor_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    const CnJointPart* part = data;
    value[0] = position(part, a, b, time);
    if (part->axis.motor == CN_MOTOR_POSITION) {
        value[0] -= motor_target(part, time);
    }
}

// A speed to be reached is a position that runs away from the row.
static void motor_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* rate) {
    (void)a, (void)b;
    const CnJointPart* part = data;
    if (part->axis.motor == CN_MOTOR_VELOCITY) {
        rate[0] = -motor_target(part, time);
    }
}

static void motor_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    const CnJointPart* part = data;
    double limit = part->axis.max_force > 0.0 ? part->axis.max_force : HUGE_VAL;
    lower[0] = -limit;
    upper[0] = limit;
}

static void motor_softness(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* stiffness, double* damping) {
    (void)a, (void)b, (void)time;
    const CnJointPart* part = data;
    if (part->axis.motor == CN_MOTOR_POSITION) {
        stiffness[0] = part->axis.stiffness;
        damping[0] = part->axis.damping;
    }
}

const CnConstraintKind* cn_joint_motor_kind(void) {
    static const CnConstraintKind kind = {
        .name = "joint motor",
        .dimension = 1,
        .evaluate = motor_evaluate,
        .time_rate = motor_time_rate,
        .force_bounds = motor_bounds,
        .softness = motor_softness,
        .rate_only = true,
        PART_FUNCTIONS,
    };
    return &kind;
}

static void spring_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    const CnJointPart* part = data;
    value[0] = position(part, a, b, time) - part->axis.spring_rest;
}

static void spring_force(const double* value, const double* rate, double time, const void* data,
                         double* force, double* by_value, double* by_rate) {
    const CnJointPart* part = data;
    if (part->spring != NULL) {
        force[0] = part->spring(value[0], rate[0], time, part->spring_data, by_value, by_rate);
        return;
    }
    by_value[0] = -part->axis.spring_stiffness;
    by_rate[0] = -part->axis.spring_damping;
    force[0] = by_value[0] * value[0] + by_rate[0] * rate[0];
    if (part->table.count > 0) {
        by_value[0] = cn_curve_slope(&part->table, value[0]);
        force[0] = cn_curve_value(&part->table, value[0]) + by_rate[0] * rate[0];
    }
}

const CnConstraintKind* cn_joint_spring_kind(void) {
    static const CnConstraintKind kind = {
        .name = "joint spring",
        .dimension = 1,
        .evaluate = spring_evaluate,
        .force = spring_force,
        PART_FUNCTIONS,
    };
    return &kind;
}

static void friction_bounds(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    const CnJointPart* part = data;
    lower[0] = -part->axis.friction;
    upper[0] = part->axis.friction;
}

const CnConstraintKind* cn_joint_friction_kind(void) {
    static const CnConstraintKind kind = {
        .name = "joint friction",
        .dimension = 1,
        .evaluate = part_evaluate,
        .force_bounds = friction_bounds,
        .rate_only = true,
        PART_FUNCTIONS,
    };
    return &kind;
}
