// test_newton_fb.c - Fischer and Burmeister's function, in a proximal loop.
#include "support/problems/solver_claims.h"
#include "support/test.h"

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    claim_coulomb_and_not_the_convex_cone(&cn_solver_newton_fb, 1e-11); // W = 2
}

static void a_box_on_four_points_carries_its_weight(void) {
    claim_weight_on_four_points(&cn_solver_newton_fb, 1e-11); // m = 1 kg, four points
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_newton_fb, 1e-11);
}

static void torsion_and_rolling_are_solved_with_sliding(void) {
    claim_wide_contact(&cn_solver_newton_fb, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_newton_fb);
}

TEST_MAIN("solvers/newton_fb", TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_box_on_four_points_carries_its_weight),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_with_sliding),
          TEST(running_out_of_memory_is_a_status))
