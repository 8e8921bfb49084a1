// joint_types.h - the table of joint types: what a type needs, and what it is made of.
//
// A type is one line of the table in joint_types.c; its functions are in the file of its family
// (frame_joints.c, universal_joint.c, ...). CONTRIBUTING.md has the recipe for a new one.
#pragma once

#include "constraints/joints/joint_part.h"

// What a joint is made of, for bodies in given states. Points into nothing; made once, when a joint
// is added.
typedef struct CnJointPlan {
    CnJointFrames frames;
    bool swapped;                 // A and B of the frames are B and A of the def
    CnJointRow kept[CN_MAX_ROWS]; // rows held at zero: lengths first, then angles
    int lengths, angles;
    bool free[CN_AXIS_COUNT]; // may have limits, a motor, a spring, friction
    CnJointRow axes[CN_AXIS_COUNT];
    CnJointAxis settings[CN_AXIS_COUNT]; // what the def says about them
    bool is_spring;                      // the free axis has a spring, whatever its settings
    bool has_limit;                      // besides those of the axes: rope, cone
    CnJointRow limit_row;
    double limit;  // upper, of the row [m or rad]
    double length; // kept or allowed, of joints between two points [m]; else 0
} CnJointPlan;

// A plan in the making: what the functions of a family work on.
typedef struct CnJointDraft {
    const CnJointDef* def;
    const CnBodyState *a, *b; // of the frames
    CnVec3 point_a, point_b;  // world [m]
    CnJointPlan* plan;
} CnJointDraft;

// Members of CnJointDef beyond type, bodies, point_a, strength and collide, for `uses` and `needs`.
enum {
    CN_USES_POINT = 1 << 0, // point_a; a gear that is seen from the world can do without
    CN_USES_POINT_B = 1 << 1,
    CN_USES_AXIS = 1 << 2,
    CN_USES_AXIS_B = 1 << 3,
    CN_USES_ANCHORS = 1 << 4,
    CN_USES_LENGTH = 1 << 5,
    CN_USES_RATIO = 1 << 6,
    CN_USES_PITCH = 1 << 7,
    CN_USES_SWING_LIMITS = 1 << 8,
    CN_USES_SERIES = 1 << 9, // series and series3: prescribed motion
    CN_USES_DIRECTION = 1 << 10,
    CN_USES_SPRING = 1 << 11,      // spring, spring_table and stroke
    CN_USES_ONE_AXIS = 1 << 12,    // its one free axis is type->main_axis
    CN_USES_AXES = 1 << 13,        // it has more than one free axis
    CN_USES_AXIS_MOTION = 1 << 14, // motion of each axis: whether it is free
    CN_USES_LINE = 1 << 15,        // the line from point_a to point_b, which needs a direction
    CN_USES_FROM_REST = 1 << 16,
    CN_USES_JOINTS = 1 << 17,    // leader and follower; no bodies of its own
    CN_USES_JOINT_AXES = 1 << 18 // leader_axis, follower_axis, offset
};

typedef struct CnJointTypeInfo {
    const char* name; // as in scenes
    unsigned uses;    // bits CN_USES_...
    unsigned needs;   // those of them without a default; with point_b, two_points is the default
    CnAxis main_axis; // with CN_USES_ONE_AXIS or CN_USES_SPRING
    CnDirection direction; // default
    CnCourseOrder course;  // prescribed motion: what its series says

    // Frames, rows kept and axes left free, from a valid def. NULL: those of another joint.
    void (*plan)(CnJointDraft* draft);

    // What the def must satisfy besides what all joints need. NULL: nothing.
    CnStatus (*validate)(const CnJointDef* def, const char** field, CnError* error);
} CnJointTypeInfo;

// NULL: there is no such type.
const CnJointTypeInfo* cn_joint_type_info(CnJointType type);

// For bodies in given states (the world is at rest at the origin), from a valid def. The courses of
// prescribed motion are left to the caller: rows in the order x, y, z of the def.
CnJointPlan cn_joint_plan(const CnJointDef* def, const CnBodyState* a, const CnBodyState* b);

// ---- families ----

void cn_plan_ball(CnJointDraft* draft); // frame_joints.c
void cn_plan_hinge(CnJointDraft* draft);
void cn_plan_slider(CnJointDraft* draft);
void cn_plan_cylindrical(CnJointDraft* draft);
void cn_plan_planar(CnJointDraft* draft);
void cn_plan_weld(CnJointDraft* draft);
void cn_plan_six_axis(CnJointDraft* draft);
void cn_plan_screw(CnJointDraft* draft);

void cn_plan_universal(CnJointDraft* draft); // universal_joint.c
CnStatus cn_validate_universal(const CnJointDef* def, const char** field, CnError* error);

void cn_plan_distance(CnJointDraft* draft); // line_joints.c
void cn_plan_rope(CnJointDraft* draft);
void cn_plan_rigid_link(CnJointDraft* draft);
void cn_plan_spring(CnJointDraft* draft);
CnStatus cn_validate_spring(const CnJointDef* def, const char** field, CnError* error);

void cn_plan_gear(CnJointDraft* draft); // gear_joints.c
void cn_plan_rack_and_pinion(CnJointDraft* draft);
CnStatus cn_validate_gear(const CnJointDef* def, const char** field, CnError* error);
CnStatus cn_validate_rack_and_pinion(const CnJointDef* def, const char** field, CnError* error);

CnStatus cn_validate_mimic(const CnJointDef* def, const char** field, CnError* error);

void cn_plan_pulley(CnJointDraft* draft); // pulley_joint.c
CnStatus cn_validate_pulley(const CnJointDef* def, const char** field, CnError* error);

void cn_plan_fix_point(CnJointDraft* draft); // prescribed_joints.c
void cn_plan_fix_direction(CnJointDraft* draft);
void cn_plan_prescribed(CnJointDraft* draft);
CnStatus cn_validate_fixed(const CnJointDef* def, const char** field, CnError* error);
CnStatus cn_validate_prescribed(const CnJointDef* def, const char** field, CnError* error);
