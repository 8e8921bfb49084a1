// joint_plan.h - what each type of joint is made of: frames, rows kept at zero, axes left free.
#pragma once

#include "constraints/joints/joint_part.h"

// Sine of the angle between axes of a gear below which they are parallel [-].
#define CN_PARALLEL 1e-6

typedef struct CnJointPlan {
    CnJointFrames frames;
    bool swapped;                 // A and B of the frames are B and A of the def
    CnJointRow kept[CN_MAX_ROWS]; // lengths first, then angles
    int lengths, angles;
    bool free[CN_AXIS_COUNT]; // may have limits, a motor, a spring, friction
    CnJointRow axes[CN_AXIS_COUNT];
    bool has_limit; // besides those of the axes: rope, cone
    CnJointRow limit_row;
    double limit; // upper, of the row [m or rad]
} CnJointPlan;

// Is the coordinate of this free axis a lean, within [-pi, pi], and not an angle that counts on?
bool cn_joint_leans(const CnJointDef* def, CnAxis axis);

// For bodies in given states (the world is at rest at the origin), from a valid def. What
// prescribed motion needs of its series is left to the caller: rows in the order x, y, z of def.
CnJointPlan cn_joint_plan(const CnJointDef* def, const CnBodyState* a, const CnBodyState* b);
