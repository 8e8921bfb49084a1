// least_norm.h - of all forces with the same motion, those of least norm.
//
// docs/theory/least_norm.md.
#pragma once

#include "base/arena.h"
#include "solvers/solve/budget.h"

// `impulse` solves the problem, which has bodies or a response; speeds up to `slow` [m/s] count as
// zero. The momentum is matched as well as the budget allows: the caller grades. If *found is false
// the impulses are unchanged.
CnStatus cn_least_norm(const CnProblem* problem, double slow, const CnBudget* budget,
                       CnArena* arena, double* impulse, bool* found);
