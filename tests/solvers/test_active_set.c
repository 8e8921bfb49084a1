// test_active_set.c - the active-set solver keeps every promise of an exact solver of bounds.
#include "support/problems/pivoting_claims.h"

#define PIVOTING_SOLVER cn_solver_active_set
PIVOTING_LIST(PIVOTING_CASE)

static void a_perfect_guess_is_kept(void) {
    Problem problem = {0};
    CnSolution solution;
    CnArena arena;
    fill_random_problem(&problem, 5, 5, 25, 0.5);
    run_solver(&cn_solver_active_set, &problem, 1e-10, &solution);
    double answer[25];
    memcpy(answer, solution.impulse, sizeof answer);

    CnSolverDef def = {.tolerance = 1e-10, .warm_start = true, .work_budget = HUGE_VAL};
    CnSolverReport report = {0};
    cn_arena_init(&arena, NULL);
    void* state = cn_arena_allocate(&arena, 1, cn_solver_active_set.state_size);
    const CnProblem* view = problem_view(&problem);
    CHECK_INT(cn_solver_active_set.prepare(state, &def, view, &arena, NULL), CN_OK);
    CHECK_INT(cn_solver_active_set.solve(state, &def, view, &arena, &solution, &report), CN_OK);
    CHECK_INT(report.iterations, 1); // one step to see that nothing moves
    for (int i = 0; i < 25; ++i) {
        CHECK_NEAR(solution.impulse[i], answer[i], 1e-12);
    }
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

static void out_of_pivots_says_so(void) {
    Problem problem = {0};
    CnArena arena;
    fill_random_problem(&problem, 6, 5, 30, 0.5);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = {.tolerance = 1e-10, .max_iterations = 2, .work_budget = HUGE_VAL};
    CnSolverReport report = {0};
    cn_arena_init(&arena, NULL);
    void* state = cn_arena_allocate(&arena, 1, cn_solver_active_set.state_size);
    const CnProblem* view = problem_view(&problem);
    CHECK_INT(cn_solver_active_set.prepare(state, &def, view, &arena, NULL), CN_OK);
    CHECK_INT(cn_solver_active_set.solve(state, &def, view, &arena, &solution, &report), CN_OK);
    CHECK_INT(report.outcome, CN_OUT_OF_ITERATIONS);
    CHECK_CONTAINS(report.remark, "out of pivots");
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

TEST_MAIN("solvers/active_set", PIVOTING_LIST(PIVOTING_TEST) TEST(a_perfect_guess_is_kept),
          TEST(out_of_pivots_says_so))
