// test_auto.c - auto picks a solver that fits, says which, and does not give up early.
#include "cairn/solver.h"
#include "support/problems/piles.h"
#include "support/test.h"
#include <stdlib.h>

static CnSolverReport solve(Problem* problem, double tolerance) {
    CnSolution solution = problem_solution(problem);
    CnSolverDef def = cn_solver_def_default();
    def.tolerance = tolerance;
    CnSolverReport report;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
}

static void friction_goes_to_nsgs_and_the_remark_says_why(void) {
    Problem problem = {0};
    const double mass[3] = {1.0, 1.0, 1.0};
    pile_add_stack(&problem, 3, mass, 0.5, 1.0);
    CnSolverReport report = solve(&problem, 1e-10);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_STRING(report.solver, "nsgs");
    CHECK_CONTAINS(report.remark, "nsgs: 12 frictional contacts");
    CHECK_CONTAINS(report.remark, "sweeps");
    problem_free(&problem);
}

static void a_chain_of_joints_is_solved(void) {
    Problem problem = {0};
    pile_add_chain(&problem, 50, 1e4);
    CnSolverReport report = solve(&problem, 1e-10);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_CONTAINS(report.remark, "50 equality blocks");
    problem_free(&problem);
}

// Contacts without friction and a joint limit: bounds.
static void bounds_are_solved(void) {
    const double a[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
    const double b[3] = {1, -2, 3}; // the middle row opens: p = (1/2, 0, 3/2)
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 3, a, b);
    CnSolverReport report = solve(&problem, 1e-13);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_NEAR(problem.impulse[0], 0.5, 1e-13);
    CHECK_NEAR(problem.impulse[1], 0.0, 1e-13);
    CHECK_NEAR(problem.impulse[2], 1.5, 1e-13);
    problem_free(&problem);
}

// Two joints that ask for different velocities of one point: no answer exists. The least bad one is
// kept, the outcome says so, and every attempt was made.
static void a_contradiction_is_reported(void) {
    Problem problem = {0};
    problem_add_body(&problem, 1.0, 1.0);
    for (int i = 0; i < 2; ++i) {
        int block = problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, 0);
        problem.jacobian_b[problem.blocks[block].first_row][0] = 1.0;
    }
    problem.target[1] = 1.0;
    CnSolverReport report = solve(&problem, 1e-8);
    CHECK(report.outcome != CN_CONVERGED);
    CHECK(report.certificate.worst >= 0.5 && report.certificate.worst <= 1.0 + 1e-12);
    problem_free(&problem);
}

// Ten boxes, each twice as heavy as the one below: sweeps creep, and the next in line is
// asked.
static void what_sweeps_leave_goes_to_the_interior_point(void) {
    Problem problem = {0};
    double mass[10] = {1.0};
    for (int i = 1; i < 10; ++i) {
        mass[i] = 2.0 * mass[i - 1];
    }
    pile_add_stack(&problem, 10, mass, 0.5, 1.0);
    CnSolverReport report = solve(&problem, 1e-9);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_STRING(report.solver, "cone_ip");
    CHECK_CONTAINS(report.remark, "cone_ip: 40 frictional contacts; nsgs left ");
    problem_free(&problem);
}

// A chain that is dragged over the ground, its joints along their tree: the path of the interior
// point folds, which costs it more than 200 factorisations, and Newton is asked before it spends
// them. A round of the tree, 40 sweeps, 25 factorisations and at most 120 steps are what the
// attempts up to that may take.
static void what_folds_the_path_goes_to_newton(void) {
    CnError error = {0};
    CnOwnedProblem* owned = cn_problem_load(
        TEST_SOURCE_DIR "/tests/problems/hard/chain_dragged_on_the_ground.json", &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    const CnProblem* problem = cn_owned_problem_get(owned);
    CnSolution solution = {calloc((size_t)problem->row_count, sizeof(double)),
                           calloc((size_t)problem->body_count, sizeof(double[6]))};
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, &error), CN_OK);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_STRING(report.solver, "tree");
    CHECK(report.iterations <= 1 + 40 + 25 + 120);
    cn_workspace_destroy(workspace);
    free(solution.impulse);
    free(solution.velocity);
    cn_owned_problem_destroy(owned);
}

// A deadline that is over before anything started leaves time for the first attempt only.
static void after_the_deadline_nothing_new_is_started(void) {
    Problem problem = {0};
    double mass[10] = {1.0};
    for (int i = 1; i < 10; ++i) {
        mass[i] = 3.0 * mass[i - 1];
    }
    pile_add_stack(&problem, 10, mass, 0.5, 1.0);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    def.deadline = 1e-9;
    CnSolverReport report;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error), CN_OK);
    CHECK(report.outcome != CN_CONVERGED);
    CHECK_STRING(report.solver, "nsgs");
    def.deadline = -1.0;
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "deadline is -1 s");
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// The budget ends the first attempt: what it found is kept, and the velocities are those of its
// impulses, not of those it began with.
static void velocities_are_those_of_the_impulses_when_the_budget_is_over(void) {
    Problem problem = {0};
    double mass[20];
    for (int i = 0; i < 20; ++i) {
        mass[i] = 1.0;
    }
    pile_add_stack(&problem, 20, mass, 0.5, 1.0);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnCertificate certificate;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    def.work_budget = 1e5; // some sweeps of 80 contacts
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL), CN_OK);
    CHECK(report.outcome == CN_OUT_OF_BUDGET);
    CHECK(problem.impulse[0] > 0.0);
    cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
    CHECK_NEAR(certificate.velocity_defect, 0.0, 1e-14); // round-off of 1 m/s
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

TEST_MAIN("solvers/auto", TEST(velocities_are_those_of_the_impulses_when_the_budget_is_over),
          TEST(friction_goes_to_nsgs_and_the_remark_says_why), TEST(a_chain_of_joints_is_solved),
          TEST(bounds_are_solved), TEST(a_contradiction_is_reported),
          TEST(what_sweeps_leave_goes_to_the_interior_point),
          TEST(what_folds_the_path_goes_to_newton), TEST(after_the_deadline_nothing_new_is_started))
