// test_extragradient.c - projections that need no matrix.
#include "support/problems/solver_claims.h"
#include "support/test.h"

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    claim_coulomb_and_not_the_convex_cone(&cn_solver_extragradient, 1e-11); // W = 2
}

static void a_box_on_four_points_carries_its_weight(void) {
    claim_weight_on_four_points(&cn_solver_extragradient, 1e-11); // m = 1 kg, four points
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_extragradient, 1e-9);
}

static void torsion_and_rolling_are_solved_too(void) {
    claim_wide_contact(&cn_solver_extragradient, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_extragradient);
}

// The step is in units of the blocks, so grams instead of kilograms change nothing but the unit.
static void the_unit_of_mass_does_not_matter(void) {
    int iterations[2];
    for (int i = 0; i < 2; ++i) {
        Problem problem = {0};
        CnSolution solution;
        double inverse = i == 0 ? 1.0 : 0x1p-10; // a power of two: the same bits but for exponents
        for (int k = 0, below = -1; k < 3; ++k) {
            int ball = problem_add_body(&problem, inverse, 2.5 * inverse);
            problem.free_velocity[ball][2] = -0.1;
            problem.free_velocity[ball][0] = 0.3 * k;
            problem_add_contact(&problem, below, ball, cn_vec3(0.0, 0.0, 1.0),
                                cn_vec3(0.0, 0.0, -1.0), 0.4);
            below = ball;
        }
        iterations[i] = run_solver(&cn_solver_extragradient, &problem, 1e-9, &solution).iterations;
        problem_free(&problem);
    }
    CHECK_INT(iterations[0], iterations[1]);
}

TEST_MAIN("solvers/extragradient", TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_box_on_four_points_carries_its_weight),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_too), TEST(running_out_of_memory_is_a_status),
          TEST(the_unit_of_mass_does_not_matter))
