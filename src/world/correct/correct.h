// correct.h - position errors of a step: measured, and put back where asked.
#pragma once

#include "world/world.h"

// Moves bodies as world->def.step.stabilisation says (split_impulse, projection), then writes the
// errors that are left into the report: penetration, joint_error, positions, and the values of
// constraints.
CnStatus cn_world_correct_positions(CnWorld* world, CnStepReport* report, CnError* error);

// Under projection, puts predicted states on the constraints that keep, docs/theory/moreau.md (16).
// Where there is nothing to do, or it cannot be done, they stay as they are: *moved is false then.
CnStatus cn_world_correct_ahead(CnWorld* world, double time, CnBodyState* states, bool* moved,
                                CnStepReport* report, CnError* error);

// The errors at the present poses, into the report, and the values of constraints.
CnStatus cn_world_measure_positions(CnWorld* world, CnStepReport* report, CnError* error);
