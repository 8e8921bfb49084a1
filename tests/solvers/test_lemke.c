// test_lemke.c - Lemke's method keeps every promise of an exact solver of bounds.
#include "support/problems/pivoting_claims.h"

#include "cairn/random.h"

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

// Boxes of 1 kg, 1 t and 1000 t on each other in any order, four corners of a face without friction
// on the face below: four rows for three motions, which depend on each other.
static void build_stack(Problem* problem, CnRandom* random) {
    static const double inverse_masses[6][3] = {{1.0, 1e-3, 1e-6}, {1.0, 1e-6, 1e-3},
                                                {1e-3, 1.0, 1e-6}, {1e-3, 1e-6, 1.0},
                                                {1e-6, 1.0, 1e-3}, {1e-6, 1e-3, 1.0}};
    const double* inverse_mass = inverse_masses[cn_random_next(random) % 6];
    double x = 0.0, y = 0.0; // of the box below
    for (int i = 0; i < 3; ++i) {
        int body = problem_add_body(problem, inverse_mass[i], 6.0 * inverse_mass[i]);
        double own_x = cn_random_between(random, -0.2, 0.2);
        double own_y = cn_random_between(random, -0.2, 0.2);
        problem->free_velocity[body][2] = -0.0981;
        for (int k = 0; k < 4; ++k) {
            CnVec3 corner = {k % 2 == 0 ? 0.3 : -0.3, k < 2 ? 0.3 : -0.3, -0.5};
            CnVec3 below = {corner.x + own_x - x, corner.y + own_y - y, 0.5};
            int row = problem->row_count;
            problem_add_block(problem, CN_LAW_BOUNDS, 1, body - 1, body);
            problem_set_row(problem, row, cn_vec3(0.0, 0.0, 1.0), below, corner);
            problem->upper[row] = HUGE_VAL;
        }
        x = own_x;
        y = own_y;
    }
}

static void mass_ratios_of_a_million_are_solved_to_the_tolerance(void) {
    CnRandom random = {12};
    for (int i = 0; i < 300; ++i) {
        Problem problem = {0};
        CnSolution solution;
        build_stack(&problem, &random);
        CnSolverReport report = run_solver(&cn_solver_lemke, &problem, 1e-8, &solution);
        CHECK_INT(report.outcome, CN_CONVERGED);
        CHECK(report.certificate.worst <= 1e-8);
        problem_free(&problem);
    }
}

TEST_MAIN("solvers/lemke",
          PIVOTING_LIST(PIVOTING_TEST) TEST(both_pivoting_solvers_move_the_bodies_alike),
          TEST(mass_ratios_of_a_million_are_solved_to_the_tolerance))
