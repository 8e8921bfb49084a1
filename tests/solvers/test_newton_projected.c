// test_newton_projected.c - projected Newton steps: few of them, without a matrix.
#include "support/problems/solver_claims.h"
#include "support/test.h"

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    claim_coulomb_and_not_the_convex_cone(&cn_solver_newton_projected, 1e-11); // W = 2
}

static void a_box_on_four_points_carries_its_weight(void) {
    claim_weight_on_four_points(&cn_solver_newton_projected, 1e-11); // m = 1 kg, four points
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_newton_projected, 1e-10);
}

static void torsion_and_rolling_are_solved_with_sliding(void) {
    claim_wide_contact(&cn_solver_newton_projected, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_newton_projected);
}

// One thrown ball: with the right tangent matrix the last steps square the error, so the tenth step
// is far beyond the sixteenth digit; without it dozens are needed.
static void one_contact_takes_a_few_steps(void) {
    Problem problem = {0};
    CnSolution solution;
    int ball = problem_add_body(&problem, 1.0, 2.5);
    problem.free_velocity[ball][2] = -1.0;
    problem.free_velocity[ball][0] = 3.0;
    problem.free_velocity[ball][1] = 1.0;
    problem_add_contact(&problem, -1, ball, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.1, 0.2, -1.0), 0.3);
    CnSolverReport report = run_solver(&cn_solver_newton_projected, &problem, 1e-13, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.iterations <= 10);
    problem_free(&problem);
}

TEST_MAIN("solvers/newton_projected", TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_box_on_four_points_carries_its_weight),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_with_sliding),
          TEST(running_out_of_memory_is_a_status), TEST(one_contact_takes_a_few_steps))
