// joint_part.h - the constraints a joint is made of: kept rows, limits, motors, springs, friction.
//
// Each part is a constraint kind, and its data begin with a CnJointPart. docs/theory/joints.md.
#pragma once

#include "cairn/joint.h"
#include "constraints/joints/measure.h"
#include "math/curve.h"

typedef struct CnJointTerm {
    const CnMeasure* measure;
    double factor;
    double near; // an angle that counts on: its last value [rad]
} CnJointTerm;

// C = factor measure (+ factor measure) - shift.
typedef struct CnJointRow {
    CnJointTerm terms[2];
    int term_count;
    CnChannel channel; // of a row that is kept
    double shift;      // [m or rad]
} CnJointRow;

// Head of the data of every part. Its rows follow it, then what the kind adds.
typedef struct CnJointPart {
    CnJointFrames frames;
    int row_count;
    bool idle; // does not act: switched off, disabled or broken
} CnJointPart;

// Rows kept at zero.
typedef struct CnKeptPart {
    CnJointPart part;
    CnJointRow rows[CN_MAX_ROWS];
} CnKeptPart;
size_t cn_kept_part_size(int row_count); // bytes of its data: without the rows that are not used

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

// Rows that follow a course each: C = row - course(t).
typedef struct CnPrescribedPart {
    CnJointPart part;
    CnJointRow rows[3];
    CnCourse courses[3];
} CnPrescribedPart;

// Limit, motor, spring or friction of one axis.
typedef struct CnAxisPart {
    CnJointPart part;
    CnJointRow row;
    CnJointAxis axis;         // what they do
    CnCurve target;           // motor: factor on its target; count 0: none
    CnSpringFunction* spring; // NULL: linear
    void* spring_data;
    CnCurve table; // spring: force over stroke, in place of the stiffness; count 0: none
} CnAxisPart;

CnJointRow* cn_joint_part_rows(CnJointPart* part);

// Rows kept at zero: lengths first, then angles, up to three of each and one at least.
const CnConstraintKind* cn_joint_keep_kind(int lengths, int angles);
const CnConstraintKind* cn_joint_prescribed_kind(int lengths); // 1 to 3

// What an axis may have: one row each.
typedef enum CnAxisPartType {
    CN_AXIS_PART_LIMIT,
    CN_AXIS_PART_MOTOR, // to a speed or a position
    CN_AXIS_PART_FORCE, // a motor that gives a force
    CN_AXIS_PART_SPRING,
    CN_AXIS_PART_FRICTION,
    CN_AXIS_PART_COUNT
} CnAxisPartType;
const CnConstraintKind* cn_axis_part_kind(CnAxisPartType type);
bool cn_axis_part_is_wanted(CnAxisPartType type, const CnJointAxis* axis);

// What a row of a part does.
CnChannel cn_joint_part_channel(const CnConstraintKind* kind, const CnJointPart* part, int row);

// Value and rate of a row at given states.
double cn_joint_row_value(const CnJointRow* row, const CnJointView* view);
double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b);
void cn_joint_row_jacobian(const CnJointRow* row, const CnJointView* view, double row_a[6],
                           double row_b[6]); // +=
