// solving.c - runs one solver on one small problem and grades it.
#include "support/problems/solving.h"

#include "support/failing_allocator.h"
#include "support/test.h"

static CnSolverDef make_def(double tolerance) {
    return (CnSolverDef){.tolerance = tolerance,
                         .preconditioner = CN_PRECONDITIONER_DIAGONAL,
                         .over_relaxation = 1.0,
                         .work_budget = HUGE_VAL};
}

CnSolverReport solve_problem(Problem* problem, CnSolverDef def) {
    CnSolution solution = problem_solution(problem);
    CnSolverReport report;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    CHECK(workspace != NULL);
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
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
    cn_problem_velocity(view, solution->impulse, solution->velocity); // as cn_solve() does
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

static CnStatus solve_in(CnArena* arena, const CnSolver* solver, Problem* problem) {
    CnSolverDef def = make_def(1e-8);
    CnSolverReport report = {0};
    CnSolution solution = problem_solution(problem);
    const CnProblem* view = problem_view(problem);
    void* state = cn_arena_allocate(arena, 1, solver->state_size);
    if (state == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = solver->prepare(state, &def, view, arena, NULL);
    return status == CN_OK ? solver->solve(state, &def, view, arena, &solution, &report) : status;
}

void check_memory_failures(const CnSolver* solver, Problem* problem) {
    CnStatus status = CN_NO_MEMORY;
    int tries = 0;
    while (status != CN_OK) {
        FailingAllocator state = {.refuse_at = ++tries};
        CnAllocator allocator = failing_allocator(&state);
        CnArena arena;
        cn_arena_init(&arena, &allocator);
        status = solve_in(&arena, solver, problem);
        CHECK(status == CN_NO_MEMORY || state.requests < tries);
        cn_arena_destroy(&arena);
        CHECK_INT(state.live, 0);
    }
    CHECK(tries > 1);
}
