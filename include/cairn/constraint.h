// constraint.h - constraints that users write themselves, for one body or two.
//
// A constraint is a function table: the error it measures, how that changes with velocity, and
// which multipliers it allows. The library does the rest. Check a new one with
// cn_constraint_check().
#pragma once

#include "cairn/body.h"

typedef struct CnConstraintId {
    uint32_t index, generation;
} CnConstraintId;

typedef struct CnJointId { // cairn/joint.h
    uint32_t index, generation;
} CnJointId;

#define CN_MAX_ROWS 6 // rows of one block

// What a row of a step's problem does, seen along its own direction.
typedef enum CnChannel {
    CN_CHANNEL_NORMAL, // contacts
    CN_CHANNEL_TANGENT_1,
    CN_CHANNEL_TANGENT_2,
    CN_CHANNEL_TORSION,
    CN_CHANNEL_ROLLING_1,
    CN_CHANNEL_ROLLING_2,
    CN_CHANNEL_JOINT_X, // kept coordinates of joints, in the order of CnAxis; between two points z
    CN_CHANNEL_JOINT_Y,
    CN_CHANNEL_JOINT_Z,
    CN_CHANNEL_JOINT_TURN_X,
    CN_CHANNEL_JOINT_TURN_Y,
    CN_CHANNEL_JOINT_TURN_Z,
    CN_CHANNEL_TRANSMISSION,   // two coordinates tied by a ratio: gears, racks, threads, pulleys
    CN_CHANNEL_LIMIT,          // of joints: ends of axes, ropes, cones
    CN_CHANNEL_MOTOR,          // to a speed, a position or a force
    CN_CHANNEL_SPRING,         // of joint axes
    CN_CHANNEL_JOINT_FRICTION, // dry friction of joint axes
    CN_CHANNEL_CONSTRAINT,     // all rows of user constraints
    CN_CHANNEL_COUNT
} CnChannel;

// "normal", "tangent_1", ... "joint_turn_z", ...
CN_API const char* cn_channel_name(CnChannel channel);

// The coordinates of the jacobian. Velocity: (v, w) of each body, 6 numbers, world axes, v of the
// centre of mass. Pose: (center, quaternion w x y z), 7 numbers; the library maps it to velocities.
typedef enum CnConstraintCoordinates {
    CN_COORDINATES_VELOCITY,
    CN_COORDINATES_POSE,
} CnConstraintCoordinates;

// All functions get the states of A and B (B is NULL for one body), the time [s] and `data`.
typedef struct CnConstraintKind {
    const char* name;      // shown in messages, never NULL
    int body_count;        // 1 or 2
    int dimension;         // rows, 1..CN_MAX_ROWS
    uint32_t angular_rows; // bit i: row i is in radians, not metres
    CnConstraintCoordinates coordinates;

    // value[dimension]: the error C, zero when satisfied [m or rad].
    void (*evaluate)(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value);

    // Row-major, dimension x (6 or 7): how C changes with A's and B's velocity (or pose).
    // Both are zero on entry; jacobian_b is NULL for one body.
    void (*jacobian)(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* jacobian_a, double* jacobian_b);

    // rate[dimension]: how C changes with time alone [1/s]. NULL: it does not.
    void (*time_rate)(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                      double* rate);

    // bias[dimension]: second derivative of C along the motion when accelerations are zero
    // (dJ/dt v + ...). NULL: taken by central differences.
    void (*acceleration_bias)(const CnBodyState* a, const CnBodyState* b, double time,
                              const void* data, double* bias);

    // Rows have a rate to keep but no position, whatever forces are allowed: a motor or a brake.
    bool rate_only;

    // Forces allowed: lower <= f <= upper [N or N m]. NULL: any (equality). Unilateral: [0, inf).
    void (*force_bounds)(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                         double* lower, double* upper);

    // Rows that yield: force -stiffness C - damping dC/dt as far as force_bounds allow, both >= 0
    // and zero on entry; a row with neither is rigid. Taken at the end of the step, so that no
    // stiffness is too much for a step: a motor that holds a position. NULL: all rows are rigid.
    // Such a kind must have force_bounds.
    void (*softness)(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* stiffness, double* damping);

    // Rows that are nothing but a force f(C, dC/dt) [N or N m], with its two derivatives: springs
    // and dampers. Taken at the middle of the step, second order. A row whose force grows with C
    // or its rate is taken at the start. NULL: none. Such a kind has no force_bounds.
    void (*force)(const double* value, const double* rate, double time, const void* data,
                  double* force, double* by_value, double* by_rate);

    // restitution[dimension]: share of the speed, [0, 1], that one-sided rows return when they
    // close faster than the world's restitution_threshold; zero on entry. NULL: none.
    void (*restitution)(double time, const void* data, double* restitution);

    // Called once at the end of every step, with the states there: what the constraint remembers.
    // The other functions see the data as it was left. NULL: it remembers nothing.
    void (*advance)(const CnBodyState* a, const CnBodyState* b, double time, void* data);

    // Whether the constraint acts now. NULL: always.
    bool (*is_active)(const CnBodyState* a, const CnBodyState* b, double time, const void* data);

    // Whether its rows lean on the immovable world besides A and B, as gears do on their bearings:
    // what A gets need not be what B gives, and ledgers book it as external. NULL: they do not.
    bool (*is_grounded)(const void* data);
} CnConstraintKind;

// How rows that keep an error C at zero do it: equalities, that is kept coordinates of joints,
// prescribed motion, and kinds with neither force nor force_bounds. docs/theory/joints.md (17),
// (18).
typedef struct CnKeeping {
    double compliance; // rows in metres give way: C = -compliance force [m/N]; default 0: rigid
    double compliance_turn; // rows in radians: C = -compliance_turn torque [rad/(N m)]; default 0
    double alpha;           // gain on C in scheme `acceleration`, of limits too [1/s^2], default 10
    double beta;            // gain on dC/dt there [1/s], default 10: with alpha a damping ratio of
                            // beta / (2 sqrt(alpha)) = 1.58, errors fade by a factor e in 0.9 s
} CnKeeping;

// Start from cn_constraint_def_default().
typedef struct CnConstraintDef {
    const char* name;             // shown in reports; copied, may be NULL
    const CnConstraintKind* kind; // must outlive the constraint
    CnBodyId body_a;  // for two bodies one of them may be none: the immovable world, whose
    CnBodyId body_b;  // state is at rest at the origin
    const void* data; // copied: data_size bytes
    size_t data_size;
    bool collide; // two bodies: default false, they do not collide as long as the constraint is
                  // there, active or not
    CnKeeping keep;
    uint32_t guard;
} CnConstraintDef;

CN_API CnConstraintDef cn_constraint_def_default(void);

// A constraint as it was made, and what it may do now. Forces and errors: cn_constraint_read().
typedef struct CnConstraintInfo {
    const char* name; // "" when it has none; valid as long as the constraint
    const CnConstraintKind* kind;
    CnBodyId body_a, body_b; // none: the immovable world; body_b of a kind for one body is none
    CnJointId joint;         // that it is a part of; none: it was added by itself
    bool active;             // at the present states and time
    int rows;                // kind->dimension
    double lower[CN_MAX_ROWS], upper[CN_MAX_ROWS]; // forces allowed now [N or N m]; infinite: any
    CnKeeping keep;
} CnConstraintInfo;

// How far the functions of a kind disagree with finite differences at one state.
typedef struct CnConstraintCheck {
    double jacobian_error;          // largest absolute difference, entries of J
    double time_rate_error;         // [unit of C / s]
    double acceleration_bias_error; // [unit of C / s^2]; 0 when the kind has no such function
    double force_error;             // derivatives of the force; 0 when the kind has none
} CnConstraintCheck;

CN_API CnStatus cn_constraint_check(const CnConstraintKind* kind, const CnBodyState* a,
                                    const CnBodyState* b, double time, const void* data,
                                    CnConstraintCheck* check, CnError* error);

// Examples written through this interface, for use and for copying (src/constraints/).

// |x_b - x_a| = length, between points carried by two bodies.
typedef struct CnDistanceData {
    CnVec3 point_a, point_b; // from each centre of mass, body axes [m]
    double length;           // [m], > 0
} CnDistanceData;
CN_API const CnConstraintKind* cn_distance_kind(void);

// |x_a - anchor| = length, one body and a fixed point of the world.
typedef struct CnAnchorDistanceData {
    CnVec3 point_a; // from the centre of mass, body axes [m]
    CnVec3 anchor;  // world [m]
    double length;  // [m], > 0
} CnAnchorDistanceData;
CN_API const CnConstraintKind* cn_anchor_distance_kind(void);

// A point of the body stays at a fixed point of the world: three rows.
typedef struct CnPinData {
    CnVec3 point_a; // from the centre of mass, body axes [m]
    CnVec3 anchor;  // world [m]
} CnPinData;
CN_API const CnConstraintKind* cn_pin_kind(void);

// Q . Q = 1, in pose coordinates. No velocity can violate it, so its row is identically zero: it
// takes no impulse and only reports how far the integrator has left the unit sphere. No data.
CN_API const CnConstraintKind* cn_unit_quaternion_kind(void);
