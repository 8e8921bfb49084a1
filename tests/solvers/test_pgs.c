// test_pgs.c - the scalar reference solver: known answers, fixed points, the box by name.
#include "cairn/solver.h"
#include "support/problems/problems.h"
#include "support/test.h"

static CnSolverReport solve(Problem* problem, CnSolverDef def, double* impulse) {
    CnSolution solution = problem_solution(problem);
    CnSolverReport report;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    CHECK(workspace != NULL);
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    memcpy(impulse, solution.impulse, (size_t)problem->row_count * sizeof(double));
    cn_workspace_destroy(workspace);
    return report;
}

static CnSolverDef pgs(double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    def.name = "pgs";
    def.tolerance = tolerance;
    return def;
}

// A point mass of 1 kg slides on the ground: p_N stops the fall of 2 m/s, friction takes mu p_N
// from the sideways speed of 3 m/s, which is more than that: p = (2, -0.8 d), d along (3, 4)/5.
static Problem sliding_point(double friction) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    const double v[6] = {3.0, 4.0, -2.0, 0.0, 0.0, 0.0};
    memcpy(problem.free_velocity[body], v, sizeof v);
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), friction);
    return problem;
}

static void a_sliding_point_feels_mu_times_its_weight_against_its_motion(void) {
    Problem problem = sliding_point(0.4);
    double p[3];
    CnSolverReport report = solve(&problem, pgs(1e-12), p);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_NEAR(p[0], 2.0, 1e-12);
    CHECK_NEAR(sqrt(p[1] * p[1] + p[2] * p[2]), 0.8, 1e-12);
    problem_free(&problem);
}

// The box allows 0.8 in each tangent: sqrt(2) too much along the diagonal. The tangents of a normal
// along z are x and y up to sign, so both saturate. What is left to the exact law is a residual of
// the size of the excess, 0.8 (sqrt(2) - 1) / 1 kg, since W = 1. The box itself is met: converged.
static void box_friction_is_labelled_and_its_price_is_shown(void) {
    Problem problem = sliding_point(0.4);
    double p[3];
    CnSolverDef def = pgs(1e-10);
    def.friction = CN_FRICTION_BOX;
    CnSolverReport report = solve(&problem, def, p);
    CHECK_STRING(report.approximation, "box friction");
    CHECK_NEAR(fabs(p[1]), 0.8, 1e-12);
    CHECK_NEAR(fabs(p[2]), 0.8, 1e-12);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK(report.error <= 1e-10);
    CHECK(report.certificate.worst > 0.1 && report.certificate.worst < 0.8 * sqrt(2.0));
    CHECK_NEAR(report.certificate.cone_violation, // distance from the cone: excess / sqrt(1 + mu^2)
               0.8 * (sqrt(2.0) - 1.0) / sqrt(1.0 + 0.16), 1e-12);
    problem_free(&problem);
}

// W = [2 0.5; 0.5 3], b = (1, 1.5): p = (9, 10) / 23 by Cramer's rule.
static void two_bounded_rows_have_a_known_answer(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0};
    const double b[2] = {1.0, 1.5};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    double p[2];
    solve(&problem, pgs(1e-14), p);
    CHECK_NEAR(p[0], 9.0 / 23.0, 1e-14);
    CHECK_NEAR(p[1], 10.0 / 23.0, 1e-14);
    problem_free(&problem);
}

// m dv = p with p = offset - slope v from rest: v = offset / (m + slope).
static void a_damper_slows_down_what_a_force_drives(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 0.5, 0.0); // 2 kg
    int block = problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
    problem_set_row(&problem, problem.blocks[block].first_row, cn_vec3(1, 0, 0), cn_vec3(0, 0, 0),
                    cn_vec3(0, 0, 0));
    problem.offset[0] = 10.0;
    problem.slope[0] = 3.0;
    double p[1];
    CnSolverReport report = solve(&problem, pgs(1e-14), p);
    CHECK(report.outcome == CN_CONVERGED);
    CHECK_NEAR(p[0], 2.0 * 10.0 / (2.0 + 3.0), 1e-14); // m v
    problem_free(&problem);
}

// A plain pair of blocks in series: over-relaxation changes the road, not the answer.
static void over_relaxation_keeps_the_answer(void) {
    const double a[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
    const double b[3] = {1, 2, 3};
    double reference[3], p[3];
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_EQUALITY, 3, a, b);
    CnSolverReport plain = solve(&problem, pgs(1e-12), reference);
    CnSolverDef def = pgs(1e-12);
    def.over_relaxation = 1.2; // near 2 / (1 + sin(pi / 4)), the best for this matrix
    CnSolverReport relaxed = solve(&problem, def, p);
    CHECK(relaxed.iterations < plain.iterations);
    for (int i = 0; i < 3; ++i) { // |W^-1| < 2: errors are at most twice the tolerance
        CHECK_NEAR(p[i], reference[i], 4e-12);
    }
    problem_free(&problem);
}

TEST_MAIN("solvers/pgs", TEST(a_sliding_point_feels_mu_times_its_weight_against_its_motion),
          TEST(box_friction_is_labelled_and_its_price_is_shown),
          TEST(two_bounded_rows_have_a_known_answer), TEST(a_damper_slows_down_what_a_force_drives),
          TEST(over_relaxation_keeps_the_answer))
