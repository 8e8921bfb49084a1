// refusal.h - saying what a solver cannot do, and which solvers can.
#pragma once

#include "cairn/solver.h"

// CN_OK, or CN_UNSUPPORTED when `solver` has not this approximation of friction by name. The exact
// law is none.
CnStatus cn_refuse_friction(CnFrictionModel friction, const CnSolverInfo* solver, CnError* error);

// CN_OK, or CN_UNSUPPORTED when `solver` has not the friction of the problem, or a block has a law
// outside its mask. A contact without friction is met by solvers of bounds too: its normal row
// pushes, its tangents do nothing.
CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error);
