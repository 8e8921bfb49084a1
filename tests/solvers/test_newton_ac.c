// test_newton_ac.c - Newton in a proximal loop where sweeps are slow: any rank, any mass ratio.
#include "cairn/cairn.h"
#include "support/problems/solver_claims.h"
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
    claim_coulomb_and_not_the_convex_cone(&cn_solver_newton_ac, 1e-11); // W = 2
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_newton_ac, 1e-11);
}

static void torsion_and_rolling_are_solved_too(void) {
    claim_wide_contact(&cn_solver_newton_ac, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_newton_ac);
}

// 700 balls that roll one over the other on a floor: 4197 rows, of which each meets a dozen. A
// dense matrix would take 140 MB and minutes.
static void thousands_of_rows_are_solved_because_few_meet(void) {
    Problem problem = {0};
    const int count = UNDER_SANITIZER ? 100 : 700;
    for (int i = 0, before = -1; i < count; ++i) {
        int ball = problem_add_body(&problem, 1.0, 2.5);
        problem.free_velocity[ball][0] = 0.1 * (i % 7);
        problem.free_velocity[ball][2] = -0.05 * (1 + i % 3);
        problem_add_contact(&problem, -1, ball, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, -1.0),
                            0.3);
        if (before >= 0) {
            problem_add_contact(&problem, before, ball, cn_vec3(1.0, 0.0, 0.0),
                                cn_vec3(-1.0, 0.0, 0.0), 0.5);
        }
        before = ball;
    }
    CnSolution solution = problem_solution(&problem);
    CHECK_INT(solve(&problem, &solution, 1e-10).outcome, CN_CONVERGED);
    problem_free(&problem);
}

TEST_MAIN("solvers/newton_ac", TEST(a_box_on_four_points_carries_its_weight),
          TEST(heavy_on_light_is_solved_at_a_million_to_one),
          TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_too), TEST(running_out_of_memory_is_a_status),
          TEST(thousands_of_rows_are_solved_because_few_meet))
