// joint.h - joints between two bodies, or a body and the world: what they keep, limit and drive.
//
//     CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
//     def.body_a = frame; // left out: the world
//     def.body_b = door;
//     def.point_a = cn_vec3(0.0, 0.0, 1.0);
//     def.axis = cn_vec3(0.0, 0.0, 1.0);
//     def.axes[CN_AXIS_TURN_Z].limited = true; // lower and upper in radians
//     CnJointId hinge = cn_world_add_joint(world, &def, NULL);
//
// Every joint has a frame on each body, made from points and axes in the world at the poses the
// bodies have when it is added: z along the joint's axis. Coordinates are those of B's frame seen
// from A's: x, y, z [m] and turns about them [rad], positive when B moves along, or turns about,
// the positive axis of A; a joint keeps some at zero and leaves the others free. On a free one it
// may have limits, a motor, a spring and dry friction, each a row of the step's problem with a law
// of its own. Equations: docs/theory/joints.md; pictures: docs/manual/joints.md.
#pragma once

#include "cairn/constraint.h"

typedef struct CnWorld CnWorld;

typedef enum CnJointType {
    // Two bodies, or one and the world. In brackets the free axes.
    CN_JOINT_BALL,        // one point in common [all turns: swing about x and y, twist about z]
    CN_JOINT_HINGE,       // a point and an axis in common [turn_z]
    CN_JOINT_SLIDER,      // moves along the axis without turning [z]
    CN_JOINT_CYLINDRICAL, // moves along the axis and turns about it [z, turn_z]
    CN_JOINT_UNIVERSAL, // a point in common, axis of A stays square to axis_b of B [turn_x, turn_z]
    CN_JOINT_PLANAR,    // stays in the plane square to the axis [x, y, turn_z]
    CN_JOINT_WELD,      // all kept [none]
    CN_JOINT_SIX_AXIS,  // each axis as def.axes[i].motion says
    CN_JOINT_DISTANCE, // two points at a fixed distance; with limits, a motor or a spring, as these
                       // say [length: axis z]
    CN_JOINT_ROPE,     // two points at most `length` apart [none]
    CN_JOINT_SCREW,    // cylindrical, advancing `pitch` per turn [turn_z]
    CN_JOINT_GEAR,     // turns of A about axis and of B about axis_b: a + ratio b = constant
    CN_JOINT_RACK_AND_PINION, // A turns about axis, B moves along axis_b: b = ratio a [m/rad]
                              // Both: seen from the world, or with two_points from what carries
                              // the two
    CN_JOINT_PULLEY, // |A - anchor_a| + ratio |B - anchor_b| stays, points on the bodies' ends

    // Prescribed motion of a point, absolute (body_b none) or of A relative to B.
    CN_JOINT_FIX_POINT,        // the point stays where it is
    CN_JOINT_FIX_DIRECTION,    // the point does not move along axis
    CN_JOINT_SET_DISPLACEMENT, // the point moves along axis by the series [m]
    CN_JOINT_SET_VELOCITY,     // with the velocity of the series [m/s]
    CN_JOINT_SET_ACCELERATION, // with the acceleration of the series from the velocity it has
    CN_JOINT_RIGID_LINK,       // two points at the distance they have; a ball joint when that is 0
    CN_JOINT_SPRING,           // a force f(stroke, rate) between two points

    // Between two joints, which share a body or not: a free axis of one, the follower, goes with
    // one of the other, the leader: q = ratio q_leader + offset. Idle while one of the two is not
    // enabled or is broken. Bodies and frames that are read are the follower's.
    CN_JOINT_MIMIC,
    CN_JOINT_TYPE_COUNT
} CnJointType;

// "ball", "hinge", ... "rack_and_pinion", ... as in scenes.
CN_API const char* cn_joint_type_name(CnJointType type);

typedef enum CnAxis {
    CN_AXIS_X,
    CN_AXIS_Y,
    CN_AXIS_Z,
    CN_AXIS_TURN_X,
    CN_AXIS_TURN_Y,
    CN_AXIS_TURN_Z,
    CN_AXIS_COUNT
} CnAxis;

// "x", ... "turn_z".
CN_API const char* cn_axis_name(CnAxis axis);

typedef enum CnAxisMotion { CN_AXIS_FREE, CN_AXIS_LOCKED } CnAxisMotion;

typedef enum CnMotor {
    CN_MOTOR_NONE,
    CN_MOTOR_VELOCITY, // drives to a speed with at most max_force
    CN_MOTOR_POSITION, // stiffness (target - x) - damping dx/dt, implicit, within max_force
    CN_MOTOR_FORCE,    // gives the target as a force or torque, cut off at max_force
    CN_MOTOR_COUNT
} CnMotor;

// What happens along or about one free axis. All zero: nothing.
typedef struct CnJointAxis {
    CnAxisMotion motion; // six_axis only; the type decides for all other joints
    bool limited;
    double lower, upper; // [m or rad], lower <= upper
    double restitution;  // of the limits, [0, 1]

    CnMotor motor;
    double target;             // [m/s or rad/s], or [m or rad], or [N or N m]
    CnSeriesId series;         // none: the target is constant; else it is the series times target
    double stiffness, damping; // of a position motor [N/m or N m/rad], [N s/m or N m s/rad]
    double max_force;          // of the motor [N or N m]; 0: unlimited

    double spring_stiffness; // [N/m or N m/rad]; or by frequency:
    double spring_hertz;     // undamped frequency of the two bodies on this axis [1/s]
    double spring_damping;   // [N s/m or N m s/rad]; with hertz a damping ratio
    double spring_rest;      // where it is at rest [m or rad]

    double friction; // dry: force that a motion has to overcome [N or N m]
} CnJointAxis;

// How the direction of a spring or a prescribed motion follows the bodies.
typedef enum CnDirection {
    CN_DIRECTION_FOLLOW,    // springs: from one point to the other, always
    CN_DIRECTION_FIXED,     // as given, in the world
    CN_DIRECTION_CARRIED_A, // as given, then carried by body A
    CN_DIRECTION_CARRIED_B
} CnDirection;

// Force [N] of a spring for stroke [m] and its rate [m/s]: positive pushes the points apart; with
// its derivatives.
typedef double CnSpringFunction(double stroke, double rate, double time, void* data,
                                double* by_stroke, double* by_rate);

// Start from cn_joint_def_default(type).
typedef struct CnJointDef {
    const char* name; // shown in reports; copied, may be NULL
    CnJointType type;
    CnBodyId body_a; // one of the two may be none: the immovable world
    CnBodyId body_b;
    bool one_body;   // A is the world, and readings (CnJointState) are about B; default false
    CnVec3 point_a;  // on A, world, now [m]
    CnVec3 point_b;  // on B, world, now [m]; used when two_points is set, else point_a
    bool two_points; // default: true for distance, rope, pulley, rigid_link, spring
    CnVec3 axis;     // unit, world, now; default z
    CnVec3 axis_b;   // universal, gear, rack_and_pinion: axis of B; six_axis: x of the frame (zero:
                     // chosen)
    CnVec3 anchor_a; // pulley: where the rope leaves, world [m]
    CnVec3 anchor_b;
    CnJointAxis axes[CN_AXIS_COUNT];
    double length;      // distance, rope, pulley: 0: what it is now [m]
    double ratio;       // gear, rack_and_pinion, pulley, mimic
    double offset;      // mimic [m or rad, as the follower's axis]
    CnJointId leader;   // mimic: the two joints, and which free axis of each. Its bodies are
    CnJointId follower; // left out: they are the follower's
    CnAxis leader_axis;
    CnAxis follower_axis;
    double pitch;             // screw: advance per turn [m]
    double swing_limit;       // ball: half angle of the cone, about x [rad]; 0: none
    double swing_limit_y;     // ball: about y; 0: as about x
    CnSeriesId series;        // prescribed motion: the value itself, 1 axis
    CnSeriesId series3[3];    // prescribed motion of all three components, x y z of the frame; used
                              // when set
    bool from_rest;           // set_acceleration: from velocity 0; default false: from what it has
    CnDirection direction;    // spring, prescribed motion; default follow, fixed
    CnSpringFunction* spring; // NULL: linear, from axes[CN_AXIS_Z] spring_stiffness and _damping
    void* spring_data;
    CnSeriesId spring_table; // when set, force [N] over stroke [m]: a series whose times are
                             // strokes; besides it only the spring_damping of the axis acts
    double stroke_lower, stroke_upper; // spring: stops, from the length it has now; both 0: none
    double strength;                   // breaks when the force is larger [N]; 0: never
    double strength_torque;            // the same for its torque [N m]
    CnKeeping keep;                    // compliance of kept coordinates, gains
    bool collide;                      // may the two bodies touch? default false
    bool enabled;                      // default true; false: has no effect until it is enabled
    uint32_t guard;
} CnJointDef;

CN_API CnJointDef cn_joint_def_default(CnJointType type);

// The null id on failure, with a sentence.
CN_API CnJointId cn_world_add_joint(CnWorld* world, const CnJointDef* def, CnError* error);
// Mimics that it leads or follows are removed too.
CN_API CnStatus cn_world_remove_joint(CnWorld* world, CnJointId joint);
CN_API int cn_world_joint_count(const CnWorld* world);
// In order of creation; removing a joint moves the last one into its place.
CN_API CnJointId cn_world_joint_at(const CnWorld* world, int index);          // null id: none
CN_API CnJointId cn_world_find_joint(const CnWorld* world, const char* name); // null id: none
CN_API const char* cn_joint_name(const CnWorld* world, CnJointId joint);      // "" when it has none
CN_API CnJointType cn_joint_type(const CnWorld* world,
                                 CnJointId joint); // CN_JOINT_TYPE_COUNT: does not exist

// A joint as it was made. Where it is and what it carries: cn_joint_read().
typedef struct CnJointInfo {
    const char* name; // "" when it has none; valid as long as the joint
    CnJointType type;
    CnBodyId body_a, body_b;      // none: the immovable world
    CnTransform frame_a, frame_b; // in the axes of each body, from its centre of mass; of the
                                  // world: in the world
    bool free[CN_AXIS_COUNT];     // axes that cn_joint_set_axis() takes
    double length;                // distance, rope, pulley, rigid_link [m]; else 0
    double ratio, pitch;          // as in the def
    double offset;                // mimic, like the four after it
    CnJointId leader, follower;
    CnAxis leader_axis, follower_axis;
    double swing_limit, swing_limit_y;
    double strength, strength_torque;
    CnKeeping keep;
    bool collide;
    bool enabled;
    bool broken;
} CnJointInfo;
CN_API CnStatus cn_joint_info(const CnWorld* world, CnJointId joint, CnJointInfo* info);

// The joints of a body, the latest first. Returns how many there are, -1 when the body does not
// exist; at most capacity are written.
CN_API int cn_body_joints(const CnWorld* world, CnBodyId body, CnJointId* ids, int capacity);

// A joint that is not enabled has no effect: its bodies move as if it did not exist, but still do
// not collide unless its def allows it. When enabled again, it pulls its bodies back into place.
// CN_STALE, or CN_INVALID during a step.
CN_API CnStatus cn_joint_set_enabled(CnWorld* world, CnJointId joint, bool enabled);

// Ratio and offset of a mimic from the next step on, q = ratio q_leader + offset. Position errors
// are corrected by the step's stabilisation. CN_INVALID: the joint is no mimic, the ratio is 0, or
// other mimics already couple the two axes differently.
CN_API CnStatus cn_joint_set_ratio(CnWorld* world, CnJointId joint, double ratio, double offset,
                                   CnError* error);

// How the joint keeps its coordinates from the next step on.
CN_API CnStatus cn_joint_set_keeping(CnWorld* world, CnJointId joint, const CnKeeping* keep,
                                     CnError* error);

// The target of the motor of an axis from the next step on; the rest of the axis stays as it is.
CN_API CnStatus cn_joint_set_target(CnWorld* world, CnJointId joint, CnAxis axis, double target,
                                    CnError* error);

// What an axis does from the next step on: motors, limits, springs, friction. An axis that is not
// free is read as one with nothing but motion CN_AXIS_LOCKED.
CN_API CnStatus cn_joint_axis(const CnWorld* world, CnJointId joint, CnAxis axis,
                              CnJointAxis* settings);
CN_API CnStatus cn_joint_set_axis(CnWorld* world, CnJointId joint, CnAxis axis,
                                  const CnJointAxis* settings, CnError* error);

// A joint as it is now, with the forces of the last step: means over all parts of the step, along
// the axes of the joint at the end of the step. So a hinge has no torque about its axis except that
// of its motor, limits, spring and friction.
typedef struct CnJointState {
    CnTransform frame_a, frame_b;     // world
    double position[CN_AXIS_COUNT];   // of B's frame in A's: x y z [m], turns [rad]; turns about
                                      // free axes count on beyond half a turn
    double velocity[CN_AXIS_COUNT];   // [m/s], [rad/s]
    double axis_force[CN_AXIS_COUNT]; // of limits, motor, spring and friction on it [N or N m]; of
                                      // a mimic what it does to the follower's axis: the leader's
                                      // gets -ratio times as much
    // The rest is about one body: A, or B of a joint of one_body.
    CnVec3 force;          // of the whole joint on it, world axes [N]
    CnVec3 torque;         // of the whole joint on it, about its point there [N m]
    CnVec3 local_axes[3];  // {t1, t2, n}, world: of the frame that the joint measures in, which is
                           // A's, but for prescribed motion the one that carries its direction;
                           // between two points n leads from its own to the other
    CnVec3 local_force;    // R: force, along these axes [N]
    CnVec3 local_torque;   // torque, along the same axes [N m]
    CnVec3 local_velocity; // U: of its point relative to the other, along the same axes [m/s]; with
                           // one point in common R . U is the power that the joint's force gives
    CnVec3 local_spin;  // angular velocity relative to the other body, along the same axes [rad/s]
    double error;       // largest of what should be zero, rows with compliance left out [m]
    double angle_error; // the same of angles [rad]
    bool broken;
} CnJointState;
CN_API CnStatus cn_joint_read(const CnWorld* world, CnJointId joint, CnJointState* state);
