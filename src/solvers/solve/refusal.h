// refusal.h - error messages for what a solver does not support, naming solvers that do.
#pragma once

#include "cairn/solver.h"

// CN_OK, or CN_UNSUPPORTED when `solver` does not support this approximation of friction. The exact
// law is always supported.
CnStatus cn_refuse_friction(CnFrictionModel friction, const CnSolverInfo* solver, CnError* error);

// CN_OK, or CN_UNSUPPORTED when `solver` does not have an option that the def asks for; *field (may
// be NULL) then names it.
CnStatus cn_refuse_options(const CnSolverDef* def, const CnSolverInfo* solver, const char** field,
                           CnError* error);

// CN_OK, or CN_UNSUPPORTED when `solver` does not support the friction of the problem, or the law
// of a block. Solvers of bounds also accept contacts without friction: the normal impulse is >= 0,
// the tangents are 0.
CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error);
