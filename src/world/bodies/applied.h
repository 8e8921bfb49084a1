// applied.h - forces and impulses that a body was given for the next step.
#pragma once

#include "world/bodies/force.h"

// What was applied to a body; zeros when nothing was.
CnApplied cn_body_applied(const CnWorld* world, int body);

// Adds what was applied to the loads of a step under way.   [bodies]
void cn_world_add_applied(const CnWorld* world, CnLoad* loads);

// Room for so many more bodies: cn_body_apply_load() then cannot run out of memory.
bool cn_world_reserve_applied(CnWorld* world, int more);

// A force and a torque about the centre of mass, world axes, on a body that exists.
CnStatus cn_body_apply_load(CnWorld* world, CnBodyId id, CnVec3 force, CnVec3 torque,
                            CnError* error);

void cn_body_forget_applied(CnWorld* world, int body);
void cn_world_forget_applied(CnWorld* world); // of all: the step has been made
