// soft_joints.h - scheme soft_step: joints and user constraints, from the world's rows to floats.
#pragma once

#include "world/soft/soft_pack.h"

// Blocks of all constraints that act, for the islands: bodies and numbers of rows. Mimics are
// refused.
CnStatus cn_soft_pose_joints(CnWorld* world, CnError* error);

// Keeps which constraints the groups are made for (false: no memory), and whether they are the
// same.
bool cn_soft_note_joints(CnWorld* world);
bool cn_soft_has_same_joints(const CnWorld* world);

// Whether the rows of a block go into a tile of eight, as a ball joint or a hinge.
typedef enum CnSoftJointForm {
    CN_SOFT_FORM_BLOCK,
    CN_SOFT_FORM_BALL,
    CN_SOFT_FORM_HINGE
} CnSoftJointForm;
CnSoftJointForm cn_soft_joint_form(const CnWorld* world, int block);

// What a sweep over the joints of a group needs.
typedef struct CnSoftJoints {
    CnWorld* world;
    CnSoftGroup* group;
    CnSoftBodies bodies;
    CnSoftRates rates;
    double ratio; // of impulses kept that are used
} CnSoftJoints;

// Where a body is within the step: with a row from it, others from the world.
CnBodyState cn_soft_state_now(const CnSoftJoints* joints, int body, int row);

// What a joint did in the step, for readers and for the next one: impulses of the last substep and
// of all, and the values of its rows; kept: bits of those that it keeps at zero.
void cn_soft_store_joint(const CnSoftJoints* joints, int block, const double* last,
                         const double* total, const double* value, unsigned kept);

// In the order of a step: rows of the start, then for each substep the impulses of the last step
// (first substep), a sweep that removes errors, and after bodies have moved one that does not; at
// the end stops return speed, and constraints get their impulses and errors.
void cn_soft_joints_begin(const CnSoftJoints* joints);
void cn_soft_joints_warm_start(const CnSoftJoints* joints);
void cn_soft_joints_go_on(const CnSoftJoints* joints);
void cn_soft_joints_push(const CnSoftJoints* joints);
void cn_soft_joints_relax(const CnSoftJoints* joints, int substep);
void cn_soft_joints_end(const CnSoftJoints* joints);
