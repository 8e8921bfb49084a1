// schemes.h - how time advances: one file per scheme and one table.
#pragma once

#include "world/world.h"

// One substep of length world->step.dt from world->step.time. Fills the report but the grades that
// step.c adds for every scheme. On failure the bodies may be anywhere: the caller undoes.
typedef CnStatus CnSchemeFunction(CnWorld* world, CnStepReport* report, CnError* error);

CnSchemeFunction cn_scheme_moreau;
CnSchemeFunction cn_scheme_quasi_static;
CnSchemeFunction cn_scheme_acceleration;

// Velocity-level time stepping, shared by moreau and quasi_static.
CnStatus cn_scheme_velocity_step(CnWorld* world, double theta, bool from_rest, CnStepReport* report,
                                 CnError* error);

// Seconds since *mark into the stage's account; moves the mark.
void cn_stage_end(CnStepReport* report, CnStage stage, double* mark);
