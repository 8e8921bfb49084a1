// measure.h - how two frames stand to each other: numbers, and how they change with velocity.
//
// A joint has a frame on each of its bodies. Every row of every joint is a measure, or a sum of
// two. A measure is a table of functions: those that several families of joints use are declared
// here, the others are in the file of their family. docs/theory/joints.md.
#pragma once

#include "cairn/body.h"

typedef struct CnJointFrames {
    CnTransform a, b;           // on each body, from its centre of mass, body axes
    CnTransform home_a, home_b; // in the world: what grounded measures count from
    double cone_stretch;        // ball: swing limit about x by that about y
} CnJointFrames;

// Where frames are and how they are turned, for bodies in given states.
typedef struct CnJointView {
    const CnJointFrames* frames;
    CnVec3 center_a, center_b;    // of mass [m]
    CnTransform frame_a, frame_b; // world
    CnVec3 axes_a[3], axes_b[3];  // world
} CnJointView;

CnJointView cn_joint_view(const CnJointFrames* frames, const CnBodyState* a, const CnBodyState* b);

typedef struct CnMeasure CnMeasure;
struct CnMeasure {
    // [m or rad]. Of an angle that counts on, any of its turns.
    double (*value)(const CnMeasure* self, const CnJointView* view);

    // += factor times how the value changes with (v, w) of A and of B.
    void (*add_row)(const CnMeasure* self, const CnJointView* view, double factor, double row_a[6],
                    double row_b[6]);

    // The axes {t1, t2, n} that forces of the joint are shown in, world. NULL: those of A's frame.
    void (*axes)(const CnMeasure* self, const CnJointView* view, CnVec3 axes[3]);

    int axis;               // which one, where there is a choice (0 x, 1 y, 2 z)
    int part;               // of the measure, where it has several; each family says which
    bool is_angle;          // [rad], not [m]
    bool counts_on;         // an angle without bounds: it goes on beyond half a turn
    bool leans;             // a free angle within [-pi, pi]
    bool is_grounded;       // measured from the world, not from the other body
    bool is_between_points; // along the line between the two points
};

// The value at the view. An angle that counts on is the one nearest to `near`.
double cn_measure_value(const CnMeasure* measure, const CnJointView* view, double near);
double cn_measure_turns(double value, double near); // of an angle whose value is known

// The same of any measure whose value is known. Nearer than half a turn there are no turns to
// count, and no division to wait for; a sum with zero turns makes 0 of -0, and so does that with 0.
static inline double cn_measure_count(const CnMeasure* measure, double value, double near) {
    return !measure->counts_on        ? value
           : fabs(near - value) < 3.0 ? value + 0.0
                                      : cn_measure_turns(value, near);
}

void cn_measure_axes(const CnMeasure* measure, const CnJointView* view, CnVec3 axes[3]);

// Measures that several families use.
extern const CnMeasure cn_measure_offset[3]; // the point of B in A's frame [m]
extern const CnMeasure cn_measure_twist;     // how B is turned about z besides its swing [rad]
extern const CnMeasure cn_measure_square;    // z of A along x of B: of a cross
extern const CnMeasure cn_measure_along;     // from A's point to B's, along z of A's home [m]
extern const CnMeasure cn_measure_along_b;   // the same along z of B's frame [m]

// For writing measures. An angle of one frame about an axis of another (2: z), some turn of it, and
// the vector g of its rate g . w, world.
double cn_twist_angle(CnQuat from, CnQuat to, int axis);
CnVec3 cn_twist_gradient(CnQuat from, CnQuat to, int axis);

// The angle atan2(v . s, v . c) of an axis v of B in a plane of A, or of A's in B's with sign -1;
// and the vector g of its rate g . (w_b - w_a).
typedef struct CnDial {
    CnVec3 v, c, s;
    double sign; // of the relative angular velocity
} CnDial;
double cn_dial_angle(CnDial dial);
CnVec3 cn_dial_gradient(CnDial dial);

CnVec3 cn_joint_offset(const CnJointView* view); // from A's point to B's
CnVec3 cn_direction_or_z(CnVec3 d);              // unit; z when d is zero

// row += factor (direction, moment).
void cn_joint_add_row(double row[6], double factor, CnVec3 direction, CnVec3 moment);

// row = factor (direction, moment), to the same bits as adding it to zero: no negative zeros.
static inline void cn_joint_set_row(double row[6], double factor, CnVec3 direction, CnVec3 moment) {
    row[0] = 0.0 + factor * direction.x;
    row[1] = 0.0 + factor * direction.y;
    row[2] = 0.0 + factor * direction.z;
    row[3] = 0.0 + factor * moment.x;
    row[4] = 0.0 + factor * moment.y;
    row[5] = 0.0 + factor * moment.z;
}

// Rate factor g . (w_b - w_a).
void cn_joint_add_turn(CnVec3 g, double factor, double row_a[6], double row_b[6]);
// Rate factor n . (velocity of B's point - velocity of the point of A that is at `at`).
void cn_joint_add_point(const CnJointView* view, CnVec3 at, CnVec3 n, double factor,
                        double row_a[6], double row_b[6]);
// Rate factor n . velocity of a point that the body with this centre carries.
void cn_joint_add_carried(CnVec3 point, CnVec3 center, CnVec3 n, double factor, double row[6]);
// Rate of n . (x_b - x_a) with n carried by B, which turns with B about A's point.
void cn_joint_add_along_b(const CnJointView* view, CnVec3 n, double factor, double row_a[6],
                          double row_b[6]);
