// relax.h - velocities at the end of a step, brought back to what constraints allow there.
#pragma once

#include "world/world.h"

// Equality constraints are posed once more at the end of the step, and the velocities projected
// onto what they allow, nearest in the mass metric: docs/theory/moreau.md (13). Does nothing in a
// world without them, nor under Baumgarte's rule, which wants the rates it asked for, nor when
// velocities are about to be thrown away (from_rest). Leaves its rows and impulses in
// world->correction.rows: none when it did nothing. states: those of bodies now, which stay as they
// are; NULL: to be read.
CnStatus cn_world_relax_velocities(CnWorld* world, const CnBodyState* states, bool from_rest,
                                   CnStepReport* report, CnError* error);

// The same for states on the way, whose velocities it replaces. not_converged of the report grows
// by the islands that missed the tolerance.
CnStatus cn_world_relax_states(CnWorld* world, double time, CnBodyState* states,
                               CnStepReport* report, CnError* error);

// The velocity (v, w) of a dynamic body after the relaxation; what that gave it is noted for the
// ledgers.
void cn_relax_body(CnWorld* world, int index, const double v[6]);
