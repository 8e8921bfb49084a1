// newton_fb.c - Newton's method on Fischer and Burmeister's function, with a line search.
//
// docs/theory/solvers/newton_fb.md; the proximal loop around it: docs/theory/solvers/newton_ac.md.
#include "solvers/newton/proximal_newton.h"

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    const CnProximalRules rules = {&cn_solver_newton_fb, cn_linearise_fischer_burmeister,
                                   .searches = true};
    return cn_proximal_newton_prepare(memory, rules, def, problem, arena);
}

const CnSolver cn_solver_newton_fb = {
    .info =
        {
            .name = "newton_fb",
            .summary = "Fischer-Burmeister Newton with a line search in a proximal-point loop",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .slow_at_mass_ratios = true,
            .exact = true,
        },
    .state_size = sizeof(CnProximalNewton),
    .prepare = prepare,
    .solve = cn_proximal_newton_solve,
};
