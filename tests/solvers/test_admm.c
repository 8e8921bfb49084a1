// test_admm.c - alternating directions: factored once, then many cheap iterations.
#include "support/problems/solver_claims.h"
#include "support/test.h"

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    claim_coulomb_and_not_the_convex_cone(&cn_solver_admm, 1e-11); // W = 2
}

static void a_box_on_four_points_carries_its_weight(void) {
    claim_weight_on_four_points(&cn_solver_admm, 1e-11); // m = 1 kg, four points
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_admm, 1e-10);
}

static void torsion_and_rolling_are_solved_too(void) {
    claim_wide_contact(&cn_solver_admm, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_admm);
}

// Heavy on light, a thousand to one: the penalty belongs to each block, so the mass ratio costs
// little; with one penalty for all rows it would take as many iterations as the ratio.
static void a_mass_ratio_of_a_thousand_takes_tens_of_iterations(void) {
    Problem problem = {0};
    CnSolution solution;
    for (int i = 0, below = -1; i < 3; ++i) {
        int box = problem_add_body(&problem, i == 2 ? 1e-3 : 1.0, i == 2 ? 6e-3 : 6.0);
        problem.free_velocity[box][2] = -0.01;
        for (int k = 0; k < 4; ++k) {
            double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
            problem_add_contact(&problem, below, box, cn_vec3(x, y, 0.5), cn_vec3(x, y, -0.5), 0.6);
        }
        below = box;
    }
    CnSolverReport report = run_solver(&cn_solver_admm, &problem, 1e-8, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.iterations <= 300);
    problem_free(&problem);
}

TEST_MAIN("solvers/admm", TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_box_on_four_points_carries_its_weight),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_too), TEST(running_out_of_memory_is_a_status),
          TEST(a_mass_ratio_of_a_thousand_takes_tens_of_iterations))
