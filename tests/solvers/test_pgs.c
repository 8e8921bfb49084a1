// test_pgs.c - the scalar reference solver: known answers, fixed points, the box by name.
#include "cairn/solver.h"
#include "support/problems/solving.h"
#include "support/test.h"

static CnSolverReport solve(Problem* problem, CnSolverDef def, double* impulse) {
    CnSolverReport report = solve_problem(problem, def);
    memcpy(impulse, problem->impulse, (size_t)problem->row_count * sizeof(double));
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

// The same A and b given as W: nothing but sums over its rows. The contraction of a sweep is
// A_12^2 / (A_11 A_22) = 1/24, so that 1e-14 takes about ten sweeps.
static void an_explicit_matrix_needs_no_bodies(void) {
    const int start[3] = {0, 2, 4}, column[4] = {0, 1, 0, 1};
    const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    const CnResponse response = {start, column, a};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    CnProblem explicit_problem = *problem_view(&problem);
    CnBlock blocks[2] = {problem.blocks[0], problem.blocks[1]};
    blocks[0].body_a = blocks[0].body_b = blocks[1].body_a = blocks[1].body_b = -1;
    explicit_problem.blocks = blocks;
    explicit_problem.body_count = 0;
    explicit_problem.response = &response;
    explicit_problem.jacobian_a = explicit_problem.jacobian_b = NULL;
    explicit_problem.target = b;
    double p[2] = {0.0};
    CnSolution solution = {p, NULL};
    CnSolverReport report;
    CnError error = {0};
    CnSolverDef def = pgs(1e-14);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_problem_check(&explicit_problem, &error), CN_OK);
    CHECK_INT(cn_solve(&explicit_problem, &def, workspace, &solution, &report, &error), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], 9.0 / 23.0, 1e-14);
    CHECK_NEAR(p[1], 10.0 / 23.0, 1e-14);
    CHECK(report.iterations <= 20);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// Every sweep divides the error by 24, so a change of 1e-3 is reached after three or four; what is
// left is above the tolerance, and the grade says so. Without the option sweeps go on.
static void stopping_by_change_is_graded_all_the_same(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    double p[2];
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    CnSolverDef def = pgs(1e-12);
    def.change_tolerance = 1e-3;
    CnSolverReport report = solve(&problem, def, p);
    CHECK_INT(report.outcome, CN_STALLED);
    CHECK_CONTAINS(report.remark, "stopped by change");
    CHECK(report.iterations >= 3 && report.iterations <= 4);
    CHECK(report.certificate.worst > 1e-12 && report.certificate.worst < 1e-3 * 3.0);
    def.tolerance = 1e-2; // now it is good enough
    def.warm_start = false;
    CHECK_INT(solve(&problem, def, p).outcome, CN_CONVERGED);
    problem_free(&problem);
}

// 1 kg at 10 m/s would need 10 N s; with ten times its weight for 16 ms, 1.5696 N s, it goes on at
// 8.4304 m/s, and friction has what is left of the normal. The limited law holds, the true one is
// missed by that velocity.
static void limited_impulses_let_bodies_through_and_say_so(void) {
    const double limit = 10.0 * 9.81 * 0.016;
    double p[3];
    Problem problem = sliding_point(0.5);
    problem.free_velocity[0][2] = -10.0;
    CnSolverDef def = pgs(1e-12);
    def.impulse_limit = limit;
    CnSolverReport report = solve(&problem, def, p);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_STRING(report.approximation, "limited impulses");
    CHECK_NEAR(p[0], limit, 1e-14);
    CHECK_NEAR(sqrt(p[1] * p[1] + p[2] * p[2]), 0.5 * limit, 1e-12);
    CHECK(report.error <= 1e-12);
    CHECK(report.certificate.worst > 5.0); // u_N + mu |u_T| = -8.43 + .5 * 4.22 is not 0
    problem_free(&problem);
}

TEST_MAIN("solvers/pgs", TEST(a_sliding_point_feels_mu_times_its_weight_against_its_motion),
          TEST(box_friction_is_labelled_and_its_price_is_shown),
          TEST(two_bounded_rows_have_a_known_answer), TEST(a_damper_slows_down_what_a_force_drives),
          TEST(over_relaxation_keeps_the_answer), TEST(an_explicit_matrix_needs_no_bodies),
          TEST(stopping_by_change_is_graded_all_the_same),
          TEST(limited_impulses_let_bodies_through_and_say_so))
