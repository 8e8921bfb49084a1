// prescribed_part.c - rows of a joint that follow a course: displacement, velocity, acceleration.
#include "constraints/joints/joint_part.h"
#include "constraints/joints/user_rows.h"

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

static void prescribed_offset(const void* data, double time, double* value) {
    const CnPrescribedPart* part = data;
    for (int i = 0; i < part->part.row_count; ++i) {
        const CnCourse* course = &part->courses[i];
        value[i] -= courses[course->order].value(course, time);
    }
}

static void prescribed_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                                const void* data, double* value) {
    cn_part_coordinates(a, b, time, data, value);
    prescribed_offset(data, time, value);
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
                                    .jacobian = cn_part_jacobian};
    cn_constraint_acceleration_bias_by_differences(&still, a, b, time, data, bias);
    for (int i = 0; i < part->part.row_count; ++i) {
        const CnCourse* course = &part->courses[i];
        bias[i] -= courses[course->order].acceleration(course, time);
    }
}

#define PRESCRIBED_KIND(lengths)                                                                   \
    {                                                                                              \
        .kind = {.name = "joint",                                                                  \
                 .dimension = (lengths),                                                           \
                 .evaluate = prescribed_evaluate,                                                  \
                 .time_rate = prescribed_time_rate,                                                \
                 .acceleration_bias = prescribed_acceleration_bias,                                \
                 CN_PART_FUNCTIONS},                                                               \
        .offset = prescribed_offset                                                                \
    }

const CnConstraintKind* cn_joint_prescribed_kind(int lengths) {
    static const CnPartKind kinds[3] = {PRESCRIBED_KIND(1), PRESCRIBED_KIND(2), PRESCRIBED_KIND(3)};
    return &kinds[lengths - 1].kind;
}
