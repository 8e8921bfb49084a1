// joint_part.h - the constraints a joint is made of: what it keeps, limits, drives and answers.
//
// Each part is a constraint kind with a CnJointPart as its data. docs/theory/joints.md.
#pragma once

#include "cairn/joint.h"
#include "constraints/joints/joint_measure.h"
#include "math/curve.h"

typedef struct CnJointTerm {
    CnMeasure measure;
    double factor;
    double near; // an angle that counts on: its last value [rad]
} CnJointTerm;

// How far a prescribed motion has come since it began.
typedef enum CnCourseOrder {
    CN_COURSE_NONE,
    CN_COURSE_DISPLACEMENT, // the series
    CN_COURSE_VELOCITY,     // its integral
    CN_COURSE_ACCELERATION  // its second integral, and the first speed times time
} CnCourseOrder;

typedef struct CnCourse {
    CnCourseOrder order;
    CnCurve curve;
    double start; // [s]
    double speed; // at the start [m/s]
} CnCourse;

// C = factor measure (+ factor measure) - shift - course(t).
typedef struct CnJointRow {
    CnJointTerm terms[2];
    int term_count;
    double shift; // [m or rad]
    CnCourse course;
} CnJointRow;

typedef struct CnJointPart {
    CnJointFrames frames;
    CnJointRow rows[CN_MAX_ROWS];
    int row_count;
    CnJointAxis axis;         // limit, motor, spring, friction: what they do, on rows[0]
    CnCurve target;           // motor: factor on its target; count 0: none
    CnSpringFunction* spring; // NULL: linear
    void* spring_data;
    CnCurve table; // spring: force over stroke, in place of the stiffness; count 0: none
    bool idle;     // acts no more: switched off, or broken
} CnJointPart;

// Rows kept at zero: lengths first, then angles, up to three of each and one at least.
const CnConstraintKind* cn_joint_keep_kind(int lengths, int angles);

// One row each; lower and upper, motor, spring or friction of part->axis.
const CnConstraintKind* cn_joint_limit_kind(void);
const CnConstraintKind* cn_joint_motor_kind(void);
const CnConstraintKind* cn_joint_spring_kind(void);
const CnConstraintKind* cn_joint_friction_kind(void);

// Value and rate of a row at given states.
double cn_joint_row_value(const CnJointRow* row, const CnJointView* view, double time);
double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b, double time);
