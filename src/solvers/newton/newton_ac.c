// newton_ac.c - Newton's method on the Alart-Curnier equations, inside a proximal-point loop.
//
// Full steps: a line search stalls at the kinks of these equations.
// docs/theory/solvers/newton_ac.md.
#include "solvers/newton/proximal_newton.h"

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    const CnProximalRules rules = {&cn_solver_newton_ac, cn_linearise_alart_curnier,
                                   .searches = false};
    return cn_proximal_newton_prepare(memory, rules, def, problem, arena);
}

const CnSolver cn_solver_newton_ac = {
    .info =
        {
            .name = "newton_ac",
            .summary = "Alart-Curnier Newton in a proximal-point loop; any rank, any masses",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(CnProximalNewton),
    .prepare = prepare,
    .solve = cn_proximal_newton_solve,
};
