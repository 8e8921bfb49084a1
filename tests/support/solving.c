// solving.c - one solver on one small problem, without the door: what it says, and what is true.
#include "support/solving.h"

#include "support/test.h"

static CnSolverDef make_def(double tolerance) {
    return (CnSolverDef){.tolerance = tolerance,
                         .preconditioner = CN_PRECONDITIONER_DIAGONAL,
                         .over_relaxation = 1.0};
}

CnSolverReport run_solver(const CnSolver* solver, Problem* problem, double tolerance,
                          CnSolution* solution) {
    CnArena arena;
    CnError error = {0};
    CnSolverDef def = make_def(tolerance);
    CnSolverReport report = {.outcome = CN_BROKE_DOWN, .redundant_block = -1};
    const CnProblem* view = problem_view(problem);

    cn_arena_init(&arena, NULL);
    *solution = problem_solution(problem);
    CHECK_INT(cn_problem_check(view, &error), CN_OK);
    void* state = cn_arena_allocate(&arena, 1, solver->state_size);
    CHECK_INT(solver->prepare(state, &def, view, &arena, &error), CN_OK);
    CHECK_INT(solver->solve(state, &def, view, &arena, solution, &report), CN_OK);
    cn_problem_certify(view, solution, NULL, &report.certificate);
    cn_arena_destroy(&arena);
    return report;
}

CnStatus refuse_solver(const CnSolver* solver, Problem* problem, CnError* error) {
    CnArena arena;
    CnSolverDef def = make_def(1e-8);
    cn_arena_init(&arena, NULL);
    void* state = cn_arena_allocate(&arena, 1, solver->state_size);
    CnStatus status = solver->prepare(state, &def, problem_view(problem), &arena, error);
    cn_arena_destroy(&arena);
    return status;
}
