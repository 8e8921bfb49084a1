// test_newton.c - the matrix of all laws is the derivative of all laws, proximal term included.
#include "solvers/newton/newton.h"

#include "cairn/random.h"
#include "support/problems/problems.h"
#include "support/test.h"

#define MAX_ROWS 40

// Two balls, a joint, a limited row, a spring and two contacts, all coupled.
static void fill(Problem* problem) {
    CnVec3 none = {0.0, 0.0, 0.0};
    int a = problem_add_body(problem, 1.0, 2.0);
    int b = problem_add_body(problem, 0.4, 0.9);
    problem->free_velocity[a][2] = -0.3;
    problem->free_velocity[b][0] = 0.7;
    problem_add_point_joint(problem, -1, b, none, cn_vec3(-1.0, 0.2, 0.1));
    problem_add_contact(problem, a, b, cn_vec3(0.1, 0.0, 0.5), cn_vec3(0.3, 0.1, -0.4), 0.4);
    problem_add_contact(problem, -1, a, none, cn_vec3(0.0, 0.3, -0.5), 0.6);
    int bounds = problem_add_block(problem, CN_LAW_BOUNDS, 1, a, b);
    int spring = problem_add_block(problem, CN_LAW_FORCE, 1, -1, a);
    const int rows[2] = {problem->blocks[bounds].first_row, problem->blocks[spring].first_row};
    for (int i = 0; i < 2; ++i) {
        problem_set_row(problem, rows[i], cn_vec3(0.0, 1.0, 0.0), none, cn_vec3(0.2, 0.0, 0.3));
    }
    problem->upper[rows[0]] = 0.8;
    problem->offset[rows[1]] = 0.1;
    problem->slope[rows[1]] = 2.0;
}

static void read_phi(const CnNewtonSystem* newton, double* phi) {
    const CnProblem* problem = newton->assembled->problem;
    for (int i = 0; i < problem->block_count; ++i) {
        for (int k = 0; k < problem->blocks[i].row_count; ++k) {
            phi[problem->blocks[i].first_row + k] = newton->laws[i].phi[k];
        }
    }
}

// A step's direction solves K dp = -Phi, so the derivative of Phi along dp must be -Phi itself.
// Central differences over a step of 1e-6 lose 1e-10 of round-off and third derivatives times
// 1e-12.
static double worst_defect(CnNewtonSystem* newton, const double* p) {
    const double step = 1e-6;
    int n = newton->assembled->problem->row_count;
    double phi[MAX_ROWS], side[2][MAX_ROWS], moved[MAX_ROWS], worst = 0.0, length = 0.0;
    cn_newton_evaluate(newton, p);
    read_phi(newton, phi);
    CHECK(cn_newton_direction(newton));
    for (int i = 0; i < n; ++i) {
        length = fmax(length, fabs(newton->dp[i]));
    }
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < n; ++i) {
            moved[i] = p[i] + (s == 0 ? -step : step) / length * newton->dp[i];
        }
        cn_newton_evaluate(newton, moved);
        read_phi(newton, side[s]);
    }
    for (int i = 0; i < n; ++i) {
        double slope = (side[1][i] - side[0][i]) / (2.0 * step) * length;
        worst = fmax(worst, fabs(slope + phi[i]) / length);
    }
    return worst;
}

static void a_step_follows_the_derivative_of_all_laws(void) {
    static CnLinearise* const forms[] = {cn_linearise_natural, cn_linearise_fischer_burmeister,
                                         cn_linearise_alart_curnier};
    for (int f = 0; f < 3; ++f) {
        Problem problem = {0};
        CnArena arena;
        CnAssembled assembled;
        CnNewtonSystem newton;
        CnRandom random = {11};
        double worst = 0.0;
        fill(&problem);
        cn_arena_init(&arena, NULL);
        CHECK_INT(cn_assemble(problem_view(&problem), &arena, &assembled), CN_OK);
        CHECK_INT(cn_newton_init(&newton, &assembled, forms[f], HUGE_VAL, &arena), CN_OK);
        for (int trial = 0; trial < 50; ++trial) {
            double p[MAX_ROWS];
            for (int i = 0; i < problem.row_count; ++i) {
                p[i] = cn_random_between(&random, -1.0, 1.0);
                newton.softness[i] = cn_random_between(&random, 0.0, 0.2);
                newton.center[i] = cn_random_between(&random, -1.0, 1.0);
            }
            worst = fmax(worst, worst_defect(&newton, p));
        }
        ck_assert_msg(worst < 1e-7, "form %d: off by %g", f, worst);
        cn_arena_destroy(&arena);
        problem_free(&problem);
    }
}

TEST_MAIN("unit/solvers/newton/newton", TEST(a_step_follows_the_derivative_of_all_laws))
