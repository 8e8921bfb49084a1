// test_penalty.c - springs and dashpots: close, soft where they should be, and labelled.
#include "support/problems/solver_claims.h"
#include "support/test.h"

// A ball that lands sinks: p (W + 0.001 lambda) = v, so it keeps v / 1001 of its speed.
static void a_landing_ball_keeps_a_thousandth_of_its_speed(void) {
    Problem problem = {0};
    CnSolution solution;
    int ball = problem_add_body(&problem, 2.0, 0.0);
    problem.free_velocity[ball][2] = -1.0;
    problem_add_contact(&problem, -1, ball, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), 0.3);
    CnSolverReport report = run_solver(&cn_solver_penalty, &problem, 1e-10, &solution);
    CHECK_NEAR(2.0 * solution.impulse[0], 1.0 / 1.001, 1e-5); // inner tolerance
    CHECK_NEAR(report.certificate.worst, 0.001 / 1.001, 1e-5);
    CHECK_STRING(report.approximation, "springs and dashpots");
    problem_free(&problem);
}

// A box pushed along the ground, below the limit of friction, creeps: friction is a dashpot, too.
static void a_pushed_box_creeps_and_the_certificate_tells(void) {
    Problem problem = {0};
    CnSolution solution;
    int box = problem_add_body(&problem, 1.0, 0.0);
    problem.free_velocity[box][2] = -0.1;
    problem.free_velocity[box][0] = 0.02; // friction could stop 0.05
    problem_add_contact(&problem, -1, box, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), 0.5);
    CnSolverReport report = run_solver(&cn_solver_penalty, &problem, 1e-10, &solution);
    double tangent = hypot(solution.impulse[1], solution.impulse[2]);
    CHECK_NEAR(tangent, 0.02 / 1.001, 1e-6); // inner tolerance 1e-5 of 0.1 m/s
    CHECK(report.certificate.worst > 1e-5);
    problem_free(&problem);
}

// Torsion is a dashpot, too: it stops a spin of which friction could stop more, but for a part in a
// thousand. Rows of the contact: lambda = 1 / kg is that of the normal and of the slides; spinning
// about z at an arm of 0.1 m has W = 2.5 0.1^2, so u (1 + 0.001 / W) = 0.001 / W u_free.
static void torsion_holds_but_for_the_softness(void) {
    Problem problem = {0};
    CnSolution solution;
    int ball = problem_add_body(&problem, 1.0, 2.5);
    problem.free_velocity[ball][2] = -1.0;
    problem.free_velocity[ball][5] = 0.1;
    int contact = problem_add_block(&problem, CN_LAW_COULOMB, 4, -1, ball);
    problem.blocks[contact].friction = 0.5;
    for (int k = 0; k < 3; ++k) { // normal z, then x and y
        problem_set_row(&problem, k, cn_vec3(k == 1, k == 2, k == 0), cn_vec3(0.0, 0.0, 0.0),
                        cn_vec3(0.0, 0.0, 0.0));
    }
    problem.jacobian_b[3][5] = 0.1;
    run_solver(&cn_solver_penalty, &problem, 1e-10, &solution);
    double softness = 0.001 / (2.5 * 0.1 * 0.1);
    CHECK_NEAR(0.1 * solution.velocity[ball][5], 0.01 * softness / (1.0 + softness), 1e-5);
    CHECK_NEAR(solution.impulse[3], -0.01 / (0.025 * (1.0 + softness)), 1e-3); // 1e-5 / 0.025
    problem_free(&problem);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_penalty);
}

// Each point gives way by 0.001 lambda, lambda at most the trace of its W_aa, 3 + 7 / kg, and four
// share: a quarter of a hundredth of 0.01 N s.
static void a_box_on_four_points_carries_its_weight_nearly(void) {
    claim_weight_on_four_points(&cn_solver_penalty, 2.5e-5);
}

TEST_MAIN("solvers/penalty", TEST(a_landing_ball_keeps_a_thousandth_of_its_speed),
          TEST(a_pushed_box_creeps_and_the_certificate_tells),
          TEST(torsion_holds_but_for_the_softness), TEST(running_out_of_memory_is_a_status),
          TEST(a_box_on_four_points_carries_its_weight_nearly))
