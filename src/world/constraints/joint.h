// joint.h - joints in a world: each a few constraints that are made, read and broken together.
#pragma once

#include "constraints/joints/joint_types.h"
#include "world/world.h"

// The constraints of a joint, with null ids where it has none; returns how many there are.
#define CN_JOINT_PART_LIMIT (2 + CN_AXIS_PART_COUNT * CN_AXIS_COUNT)
int cn_joint_list_parts(const CnJoint* joint, CnConstraintId ids[CN_JOINT_PART_LIMIT]);

CnJointPart* cn_joint_part_at(const CnWorld* world, CnConstraintId id); // NULL: none

// mimic.c: whether a mimic with this def may be added, or, with the slot of one that is there,
// changed to it: its joints exist and its axes are free, and other mimics do not contradict it.
CnStatus cn_mimic_check(CnWorld* world, const CnJointDef* def, int slot, CnError* error);

// Makes a plan of the follower's frames, and bodies for the def of a mimic that passed the check.
CnJointPlan cn_mimic_plan(const CnWorld* world, CnJointDef* def);

// Adds the part of a mimic, whose joint is in place. On failure nothing has changed.
CnStatus cn_mimic_attach(CnWorld* world, CnJoint* joint, CnError* error);

// Tells the mimics of a joint whether they act, after it was enabled, disabled or broken.
void cn_mimic_refresh(CnWorld* world, CnJointId joint);

// Counts a mimic in, or out, with the joints that it ties.
void cn_mimic_count(CnWorld* world, const CnJoint* mimic, int change);

// Removes the mimics of a joint.
void cn_mimic_remove_all(CnWorld* world, CnJointId joint);

// As cn_world_add_constraint(), for a part of a joint.
CnConstraintId cn_world_add_joint_part(CnWorld* world, const CnConstraintDef* def, CnJointId joint,
                                       CnError* error);

// NULL: the axis is not free.
CnJointFreeAxis* cn_joint_free_axis(const CnJoint* joint, CnAxis axis);

CnJointView cn_joint_view_now(const CnWorld* world, const CnJoint* joint);

// A and B of the def that made the joint.
CnBodyId cn_joint_given_a(const CnJoint* joint);
CnBodyId cn_joint_given_b(const CnJoint* joint);

// The world is at rest at the origin.
const CnBodyState* cn_joint_body_state(const CnWorld* world, CnBodyId id);

// What a unit impulse along a row changes its rate by [1/kg or 1/(kg m^2)].
double cn_joint_row_response(const CnWorld* world, const CnJoint* joint, const CnJointRow* row);

// At the end of a step: joints that were loaded beyond their strength break, which is an event.
CnStatus cn_world_break_joints(CnWorld* world);

// After it: those that broke act no more, or, when the step failed in the end, did not break.
void cn_world_finish_joints(CnWorld* world, bool has_stepped);

// A call is about to move bodies, by any angle: turns are counted where the last step has ended.
void cn_world_count_turns_before_change(CnWorld* world);

// Removes the constraints of a joint; it stays to be read.
void cn_joint_remove_parts(CnWorld* world, CnJoint* joint);

// Frees what joints own, not their constraints.
void cn_world_free_joints(CnWorld* world);

CnStatus cn_validate_joint(const CnJointDef* def, const char** field, CnError* error);
// leans: the axis is a lean (CnMeasure).
CnStatus cn_validate_joint_axis(const CnJointAxis* axis, CnAxis which, bool leans,
                                const char** field, CnError* error);
