// test_lemke.c - Lemke's method keeps every promise of an exact solver of bounds.
#include "support/pivoting_claims.h"

#define PIVOTING_SOLVER cn_solver_lemke
PIVOTING_LIST(PIVOTING_CASE)

// Impulses may differ where rows depend on each other; what they do to the bodies may not.
static void both_pivoting_solvers_move_the_bodies_alike(void) {
    for (int seed = 0; seed < 200; ++seed) {
        Problem problem = {0};
        CnSolution solution;
        double velocity[6][6];
        int bodies = 1 + seed % 6;
        fill_random_problem(&problem, 5000 + (uint64_t)seed, bodies, 1 + seed % 40, 0.5);
        run_solver(&cn_solver_active_set, &problem, 1e-10, &solution);
        memcpy(velocity, solution.velocity, (size_t)bodies * sizeof velocity[0]);
        run_solver(&cn_solver_lemke, &problem, 1e-10, &solution);
        for (int i = 0; i < bodies * 6; ++i) {
            // v is unique; residuals of 1e-10 m/s act through J^-1, of condition up to some 100.
            CHECK_NEAR(solution.velocity[i / 6][i % 6], velocity[i / 6][i % 6], 1e-8);
        }
        problem_free(&problem);
    }
}

TEST_MAIN("solvers/lemke",
          PIVOTING_LIST(PIVOTING_TEST) TEST(both_pivoting_solvers_move_the_bodies_alike))
