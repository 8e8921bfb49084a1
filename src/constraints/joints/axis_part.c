// axis_part.c - what acts on one free axis of a joint: limits, motors, springs, friction.
#include "constraints/joints/joint_part.h"

// The nearer of the two limits counts: C >= 0 above the lower one, C <= 0 below the upper one.
static void limit_offset(const void* data, double time, double* value) {
    (void)time;
    const CnJointAxis* axis = &((const CnAxisPart*)data)->axis;
    value[0] -= cn_axis_is_near_lower(axis, value[0]) ? axis->lower : axis->upper;
}

static void limit_bounds_at(const void* data, const double* x, double* lower, double* upper) {
    const CnJointAxis* axis = &((const CnAxisPart*)data)->axis;
    bool pushes = cn_axis_is_near_lower(axis, x[0]);
    bool locks = axis->lower == axis->upper; // both limits coincide: an equality
    lower[0] = pushes && !locks ? 0.0 : -HUGE_VAL;
    upper[0] = pushes || locks ? HUGE_VAL : 0.0;
}

static void limit_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    cn_part_coordinates(a, b, time, data, value);
    limit_offset(data, time, value);
}

static void limit_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper) {
    double x[CN_MAX_ROWS];
    cn_part_coordinates(a, b, time, data, x);
    limit_bounds_at(data, x, lower, upper);
}

static void limit_restitution(double time, const void* data, double* restitution) {
    (void)time;
    restitution[0] = ((const CnAxisPart*)data)->axis.restitution;
}

static const CnPartKind limit_kind = {
    .kind =
        {
            .name = "joint limit",
            .dimension = 1,
            .evaluate = limit_evaluate,
            .force_bounds = limit_bounds,
            .restitution = limit_restitution,
            CN_PART_FUNCTIONS,
        },
    .offset = limit_offset,
    .bounds_at = limit_bounds_at,
};

double cn_axis_motor_target(const CnAxisPart* part, double time) {
    CnCurveLook none = {.curve = NULL};
    return cn_axis_motor_target_again(part, time, &none);
}

static void motor_offset(const void* data, double time, double* value) {
    const CnAxisPart* part = data;
    if (part->axis.motor == CN_MOTOR_POSITION) {
        value[0] -= cn_axis_motor_target(part, time);
    }
}

static void motor_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* value) {
    cn_part_coordinates(a, b, time, data, value);
    motor_offset(data, time, value);
}

// A speed to be reached is a position that runs away from the row.
static void motor_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* rate) {
    (void)a, (void)b;
    const CnAxisPart* part = data;
    if (part->axis.motor == CN_MOTOR_VELOCITY) {
        rate[0] = -cn_axis_motor_target(part, time);
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

static const CnPartKind motor_kind = {
    .kind =
        {
            .name = "joint motor",
            .dimension = 1,
            .evaluate = motor_evaluate,
            .time_rate = motor_time_rate,
            .force_bounds = motor_bounds,
            .softness = motor_softness,
            .rate_only = true,
            CN_PART_FUNCTIONS,
        },
    .offset = motor_offset,
};

// The force does not depend on the motion.
static void force_force(const double* value, const double* rate, double time, const void* data,
                        double* force, double* by_value, double* by_rate) {
    (void)value, (void)rate;
    const CnAxisPart* part = data;
    double limit = part->axis.max_force > 0.0 ? part->axis.max_force : HUGE_VAL;
    force[0] = fmax(-limit, fmin(limit, cn_axis_motor_target(part, time)));
    by_value[0] = by_rate[0] = 0.0;
}

static const CnPartKind force_kind = {
    .kind =
        {
            .name = "joint motor",
            .dimension = 1,
            .evaluate = cn_part_coordinates,
            .force = force_force,
            CN_PART_FUNCTIONS,
        },
};

static void spring_offset(const void* data, double time, double* value) {
    (void)time;
    value[0] -= ((const CnAxisPart*)data)->axis.spring_rest;
}

static void spring_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    cn_part_coordinates(a, b, time, data, value);
    spring_offset(data, time, value);
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

static const CnPartKind spring_kind = {
    .kind =
        {
            .name = "joint spring",
            .dimension = 1,
            .evaluate = spring_evaluate,
            .force = spring_force,
            CN_PART_FUNCTIONS,
        },
    .offset = spring_offset,
};

static void friction_bounds(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    const CnAxisPart* part = data;
    lower[0] = -part->axis.friction;
    upper[0] = part->axis.friction;
}

static const CnPartKind friction_kind = {
    .kind =
        {
            .name = "joint friction",
            .dimension = 1,
            .evaluate = cn_part_coordinates,
            .force_bounds = friction_bounds,
            .rate_only = true,
            CN_PART_FUNCTIONS,
        },
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
    const CnPartKind* kind;
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
    return &axis_parts[type].kind->kind;
}

bool cn_axis_part_is_wanted(CnAxisPartType type, const CnJointAxis* axis) {
    return axis_parts[type].is_wanted(axis);
}

CnChannel cn_axis_part_channel(const CnConstraintKind* kind) {
    for (int i = 0; i < CN_AXIS_PART_COUNT; ++i) {
        if (&axis_parts[i].kind->kind == kind) {
            return axis_parts[i].channel;
        }
    }
    return CN_CHANNEL_COUNT;
}
