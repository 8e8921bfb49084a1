// budget.h - how much work a solve may take, counted in multiplications, never in seconds.
//
// cn_solve() hands solvers a budget above 0 as CnSolverDef.work_budget. A solver adds what an
// iteration costs to CnSolverReport.work before it begins the iteration, begins none once the
// budget is spent, and leaves its best iterate; cn_solve() says why it stopped. A solver that calls
// another hands it the rest of the budget and adds its work to its own.
#pragma once

#include "cairn/solver.h"

// The budget asked for, or the default for this problem when it is 0.
double cn_budget_resolve(const CnProblem* problem, double asked);

static inline bool cn_budget_is_spent(const CnSolverDef* def, const CnSolverReport* report) {
    return report->work >= def->work_budget;
}
