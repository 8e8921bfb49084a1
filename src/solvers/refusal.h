// refusal.h - saying what a solver cannot do, and which solvers can.
#pragma once

#include "cairn/solver.h"

// CN_OK, or CN_UNSUPPORTED when a block has a law outside the mask of `solver`. A contact without
// friction is met by solvers of bounds too: its normal row pushes, its tangents do nothing.
CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error);

// CN_OK, or CN_UNSUPPORTED when the box is asked for in place of the cone.
CnStatus cn_refuse_box_friction(const CnSolverDef* def, const char* solver, CnError* error);
