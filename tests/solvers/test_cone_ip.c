// test_cone_ip.c - the interior point where others stall, on every law, and on explicit responses.
#include "cairn/cairn.h"
#include "support/problems/problems.h"
#include "support/problems/solver_claims.h"
#include "support/test.h"

#include <stdio.h>

static CnSolverReport solve(const CnProblem* problem, CnSolution* solution, double tolerance,
                            CnErrorMeasure measure) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    def.name = "cone_ip";
    def.tolerance = tolerance;
    def.measure = measure;
    CnStatus status = cn_solve(problem, &def, workspace, solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
}

// The two piles that sweeps leave at 1e-7 and 6e-6 m/s.
static void piles_that_stall_sweeps_are_solved(void) {
    const char* const names[] = {"pile_72_settled", "pile_72_collapsing"};
    for (int i = 0; i < (UNDER_SANITIZER ? 1 : 2); ++i) {
        char path[400];
        CnError error = {0};
        snprintf(path, sizeof path, "%s/tests/problems/hard/%s.json", TEST_SOURCE_DIR, names[i]);
        CnOwnedProblem* owned = cn_problem_load(path, &error);
        ck_assert_msg(owned != NULL, "%s", error.message);
        const CnProblem* problem = cn_owned_problem_get(owned);
        CnSolution solution = {calloc((size_t)problem->row_count, sizeof(double)),
                               calloc((size_t)problem->body_count, sizeof(double[6]))};
        CnSolverReport report = solve(problem, &solution, 1e-8, CN_ERROR_VELOCITY);
        ck_assert_msg(report.outcome == CN_CONVERGED, "%s: %g m/s (%s)", names[i],
                      report.certificate.worst, report.remark);
        CHECK_CONTAINS(report.remark, "proximal stage");
        free(solution.impulse);
        free(solution.velocity);
        cn_owned_problem_destroy(owned);
    }
}

// One ball thrown along the ground: mu p_N of friction against the slip, and p_N = m v_N. The
// associated law would lift it instead.
static void a_sliding_ball_is_not_lifted(void) {
    Problem problem = {0};
    int ball = problem_add_body(&problem, 1.0, 2.5);
    CnVec3 center = cn_vec3(0.0, 0.0, 0.0);
    problem_add_contact(&problem, -1, ball, center, center, 0.3); // no arm: nothing turns
    problem.free_velocity[ball][0] = 5.0;
    problem.free_velocity[ball][2] = -1.0;
    CnSolution solution = problem_solution(&problem);
    CnSolverReport report = solve(problem_view(&problem), &solution, 1e-12, CN_ERROR_VELOCITY);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(solution.impulse[0], 1.0, 1e-11);              // N s; tolerance 1e-12 m/s, 1 kg
    CHECK_NEAR(solution.velocity[ball][0], 5.0 - 0.3, 1e-11); // m/s
    CHECK_NEAR(solution.velocity[ball][2], 0.0, 1e-11);
    problem_free(&problem);
}

// Nothing moves along the tangents, so the normals solve 2 a + b = 1, 1.5 a + 2 b = 1.
static void an_unsymmetric_response_is_solved_as_it_is(void) {
    Problem problem = {0};
    CnProblem view = problem_without_symmetry(&problem);
    CHECK_INT(cn_problem_check(&view, NULL), CN_OK);
    double impulse[4] = {0.0};
    CnSolution solution = {impulse, NULL};
    CnSolverReport report = solve(&view, &solution, 1e-12, CN_ERROR_RELATIVE);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(impulse[0], 0.4, 1e-11); // (2 - 1) / (4 - 1.5); error 1e-12 of |q|, condition 3
    CHECK_NEAR(impulse[2], 0.2, 1e-11); // (2 - 1.5) / (4 - 1.5)
    CHECK(report.certificate.fclib_error <= 1e-12 && report.certificate.scaled_error <= 1e-12);
    problem_free(&problem);
}

// A motor that may push with 1 N s, a stop, a spring, a joint and a contact on one row of bodies.
static void fill_mixed_problem(Problem* problem) {
    CnVec3 origin = cn_vec3(0.0, 0.0, 0.0), x = cn_vec3(1.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        int body = problem_add_body(problem, 1.0 / (1.0 + i), 1.0);
        problem->free_velocity[body][0] = i - 1.0;
        problem->free_velocity[body][2] = -0.5;
        problem_add_contact(problem, -1, body, origin, origin, 0.2 * i);
    }
    for (int i = 0; i < 3; ++i) {
        const CnLaw laws[3] = {CN_LAW_BOUNDS, CN_LAW_FORCE, CN_LAW_EQUALITY};
        int block = problem_add_block(problem, laws[i], 1, i, i + 1);
        problem_set_row(problem, problem->blocks[block].first_row, x, origin, origin);
    }
    problem->target[12] = 3.0;
    problem->upper[12] = 1.0;
    problem->offset[13] = 0.2;
    problem->slope[13] = 0.5;
}

static void every_law_is_met_at_once(void) {
    Problem problem = {0};
    fill_mixed_problem(&problem);
    CnSolution solution = problem_solution(&problem);
    const CnProblem* view = problem_view(&problem);
    CnSolverReport report = solve(view, &solution, 1e-11, CN_ERROR_VELOCITY);
    ck_assert_msg(report.outcome == CN_CONVERGED, "%g", report.certificate.worst);
    CHECK_NEAR(solution.impulse[12], 1.0, 1e-10); // the motor cannot do 3 m/s and gives its all
    double u[15];
    problem_row_velocity(view, solution.impulse, u);
    CHECK_NEAR(solution.impulse[13], 0.2 - 0.5 * u[13], 1e-10);
    CHECK_NEAR(u[14], 0.0, 1e-10);
    problem_free(&problem);
}

static void torsion_and_rolling_are_solved_with_sliding(void) {
    claim_wide_contact(cn_solver_find("cone_ip"), 1e-10);
}

static void running_out_of_memory_is_told(void) {
    Problem problem = {0};
    fill_mixed_problem(&problem);
    check_memory_failures(cn_solver_find("cone_ip"), &problem);
    problem_free(&problem);
}

TEST_MAIN("solvers/cone_ip", TEST(piles_that_stall_sweeps_are_solved),
          TEST(a_sliding_ball_is_not_lifted), TEST(an_unsymmetric_response_is_solved_as_it_is),
          TEST(every_law_is_met_at_once), TEST(torsion_and_rolling_are_solved_with_sliding),
          TEST(running_out_of_memory_is_told))
