// joint_part.h - the constraints a joint is made of: kept rows, limits, motors, springs, friction.
//
// Each part is a constraint kind, and its data begin with a CnJointPart. docs/theory/joints.md.
#pragma once

#include "cairn/joint.h"
#include "constraints/joints/measure.h"
#include "constraints/joints/user_rows.h"
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

// Ties an axis of one joint, the follower, to one of another, the leader: C = q_follower - ratio
// q_leader - offset. docs/theory/joints.md (19).
typedef struct CnMimicPart {
    CnJointPart part;            // of the follower, A and B of the constraint
    CnJointRow row;              // its coordinate
    CnJointFrames leader_frames; // C and D
    CnJointRow leader_row;
    double ratio;  // [m/m, m/rad, rad/m or 1]
    double offset; // [m or rad]
} CnMimicPart;
const CnConstraintKind* cn_mimic_kind(bool is_angle); // the follower's axis is one

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

// The number that a motor is to reach or to give at a time, alone and after others; and whether the
// lower one of the limits of an axis is the nearer one.
double cn_axis_motor_target(const CnAxisPart* part, double time);
static inline double cn_axis_motor_target_again(const CnAxisPart* part, double time,
                                                CnCurveLook* last) { // machines share series
    double factor = part->target.count > 0 ? cn_curve_value_again(&part->target, time, last) : 1.0;
    return factor * part->axis.target;
}
static inline bool cn_axis_is_near_lower(const CnJointAxis* axis, double x) {
    return isinf(axis->upper) || (isfinite(axis->lower) && x - axis->lower < axis->upper - x);
}

CnChannel cn_axis_part_channel(const CnConstraintKind* kind); // CN_CHANNEL_COUNT: of no axis

// What a row of a part does.
CnChannel cn_joint_part_channel(const CnConstraintKind* kind, const CnJointPart* part, int row);

// Whether the only row of a part is an angle, which changes about as fast as its bodies turn.
bool cn_joint_part_is_angle(const CnJointPart* part);

// Value and rate of a row at given states.
double cn_joint_row_value(const CnJointRow* row, const CnJointView* view);
double cn_joint_row_rate(const CnJointRow* row, const CnJointView* view, const CnBodyState* a,
                         const CnBodyState* b);
void cn_joint_row_jacobian(const CnJointRow* row, const CnJointView* view, double row_a[6],
                           double row_b[6]); // +=

// ---- kinds ----

// The kind of a part: what the world sees, and the same in terms of the coordinates x of its rows.
typedef struct CnPartKind {
    CnConstraintKind kind;

    // value: x on entry, C on return. NULL: C is x.
    void (*offset)(const void* data, double time, double* value);

    // force_bounds where they depend on x. NULL: those of the kind, which depend on no state.
    void (*bounds_at)(const void* data, const double* x, double* lower, double* upper);
} CnPartKind;

// Functions of CnConstraintKind that all parts share. The coordinates x are C of most of them.
void cn_part_coordinates(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* value);
void cn_part_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                      double* jacobian_a, double* jacobian_b);
bool cn_part_is_active(const CnBodyState* a, const CnBodyState* b, double time, const void* data);
bool cn_part_is_grounded(const void* data);
void cn_part_advance(const CnBodyState* a, const CnBodyState* b, double time, void* data);
#define CN_PART_FUNCTIONS                                                                          \
    .body_count = 2, .jacobian = cn_part_jacobian, .is_active = cn_part_is_active,                 \
    .is_grounded = cn_part_is_grounded, .advance = cn_part_advance

// What the parts of one joint share at given states. Zero but for the view to begin with.
typedef struct CnJointLook {
    CnJointView view;
    unsigned found;              // bits CN_READ_... that are known of the row
    CnJointRow row;              // of the last part with one row
    CnConstraintReading reading; // its row 0
    CnJointTerm advanced;        // the last angle that was advanced, as it was before
    double advanced_to;          // where it is now [rad]
} CnJointLook;

// cn_kind_read() of a part: its frames are looked at once for all parts of the joint.
void cn_joint_part_read(const CnConstraintKind* kind, double time, const void* data, unsigned what,
                        CnJointLook* look, CnConstraintReading* reading);

// The same of a part with one row, whose row has the coordinate x: the value C, forces allowed and
// softness.
typedef struct CnAxisReading {
    double value, lower, upper, stiffness, damping;
} CnAxisReading;
void cn_axis_part_read(const CnConstraintKind* kind, double time, const void* data, double x,
                       CnAxisReading* reading);

// The value alone; and whether its force gives way.
double cn_axis_part_value(const CnConstraintKind* kind, double time, const void* data, double x);
bool cn_axis_part_yields(const CnConstraintKind* kind, double time, const void* data);

// Whether two rows of one term have the same coordinate at all poses.
bool cn_joint_row_is_same(const CnJointRow* a, const CnJointRow* b);

// The kind's `advance` in the same way, and whether it has anything to do.
void cn_joint_part_advance(void* data, CnJointLook* look);
bool cn_joint_part_counts(const void* data);
