// applied.h - forces and impulses that a body was given for the next step.
#pragma once

#include "world/bodies/force.h"

// What was applied to a body; zeros when nothing was.
CnApplied cn_body_applied(const CnWorld* world, int body);

// Adds what was applied to the loads of a step under way.   [bodies]
void cn_world_add_applied(const CnWorld* world, CnLoad* loads);

void cn_body_forget_applied(CnWorld* world, int body);
void cn_world_forget_applied(CnWorld* world); // of all: the step has been made
