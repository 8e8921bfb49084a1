// step.h - the parts a step is made of.
#pragma once

#include "world/schemes/schemes.h"

// A step of length world->step.dt that may still be undone: all that has changed are the states.
CnStatus cn_step_attempt(CnWorld* world, CnAdvance* advance, CnStepReport* report, CnError* error);

// The attempt stands: it is graded and booked.
CnStatus cn_step_settle(CnWorld* world, CnStepReport* report, CnError* error);

// A report speaks of the whole step: the worst grade, the sum of work and time, the last counts.
void cn_step_append(CnStepReport* total, const CnStepReport* next);

// A substep of length world->step.dt from world->step.time in a world with fast bodies, cut at
// their impacts: docs/theory/continuous.md (7).
CnStatus cn_substep_with_cuts(CnWorld* world, const CnSchemeTable* scheme, CnStepReport* report,
                              CnError* error);
