// solver_claims.c - tests shared by all solvers of contacts.
#include "support/problems/solver_claims.h"

#include "support/test.h"

static const CnVec3 none = {0.0, 0.0, 0.0};

void claim_coulomb_and_not_the_convex_cone(const CnSolver* solver, double tolerance) {
    Problem problem = {0};
    CnSolution solution;
    int ball = problem_add_body(&problem, 2.0, 0.0);
    problem.free_velocity[ball][2] = -30.0;
    problem.free_velocity[ball][0] = -20.0;
    problem_add_contact(&problem, -1, ball, none, none, 0.3);
    run_solver(solver, &problem, 1e-12, &solution);
    CHECK_NEAR(solution.impulse[0], 15.0, tolerance);
    CHECK_NEAR(hypot(solution.impulse[1], solution.impulse[2]), 4.5, tolerance);
    problem_free(&problem);
}

void claim_weight_on_four_points(const CnSolver* solver, double tolerance) {
    Problem problem = {0};
    CnSolution solution;
    int box = problem_add_body(&problem, 1.0, 6.0);
    double carried = 0.0;
    problem.free_velocity[box][2] = -0.01;
    for (int k = 0; k < 4; ++k) {
        CnVec3 corner = cn_vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5);
        problem_add_contact(&problem, -1, box, none, corner, 0.6);
    }
    run_solver(solver, &problem, 1e-12, &solution);
    for (int k = 0; k < 4; ++k) {
        carried += solution.impulse[problem.blocks[k].first_row];
    }
    CHECK_NEAR(carried, 0.01, tolerance);
    problem_free(&problem);
}

// A bar hangs from the world by a point joint, leans on a ball, and is held by a spring and pushed
// by a motor that may not exceed its limits; the ball lies on the ground, and one contact of it has
// a single tangent.
static void fill_mixed(Problem* problem) {
    int bar = problem_add_body(problem, 0.5, 2.0);
    int ball = problem_add_body(problem, 1.0, 10.0);
    problem->free_velocity[bar][2] = -0.3;
    problem->free_velocity[bar][4] = 0.2;
    problem->free_velocity[ball][0] = 0.5;
    problem->free_velocity[ball][2] = -0.1;
    problem_add_point_joint(problem, -1, bar, none, cn_vec3(-1.0, 0.0, 0.1));
    problem_add_contact(problem, ball, bar, cn_vec3(0.0, 0.0, 0.2), cn_vec3(0.8, 0.0, -0.1), 0.4);
    problem_add_contact(problem, -1, ball, none, cn_vec3(0.0, 0.0, -0.2), 0.5);
    int flat = problem_add_block(problem, CN_LAW_COULOMB, 2, -1, ball);
    problem->blocks[flat].friction = 0.3;
    problem_set_row(problem, problem->blocks[flat].first_row, cn_vec3(-1.0, 0.0, 0.0), none,
                    cn_vec3(0.2, 0.0, 0.0));
    problem_set_row(problem, problem->blocks[flat].first_row + 1, cn_vec3(0.0, 0.0, 1.0), none,
                    cn_vec3(0.2, 0.0, 0.0));
    int motor = problem_add_block(problem, CN_LAW_BOUNDS, 1, -1, bar);
    int row = problem->blocks[motor].first_row;
    problem_set_row(problem, row, cn_vec3(0.0, 1.0, 0.0), none, cn_vec3(0.5, 0.0, 0.0));
    problem->target[row] = 1.0;
    problem->lower[row] = -0.05;
    problem->upper[row] = 0.05;
    int spring = problem_add_block(problem, CN_LAW_FORCE, 1, -1, bar);
    row = problem->blocks[spring].first_row;
    problem_set_row(problem, row, cn_vec3(0.0, 0.0, 1.0), none, cn_vec3(1.0, 0.0, 0.0));
    problem->offset[row] = 0.02;
    problem->slope[row] = 0.5;
}

void claim_mixed_laws(const CnSolver* solver, double tolerance) {
    Problem problem = {0};
    CnSolution solution;
    fill_mixed(&problem);
    CnSolverReport report = run_solver(solver, &problem, tolerance, &solution);
    ck_assert_msg(report.certificate.worst <= tolerance, "%s: %g m/s after %d iterations",
                  solver->info.name, report.certificate.worst, report.iterations);
    int motor = problem.blocks[4].first_row; // asked for more than it may give
    CHECK_NEAR(solution.impulse[motor], 0.05, tolerance);
    problem_free(&problem);
}

void claim_wide_contact(const CnSolver* solver, double tolerance) {
    Problem problem = {0};
    CnSolution solution;
    int ball = problem_add_body(&problem, 1.0, 2.5);
    const double velocity[6] = {0.3, -0.1, -0.5, 1.0, 0.4, 2.0};
    memcpy(problem.free_velocity[ball], velocity, sizeof velocity);
    int contact = problem_add_block(&problem, CN_LAW_COULOMB, 6, -1, ball);
    int row = problem.blocks[contact].first_row;
    problem.blocks[contact].friction = 0.4;
    for (int k = 0; k < 3; ++k) { // normal z, then x and y
        CnVec3 axis = cn_vec3(k == 1, k == 2, k == 0);
        problem_set_row(&problem, row + k, axis, none, cn_vec3(0.0, 0.0, -1.0));
        const double spin[3] = {axis.x, axis.y, axis.z}; // and turning about the same axes
        for (int i = 0; i < 3; ++i) {
            problem.jacobian_b[row + 3 + k][3 + i] = 0.1 * spin[i]; // on an arm of 0.1 m
        }
    }
    CnSolverReport report = run_solver(solver, &problem, tolerance, &solution);
    ck_assert_msg(report.certificate.worst <= tolerance, "%s: %g m/s after %d iterations",
                  solver->info.name, report.certificate.worst, report.iterations);
    CHECK(solution.impulse[row] > 0.1);            // it pushes, and
    CHECK(fabs(solution.impulse[row + 3]) > 0.01); // torsion brakes
    problem_free(&problem);
}

void claim_memory_failures_are_statuses(const CnSolver* solver) {
    Problem problem = {0};
    fill_mixed(&problem);
    check_memory_failures(solver, &problem);
    problem_free(&problem);
}
