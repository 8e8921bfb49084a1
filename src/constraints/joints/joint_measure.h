// joint_measure.h - how two frames stand to each other: numbers, and how they change with velocity.
//
// A joint has a frame on each of its bodies. Every row of every joint measures one of the numbers
// below, or a sum of two of them. docs/theory/joints.md.
#pragma once

#include "cairn/body.h"

typedef enum CnMeasure {
    CN_MEASURE_X, // the point of B in A's frame [m]
    CN_MEASURE_Y,
    CN_MEASURE_Z,
    CN_MEASURE_SWING_X, // how z of B leans from z of A: a rotation vector, in A's frame [rad]
    CN_MEASURE_SWING_Y,
    CN_MEASURE_TWIST,    // how B is turned about z besides; counts on beyond half a turn [rad]
    CN_MEASURE_LEAN_X_Y, // the same with x in place of z, where x is the only free turn: how x of B
    CN_MEASURE_LEAN_X_Z, // leans, about y and about z [rad]
    CN_MEASURE_TWIST_X,  // and how B is turned about x
    CN_MEASURE_LEAN_Y_Z, // the same with y
    CN_MEASURE_LEAN_Y_X,
    CN_MEASURE_TWIST_Y,
    CN_MEASURE_CONE,     // length of the swing, with its y stretched by cone_stretch [rad]
    CN_MEASURE_SQUARE,   // z of A along x of B: 0 when they are square; sine of an angle
    CN_MEASURE_CARDAN_Z, // B = Rz Rx A when they are: the turn about z of A [rad]
    CN_MEASURE_CARDAN_X, // and that about x of B [rad]
    CN_MEASURE_LENGTH,   // from the point of A to that of B [m]
    CN_MEASURE_TURN_A,   // of A's frame about z of its home [rad]
    CN_MEASURE_TURN_B,
    CN_MEASURE_MOVE_A, // of A's point along z of its home [m]
    CN_MEASURE_MOVE_B,
    CN_MEASURE_REACH_A, // from the origin of its home to A's point [m]
    CN_MEASURE_REACH_B,
    CN_MEASURE_ALONG,   // from A's point to B's, along z of A's home [m]
    CN_MEASURE_ALONG_B, // the same, along z of B's frame [m]
    CN_MEASURE_POINT_A, // B's point seen from A: its angle about z of A's frame [rad]
    CN_MEASURE_POINT_B, // A's point seen from B [rad]
    CN_MEASURE_AXIS_A,  // z of B seen from A: its angle about z of A's frame [rad]
    CN_MEASURE_AXIS_B,  // z of A seen from B [rad]
    CN_MEASURE_COUNT
} CnMeasure;

typedef struct CnJointFrames {
    CnTransform a, b;           // on each body, from its centre of mass, body axes
    CnTransform home_a, home_b; // in the world: what some measures count from
    double cone_stretch;
} CnJointFrames;

// Where frames are and how they are turned, for bodies in given states.
typedef struct CnJointView {
    const CnJointFrames* frames;
    CnVec3 center_a, center_b;    // of mass [m]
    CnTransform frame_a, frame_b; // world
    CnVec3 axes_a[3], axes_b[3];  // world
} CnJointView;

CnJointView cn_joint_view(const CnJointFrames* frames, const CnBodyState* a, const CnBodyState* b);

// The value at the view. An angle that counts on is the one nearest to `near`.
double cn_measure_value(CnMeasure measure, const CnJointView* view, double near);

// += factor times how the value changes with (v, w) of A and of B.
void cn_measure_add_row(CnMeasure measure, const CnJointView* view, double factor, double row_a[6],
                        double row_b[6]);

// The axes {t1, t2, n} it is measured in, world: n is along what a length changes by.
void cn_measure_axes(CnMeasure measure, const CnJointView* view, CnVec3 axes[3]);

bool cn_measure_is_angle(CnMeasure measure);
bool cn_measure_counts_on(CnMeasure measure);   // an angle without bounds
bool cn_measure_is_lean(CnMeasure measure);     // a free angle within [-pi, pi]
bool cn_measure_is_grounded(CnMeasure measure); // seen from the world, not from the other body
