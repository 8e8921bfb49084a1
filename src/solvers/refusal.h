// refusal.h - saying which block a solver cannot do, and which solvers can.
#pragma once

#include "cairn/solver.h"

// CN_OK, or CN_UNSUPPORTED when a block has a law outside the mask of `solver`.
CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error);

// CN_OK, or CN_UNSUPPORTED when a contact has friction.
CnStatus cn_refuse_friction(const CnProblem* problem, const CnSolverInfo* solver, CnError* error);
