// joint_part.c - the constraints a joint is made of: kept rows, limits, motors, springs, friction.
#include "constraints/joints/joint_part.h"

#include "constraints/joints/user_rows.h"

#include <stddef.h>

_Static_assert(offsetof(CnKeptPart, rows) == sizeof(CnJointPart), "rows follow the head");
_Static_assert(offsetof(CnPrescribedPart, rows) == sizeof(CnJointPart), "rows follow the head");
_Static_assert(offsetof(CnAxisPart, row) == sizeof(CnJointPart), "rows follow the head");

size_t cn_kept_part_size(int row_count) {
    return sizeof(CnJointPart) + (size_t)row_count * sizeof(CnJointRow);
}

CnJointRow* cn_joint_part_rows(CnJointPart* part) {
    return (CnJointRow*)(void*)(part + 1);
}

static const CnJointRow* rows_of(const CnJointPart* part) {
    return (const CnJointRow*)(const void*)(part + 1);
}

// ---- rows ----

// value - offset, where the offset is subtracted first, as a shift.
static double row_value(const CnJointRow* row, const CnJointView* view, double offset) {
    double value = -row->shift - offset;
    for (int i = 0; i < row->term_count; ++i) {
        const CnJointTerm* term = &row->terms[i];
        value += term->factor * cn_measure_value(term->measure, view, term->near);
    }
    return value;
}

double cn_joint_row_value(const CnJointRow* row, const CnJointView* view) {
    return row_value(row, view, 0.0);
}

void cn_joint_row_jacobian(const CnJointRow* row, const CnJointView* view, double row_a[6],
                           double row_b[6]) {
    for (int i = 0; i < row->term_count; ++i) {
        const CnMeasure* measure = row->terms[i].measure;
        measure->add_row(measure, view, row->terms[i].factor, row_a, row_b);
    }
}

static double row_times(const double row[6], const CnBodyState* state) {
    CnVec3 v = state->velocity, w = state->angular_velocity;
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z;
}

double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b) {
    double row_a[6] = {0.0}, row_b[6] = {0.0};
    cn_joint_row_jacobian(row, view, row_a, row_b);
    return row_times(row_a, a) + row_times(row_b, b);
}

// ---- functions that all kinds share ----

static void part_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* value) {
    (void)time;
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        value[i] = cn_joint_row_value(&rows_of(part)[i], &view);
    }
}

static void part_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* jacobian_a, double* jacobian_b) {
    (void)time;
    const CnJointPart* part = data;
    CnJointView view = cn_joint_view(&part->frames, a, b);
    for (int i = 0; i < part->row_count; ++i) {
        cn_joint_row_jacobian(&rows_of(part)[i], &view, &jacobian_a[6 * i], &jacobian_b[6 * i]);
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
        if (rows_of(part)[i].terms[0].measure->is_grounded) {
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
        CnJointRow* row = &cn_joint_part_rows(part)[i];
        for (int k = 0; k < row->term_count; ++k) {
            CnJointTerm* term = &row->terms[k];
            if (term->measure->counts_on) {
                term->near = cn_measure_value(term->measure, &view, term->near);
            }
        }
    }
}

#define PART_FUNCTIONS                                                                             \
    .body_count = 2, .jacobian = part_jacobian, .is_active = part_is_active,                       \
    .is_grounded = part_is_grounded, .advance = part_advance

// ---- rows kept ----

#define KEEP_KIND(lengths, angles)                                                                 \
    {                                                                                              \
        .name = "joint", .dimension = (lengths) + (angles),                                        \
        .angular_rows = ((1u << (angles)) - 1u) << (lengths), .evaluate = part_evaluate,           \
        PART_FUNCTIONS                                                                             \
    }

#define KEEP_KINDS(lengths)                                                                        \
    { KEEP_KIND(lengths, 0), KEEP_KIND(lengths, 1), KEEP_KIND(lengths, 2), KEEP_KIND(lengths, 3) }

const CnConstraintKind* cn_joint_keep_kind(int lengths, int angles) {
    static const CnConstraintKind kinds[4][4] = {KEEP_KINDS(0), KEEP_KINDS(1), KEEP_KINDS(2),
                                                 KEEP_KINDS(3)};
    return &kinds[lengths][angles];
}

// ---- rows that follow a course ----

typedef struct CourseFunctions {
    double (*value)(const CnCourse* course, double time);
    double (*rate)(const CnCourse* course, double time);
    double (*acceleration)(const CnCourse* course, double time);
} CourseFunctions;

static double displacement_value(const CnCourse* course, double time) {
    return cn_curve_value(&course->curve, time) - cn_curve_value(&course->curve, course->start);
}

static double displacement_rate(const CnCourse* course, double time) {
    return cn_curve_slope(&course->curve, time);
}

// At the corners of a displacement the acceleration is not a number: it is left out.
static double displacement_acceleration(const CnCourse* course, double time) {
    (void)course, (void)time;
    return 0.0;
}

static double velocity_value(const CnCourse* course, double time) {
    return cn_curve_integral(&course->curve, time) -
           cn_curve_integral(&course->curve, course->start);
}

static double velocity_rate(const CnCourse* course, double time) {
    return cn_curve_value(&course->curve, time);
}

static double velocity_acceleration(const CnCourse* course, double time) {
    return cn_curve_slope(&course->curve, time);
}

static double acceleration_value(const CnCourse* course, double time) {
    const CnCurve* curve = &course->curve;
    double since = time - course->start;
    return cn_curve_second_integral(curve, time) - cn_curve_second_integral(curve, course->start) +
           since * (course->speed - cn_curve_integral(curve, course->start));
}

static double acceleration_rate(const CnCourse* course, double time) {
    const CnCurve* curve = &course->curve;
    return course->speed + cn_curve_integral(curve, time) - cn_curve_integral(curve, course->start);
}

static double acceleration_acceleration(const CnCourse* course, double time) {
    return cn_curve_value(&course->curve, time);
}

static const CourseFunctions courses[] = {
    [CN_COURSE_DISPLACEMENT] = {displacement_value, displacement_rate, displacement_acceleration},
    [CN_COURSE_VELOCITY] = {velocity_value, velocity_rate, velocity_acceleration},
    [CN_COURSE_ACCELERATION] = {acceleration_value, acceleration_rate, acceleration_acceleration},
};

static void prescribed_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                                const void* data, double* value) {
    const CnPrescribedPart* part = data;
    CnJointView view = cn_joint_view(&part->part.frames, a, b);
    for (int i = 0; i < part->part.row_count; ++i) {
        const CnCourse* course = &part->courses[i];
        value[i] = row_value(&part->rows[i], &view, courses[course->order].value(course, time));
    }
}

static void prescribed_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                                 const void* data, double* rate) {
    (void)a, (void)b;
    const CnPrescribedPart* part = data;
    for (int i = 0; i < part->part.row_count; ++i) {
        const CnCourse* course = &part->courses[i];
        rate[i] = -courses[course->order].rate(course, time);
    }
}

// Differences across a corner of a series would be a blow; what a course adds is known.
static void prescribed_acceleration_bias(const CnBodyState* a, const CnBodyState* b, double time,
                                         const void* data, double* bias) {
    const CnPrescribedPart* part = data;
    const CnConstraintKind still = {.name = "joint",
                                    .body_count = 2,
                                    .dimension = part->part.row_count,
                                    .jacobian = part_jacobian};
    cn_constraint_acceleration_bias_by_differences(&still, a, b, time, data, bias);
    for (int i = 0; i < part->part.row_count; ++i) {
        const CnCourse* course = &part->courses[i];
        bias[i] -= courses[course->order].acceleration(course, time);
    }
}

#define PRESCRIBED_KIND(lengths)                                                                   \
    {                                                                                              \
        .name = "joint", .dimension = (lengths), .evaluate = prescribed_evaluate,                  \
        .time_rate = prescribed_time_rate, .acceleration_bias = prescribed_acceleration_bias,      \
        PART_FUNCTIONS                                                                             \
    }

const CnConstraintKind* cn_joint_prescribed_kind(int lengths) {
    static const CnConstraintKind kinds[3] = {PRESCRIBED_KIND(1), PRESCRIBED_KIND(2),
                                              PRESCRIBED_KIND(3)};
    return &kinds[lengths - 1];
}

// ---- limits, motors, springs and friction of an axis ----

// The nearer of the two limits: C >= 0 above the lower one, C <= 0 below the upper one.
static bool is_near_lower(const CnJointAxis* axis, double x) {
    return isinf(axis->upper) || (isfinite(axis->lower) && x - axis->lower < axis->upper - x);
}

static double position(const CnAxisPart* part, const CnBodyState* a, const CnBodyState* b) {
    CnJointView view = cn_joint_view(&part->part.frames, a, b);
    return cn_joint_row_value(&part->row, &view);
}

static void limit_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    (void)time;
    const CnAxisPart* part = data;
    double x = position(part, a, b);
    value[0] = is_near_lower(&part->axis, x) ? x - part->axis.lower : x - part->axis.upper;
}

static void limit_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper) {
    (void)time;
    const CnAxisPart* part = data;
    bool pushes = is_near_lower(&part->axis, position(part, a, b));
    bool locks = part->axis.lower == part->axis.upper; // both limits coincide: an equality
    lower[0] = pushes && !locks ? 0.0 : -HUGE_VAL;
    upper[0] = pushes || locks ? HUGE_VAL : 0.0;
}

static void limit_restitution(double time, const void* data, double* restitution) {
    (void)time;
    restitution[0] = ((const CnAxisPart*)data)->axis.restitution;
}

static const CnConstraintKind limit_kind = {
    .name = "joint limit",
    .dimension = 1,
    .evaluate = limit_evaluate,
    .force_bounds = limit_bounds,
    .restitution = limit_restitution,
    PART_FUNCTIONS,
};

static double motor_target(const CnAxisPart* part, double time) {
    double factor = part->target.count > 0 ? cn_curve_value(&part->target, time) : 1.0;
    return factor * part->axis.target;
}

static void motor_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    const CnAxisPart* part = data;
    value[0] = position(part, a, b);
    if (part->axis.motor == CN_MOTOR_POSITION) {
        value[0] -= motor_target(part, time);
    }
}

// A speed to be reached is a position that runs away from the row.
static void motor_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* rate) {
    (void)a, (void)b;
    const CnAxisPart* part = data;
    if (part->axis.motor == CN_MOTOR_VELOCITY) {
        rate[0] = -motor_target(part, time);
    }
}

static void motor_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    const CnAxisPart* part = data;
    double limit = part->axis.max_force > 0.0 ? part->axis.max_force : HUGE_VAL;
    lower[0] = -limit;
    upper[0] = limit;
}

static void motor_softness(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* stiffness, double* damping) {
    (void)a, (void)b, (void)time;
    const CnAxisPart* part = data;
    if (part->axis.motor == CN_MOTOR_POSITION) {
        stiffness[0] = part->axis.stiffness;
        damping[0] = part->axis.damping;
    }
}

static const CnConstraintKind motor_kind = {
    .name = "joint motor",
    .dimension = 1,
    .evaluate = motor_evaluate,
    .time_rate = motor_time_rate,
    .force_bounds = motor_bounds,
    .softness = motor_softness,
    .rate_only = true,
    PART_FUNCTIONS,
};

// The force does not depend on the motion.
static void force_force(const double* value, const double* rate, double time, const void* data,
                        double* force, double* by_value, double* by_rate) {
    (void)value, (void)rate;
    const CnAxisPart* part = data;
    double limit = part->axis.max_force > 0.0 ? part->axis.max_force : HUGE_VAL;
    force[0] = fmax(-limit, fmin(limit, motor_target(part, time)));
    by_value[0] = by_rate[0] = 0.0;
}

static const CnConstraintKind force_kind = {
    .name = "joint motor",
    .dimension = 1,
    .evaluate = part_evaluate,
    .force = force_force,
    PART_FUNCTIONS,
};

static void spring_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    (void)time;
    const CnAxisPart* part = data;
    value[0] = position(part, a, b) - part->axis.spring_rest;
}

static void spring_force(const double* value, const double* rate, double time, const void* data,
                         double* force, double* by_value, double* by_rate) {
    const CnAxisPart* part = data;
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

static const CnConstraintKind spring_kind = {
    .name = "joint spring",
    .dimension = 1,
    .evaluate = spring_evaluate,
    .force = spring_force,
    PART_FUNCTIONS,
};

static void friction_bounds(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    const CnAxisPart* part = data;
    lower[0] = -part->axis.friction;
    upper[0] = part->axis.friction;
}

static const CnConstraintKind friction_kind = {
    .name = "joint friction",
    .dimension = 1,
    .evaluate = part_evaluate,
    .force_bounds = friction_bounds,
    .rate_only = true,
    PART_FUNCTIONS,
};

static bool wants_limit(const CnJointAxis* axis) {
    return axis->limited;
}

static bool wants_motor(const CnJointAxis* axis) {
    return axis->motor == CN_MOTOR_VELOCITY || axis->motor == CN_MOTOR_POSITION;
}

static bool wants_force(const CnJointAxis* axis) {
    return axis->motor == CN_MOTOR_FORCE;
}

static bool wants_spring(const CnJointAxis* axis) {
    return axis->spring_stiffness > 0.0 || axis->spring_damping > 0.0;
}

static bool wants_friction(const CnJointAxis* axis) {
    return axis->friction > 0.0;
}

static const struct AxisPartInfo {
    const CnConstraintKind* kind;
    bool (*is_wanted)(const CnJointAxis* axis);
    CnChannel channel;
} axis_parts[CN_AXIS_PART_COUNT] = {
    [CN_AXIS_PART_LIMIT] = {&limit_kind, wants_limit, CN_CHANNEL_LIMIT},
    [CN_AXIS_PART_MOTOR] = {&motor_kind, wants_motor, CN_CHANNEL_MOTOR},
    [CN_AXIS_PART_FORCE] = {&force_kind, wants_force, CN_CHANNEL_MOTOR},
    [CN_AXIS_PART_SPRING] = {&spring_kind, wants_spring, CN_CHANNEL_SPRING},
    [CN_AXIS_PART_FRICTION] = {&friction_kind, wants_friction, CN_CHANNEL_JOINT_FRICTION},
};

const CnConstraintKind* cn_axis_part_kind(CnAxisPartType type) {
    return axis_parts[type].kind;
}

bool cn_axis_part_is_wanted(CnAxisPartType type, const CnJointAxis* axis) {
    return axis_parts[type].is_wanted(axis);
}

CnChannel cn_joint_part_channel(const CnConstraintKind* kind, const CnJointPart* part, int row) {
    for (int i = 0; i < CN_AXIS_PART_COUNT; ++i) {
        if (axis_parts[i].kind == kind) {
            return axis_parts[i].channel;
        }
    }
    return rows_of(part)[row].channel;
}
