// newton_fb.c - Newton's method on Fischer and Burmeister's function, with a line search.
//
// docs/theory/newton_fb.md; the proximal loop around it: docs/theory/newton_ac.md.
#include "base/error.h"
#include "solvers/proximal_newton.h"

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    const CnProximalRules rules = {cn_linearise_fischer_burmeister, .searches = true};
    if (def->friction != CN_FRICTION_EXACT) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver newton_fb knows only the exact friction cone; pgs has the box");
    }
    return cn_proximal_newton_prepare(memory, rules, def, problem, arena);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)def;
    (void)problem;
    (void)arena;
    cn_proximal_newton_solve(memory, solution, report);
    return CN_OK;
}

const CnSolver cn_solver_newton_fb = {
    .info =
        {
            .name = "newton_fb",
            .summary = "Fischer-Burmeister Newton with a line search in a proximal-point loop",
            .laws = CN_ALL_LAWS,
            .exact = true,
        },
    .state_size = sizeof(CnProximalNewton),
    .prepare = prepare,
    .solve = solve,
};
