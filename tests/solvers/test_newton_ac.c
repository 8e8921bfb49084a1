// test_newton_ac.c - Newton in a proximal loop where sweeps are slow: any rank, any mass ratio.
#include "cairn/cairn.h"
#include "support/problems.h"
#include "support/test.h"

static CnSolverReport solve(Problem* problem, CnSolution* solution, double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    def.name = "newton_ac";
    def.tolerance = tolerance;
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
}

// A box on four corners per level, each mass times the one below; free fall for one step.
static void build_stack(Problem* problem, int levels, double ratio, double fall) {
    double mass = 1.0;
    int below = -1;
    for (int i = 0; i < levels; ++i, mass *= ratio) {
        int box = problem_add_body(problem, 1.0 / mass, 6.0 / mass);
        problem->free_velocity[box][2] = -fall;
        for (int k = 0; k < 4; ++k) {
            double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
            problem_add_contact(problem, below, box, cn_vec3(x, y, 0.5), cn_vec3(x, y, -0.5), 0.6);
        }
        below = box;
    }
}

// Vertical impulse through the level: every fourth block from 4 * level on.
static double carried(const Problem* problem, const CnSolution* solution, int level) {
    double sum = 0.0;
    for (int k = 4 * level; k < 4 * level + 4; ++k) {
        sum += solution->impulse[problem->blocks[k].first_row];
    }
    return sum;
}

static void a_box_on_four_points_carries_its_weight(void) {
    Problem problem = {0};
    build_stack(&problem, 1, 1.0, 0.01);
    CnSolution solution = problem_solution(&problem);
    CHECK_INT(solve(&problem, &solution, 1e-12).outcome, CN_CONVERGED);
    CHECK_NEAR(carried(&problem, &solution, 0), 0.01, 1e-11); // m v, tolerance times m, four points
    problem_free(&problem);
}

static void heavy_on_light_is_solved_at_a_million_to_one(void) {
    Problem problem = {0};
    build_stack(&problem, 2, 1e6, 0.01);
    CnSolution solution = problem_solution(&problem);
    CnSolverReport report = solve(&problem, &solution, 1e-10);
    CHECK_INT(report.outcome, CN_CONVERGED);
    // (1 + 1e6) kg at 0.01 m/s; the certificate allows 1e-10 m/s on each body.
    CHECK_NEAR(carried(&problem, &solution, 0), 10000.01, 1e6 * 1e-10 * 8.0);
    CHECK_NEAR(carried(&problem, &solution, 1), 10000.0, 1e6 * 1e-10 * 8.0);
    problem_free(&problem);
}

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    Problem problem = {0};
    int ball = problem_add_body(&problem, 2.0, 0.0);
    CnVec3 none = {0.0, 0.0, 0.0};
    problem.free_velocity[ball][2] = -30.0;
    problem.free_velocity[ball][0] = -20.0;
    problem_add_contact(&problem, -1, ball, none, none, 0.3);
    CnSolution solution = problem_solution(&problem);
    CHECK_INT(solve(&problem, &solution, 1e-12).outcome, CN_CONVERGED);
    // W = 2 I: p_N = 30/2, p_T = 0.3 p_N; the convex relaxation would give 16.51 and 4.95.
    CHECK_NEAR(solution.impulse[0], 15.0, 1e-11);
    CHECK_NEAR(hypot(solution.impulse[1], solution.impulse[2]), 4.5, 1e-11);
    problem_free(&problem);
}

static void a_problem_too_large_for_a_dense_matrix_is_refused(void) {
    Problem problem = {0};
    int ball = problem_add_body(&problem, 1.0, 1.0);
    CnVec3 none = {0.0, 0.0, 0.0};
    for (int i = 0; i < 700; ++i) {
        problem_add_contact(&problem, -1, ball, none, none, 0.3);
    }
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    def.name = "newton_ac";
    problem.free_velocity[ball][2] = -1.0;
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error),
              CN_UNSUPPORTED);
    CHECK_INT(report.outcome, CN_REFUSED);
    CHECK_CONTAINS(error.message, "at most 2000 rows; the problem has 2100");
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

TEST_MAIN("solvers/newton_ac", TEST(a_box_on_four_points_carries_its_weight),
          TEST(heavy_on_light_is_solved_at_a_million_to_one),
          TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_problem_too_large_for_a_dense_matrix_is_refused))
