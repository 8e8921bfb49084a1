// budget.h - how much work a solve may take, counted in multiplications, never in seconds.
//
// cn_solve() hands solvers a budget above 0 as CnSolverDef.work_budget. A solver adds what an
// iteration costs to CnSolverReport.work before it begins the iteration, begins none once the
// budget is spent and no factorisation that does not fit into what is left, and leaves its best
// iterate; cn_solve() says why it stopped. A solver that calls another hands it the rest of the
// budget and adds its work to its own. docs/theory/budget.md.
#pragma once

#include "cairn/solver.h"
#include "solvers/solve/deadline.h"

// The remaining budget, for functions called by a solver.
typedef struct CnBudget {
    double limit;    // multiplications in all
    double* work;    // done so far; usually CnSolverReport.work
    double deadline; // solvers/solve/deadline.h
} CnBudget;

static inline CnBudget cn_budget_of(const CnSolverDef* def, CnSolverReport* report) {
    return (CnBudget){def->work_budget, &report->work, def->deadline};
}

// The budget is spent or the deadline has passed: nothing may begin.
static inline bool cn_budget_is_over(const CnBudget* budget) {
    return *budget->work >= budget->limit || cn_deadline_is_over(budget->deadline);
}

// Whether work that is begun and then finished stays within the budget.
static inline bool cn_budget_allows(const CnBudget* budget, double work) {
    return *budget->work + work <= budget->limit;
}

static inline void cn_budget_spend(const CnBudget* budget, double work) {
    *budget->work += work;
}

static inline bool cn_budget_is_spent(const CnSolverDef* def, const CnSolverReport* report) {
    return report->work >= def->work_budget;
}

// The budget asked for, or the default for this problem when it is 0: of a problem that is solved
// alone, and of one that is a part of a world's step. docs/theory/budget.md (7), (8).
double cn_budget_resolve(const CnProblem* problem, double asked);
double cn_budget_of_step(const CnProblem* problem, const CnSolverDef* def);

// Costs in multiplications: of u = W p + q for all rows, of a certificate, and of solving each
// block once. docs/theory/budget.md (1)-(3).
double cn_cost_of_velocities(const CnProblem* problem);
double cn_cost_of_certificate(const CnProblem* problem);
double cn_cost_of_sweep(const CnProblem* problem);
