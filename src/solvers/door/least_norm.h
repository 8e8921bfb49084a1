// least_norm.h - of all forces that move everything the same way, those of least norm.
//
// docs/theory/least_norm.md.
#pragma once

#include "base/arena.h"
#include "solvers/door/budget.h"

// `impulse` answers the problem, which has bodies; speeds up to `slow` [m/s] count as none. The
// momentum is met as well as it can be within the budget: the
// caller grades. Where *found is false the impulses are
// as they were.
CnStatus cn_least_norm(const CnProblem* problem, double slow, const CnBudget* budget,
                       CnArena* arena, double* impulse, bool* found);
