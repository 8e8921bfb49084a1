// budget.c - the default work budget of a solve.
#include "solvers/budget.h"

// Multiplications allowed to any problem, however small, and for each row on top of it.
#define LEAST_BUDGET 2e9
#define BUDGET_PER_ROW 1e6

double cn_budget_resolve(const CnProblem* problem, double asked) {
    return asked > 0.0 ? asked : LEAST_BUDGET + BUDGET_PER_ROW * problem->row_count;
}
