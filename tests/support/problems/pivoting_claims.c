// pivoting_claims.c - tests shared by all exact solvers of bounds and equalities.
#include "support/problems/pivoting_claims.h"

#include "cairn/random.h"

#define TOLERANCE 1e-10 // [m/s]
#define GRAVITY 9.81    // [m/s^2]
#define STEP 0.01       // [s]

static const CnVec3 origin = {0.0, 0.0, 0.0};
static const CnVec3 up = {0.0, 0.0, 1.0};

// A one-row block along `direction`; returns the row.
static int add_row(Problem* problem, CnLaw law, int body_a, int body_b, CnVec3 direction) {
    int block = problem_add_block(problem, law, 1, body_a, body_b);
    int row = problem->blocks[block].first_row;
    problem_set_row(problem, row, direction, origin, origin);
    return row;
}

void claim_two_coupled_rows_have_a_known_answer(const CnSolver* solver) {
    static const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    Problem problem = {0};
    CnSolution solution;
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(solution.impulse[0], 0.391304347826087, 1e-15); // 9 / 23
    CHECK_NEAR(solution.impulse[1], 0.434782608695652, 1e-15); // 10 / 23
    problem_free(&problem);
}

void claim_a_row_that_separates_carries_nothing(const CnSolver* solver) {
    static const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, -1.0};
    Problem problem = {0};
    CnSolution solution;
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_NEAR(solution.impulse[0], 0.5, 1e-15);
    CHECK_NEAR(solution.impulse[1], 0.0, 0.0); // u = 0.5 * 0.5 + 1 > 0
    problem_free(&problem);
}

// Four corners of a square and the weight off centre; the matrix has rank 3. The sum of forces and
// the moments are unique even though the four are not.
void claim_four_points_under_a_box_carry_its_weight(const CnSolver* solver) {
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    Problem problem = {0};
    CnSolution solution;
    double mass = 5.0, sum = 0.0, moment_x = 0.0, moment_y = 0.0;
    int box = problem_add_body(&problem, 1.0 / mass, 0.3);
    problem.free_velocity[box][2] = -GRAVITY * STEP;
    problem.free_velocity[box][3] = 0.01; // a moment: the load is not in the middle [rad/s]
    for (int i = 0; i < 4; ++i) {
        problem_add_contact(&problem, -1, box, origin, cn_vec3(corner[i][0], corner[i][1], -0.5),
                            0.0);
    }
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-14); // round-off of 0.1 m/s
    for (int i = 0; i < 4; ++i) {
        double p = solution.impulse[3 * i];
        CHECK(p >= 0.0);
        sum += p;
        moment_x += corner[i][1] * p;
        moment_y -= corner[i][0] * p;
    }
    CHECK_NEAR(sum, mass * GRAVITY * STEP, 1e-14);
    CHECK_NEAR(moment_x, -0.01 / 0.3, 1e-14); // stops the turning: I w
    CHECK_NEAR(moment_y, 0.0, 1e-14);
    problem_free(&problem);
}

// Twelve storeys, each on one contact row, masses 1 and 1e6 kg in turn.
void claim_a_tower_of_mass_ratio_1e6_carries_its_weight(const CnSolver* solver) {
    enum { STOREYS = 12 };
    Problem problem = {0};
    CnSolution solution;
    double above = 0.0;
    for (int i = 0; i < STOREYS; ++i) {
        int body = problem_add_body(&problem, i % 2 == 0 ? 1.0 : 1e-6, 1.0);
        problem.free_velocity[body][2] = -GRAVITY * STEP;
        add_row(&problem, CN_LAW_BOUNDS, body - 1, body, up);
    }
    // A light storey feels the difference of two impulses of 6e5 N s: its velocity is uncertain by
    // 6e5 epsilon = 1.3e-10 m/s for each of the two roundings, at best.
    CnSolverReport report = run_solver(solver, &problem, 1e-9, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-9);
    for (int i = STOREYS - 1; i >= 0; --i) {
        above += (i % 2 == 0 ? 1.0 : 1e6) * GRAVITY * STEP;
        CHECK_NEAR(solution.impulse[i], above, 1e-8 * above); // condition 1e7, epsilon 2e-16
    }
    problem_free(&problem);
}

void claim_finite_limits_saturate(const CnSolver* solver) {
    // W = 2 each, alone: b = 3 wants 1.5 and gets 0.5; b = -3 wants -1.5 and gets -0.2; b = 0.1
    // wants and gets 0.05; a row with only an upper limit of 1 gets -1.5 for b = -3.
    static const double b[4] = {3.0, -3.0, 0.1, -3.0};
    static const double wanted[4] = {0.5, -0.2, 0.05, -1.5};
    Problem problem = {0};
    CnSolution solution;
    for (int i = 0; i < 4; ++i) {
        int row = add_row(&problem, CN_LAW_BOUNDS, -1, problem_add_body(&problem, 2.0, 1.0), up);
        problem.target[row] = b[i];
        problem.lower[row] = i == 3 ? -HUGE_VAL : -0.2;
        problem.upper[row] = i == 3 ? 1.0 : 0.5;
    }
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(solution.impulse[i], wanted[i], 1e-15);
    }
    problem_free(&problem);
}

// A motor that can give 1 N s and a joint in the same direction must together give 3.
void claim_a_limit_passes_the_load_to_its_twin(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[body][2] = -3.0;
    int motor = add_row(&problem, CN_LAW_BOUNDS, -1, body, up);
    int joint = add_row(&problem, CN_LAW_EQUALITY, -1, body, up);
    problem.lower[motor] = -1.0;
    problem.upper[motor] = 1.0;
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-14);
    CHECK_NEAR(solution.impulse[motor] + solution.impulse[joint], 3.0, 1e-14);
    problem_free(&problem);
}

void claim_redundant_equalities_do_not_disturb(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int a = problem_add_body(&problem, 1.0, 1.0);
    int b = problem_add_body(&problem, 0.25, 1.0);
    problem.free_velocity[a][2] = problem.free_velocity[b][2] = -GRAVITY * STEP;
    for (int i = 0; i < 3; ++i) { // the same weld three times
        problem_add_point_joint(&problem, a, b, origin, origin);
    }
    int floor = add_row(&problem, CN_LAW_BOUNDS, -1, a, up);
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-13);
    CHECK_NEAR(solution.impulse[floor], 5.0 * GRAVITY * STEP, 1e-13);
    problem_free(&problem);
}

void claim_a_contact_on_a_held_body_is_harmless(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[body][2] = -GRAVITY * STEP;
    problem_add_point_joint(&problem, -1, body, origin, origin);
    int floor = add_row(&problem, CN_LAW_BOUNDS, -1, body, up); // depends on the joint
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-14);
    CHECK_NEAR(solution.impulse[2] + solution.impulse[floor], GRAVITY * STEP, 1e-14);
    problem_free(&problem);
}

void claim_contradicting_equalities_stall(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    int other = problem_add_body(&problem, 1.0, 1.0);
    for (int i = 0; i < 2; ++i) {
        int row = add_row(&problem, CN_LAW_EQUALITY, -1, body, up);
        problem.target[row] = i; // 0 m/s and 1 m/s at once
        problem_name_block(&problem, i, "lift");
    }
    problem.free_velocity[other][2] = -1.0;
    int floor = add_row(&problem, CN_LAW_BOUNDS, -1, other, up);
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_STALLED);
    CHECK_NEAR(report.certificate.worst, 1.0, 1e-14); // one of the two is met
    CHECK_CONTAINS(report.remark, "lift contradicts");
    CHECK_NEAR(solution.impulse[floor], 1.0, 1e-14); // and what is possible is done
    problem_free(&problem);
}

// Two plates close on a body from both sides at 1 m/s each: no impulse can stop both.
void claim_a_squeezed_body_stalls(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    int below = add_row(&problem, CN_LAW_BOUNDS, -1, body, up);
    int above = add_row(&problem, CN_LAW_BOUNDS, -1, body, cn_vec3(0.0, 0.0, -1.0));
    problem.target[below] = 1.0;
    problem.target[above] = 1.0;
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_STALLED);
    CHECK_CONTAINS(report.remark, "contradicts");
    CHECK(report.certificate.worst >= 0.9); // someone is missed by at least the mean of the two
    CHECK(isfinite(solution.impulse[below]) && isfinite(solution.impulse[above]));
    problem_free(&problem);
}

// A spring p = 2 - 4 u against a floor that may push no harder than 0.5, on 1 kg falling at 3 m/s
// to a target of 0. v = -3 + p_s + p_f and p_s = 2 - 4 v; alone v = -0.2, so the floor pushes:
// v = (-3 + 2 + p_f) / 5 = 0 would need p_f = 1; it gives 0.5 and v = -0.1, p_s = 2.4.
void claim_springs_share_a_load_with_a_stop(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[body][2] = -3.0;
    int spring = add_row(&problem, CN_LAW_FORCE, -1, body, up);
    int floor = add_row(&problem, CN_LAW_BOUNDS, -1, body, up);
    problem.offset[spring] = 2.0;
    problem.slope[spring] = 4.0;
    problem.upper[floor] = 0.5;
    CnSolverReport report = run_solver(solver, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(solution.impulse[spring], 2.4, 1e-14);
    CHECK_NEAR(solution.impulse[floor], 0.5, 0.0);
    CHECK_NEAR(solution.velocity[body][2], -0.1, 1e-14);
    problem_free(&problem);
}

static double power_of_ten(CnRandom* random, double spread) {
    return pow(10.0, cn_random_between(random, -spread, spread));
}

// The kinds of limits of a row; the last one makes it an equality.
static const double kinds[5][2] = {
    {0.0, HUGE_VAL}, {-0.3, 0.4}, {-HUGE_VAL, 0.2}, {0.0, 0.1}, {-HUGE_VAL, HUGE_VAL}};

static void add_random_row(Problem* problem, CnRandom* random, int bodies) {
    int body_b = (int)(cn_random_next(random) % (uint64_t)bodies);
    int body_a = (int)(cn_random_next(random) % (uint64_t)(bodies + 1)) - 1;
    body_a = body_a == body_b ? -1 : body_a;
    int block = problem_add_block(problem, CN_LAW_BOUNDS, 1, body_a, body_b);
    int row = problem->blocks[block].first_row;
    const double* kind = kinds[cn_random_next(random) % 5];
    problem->lower[row] = kind[0];
    problem->upper[row] = kind[1];
    for (int i = 0; i < 6; ++i) {
        problem->jacobian_b[row][i] = cn_random_between(random, -1.0, 1.0);
        problem->jacobian_a[row][i] = body_a < 0 ? 0.0 : cn_random_between(random, -1.0, 1.0);
    }
    if (cn_random_next(random) % 8 == 0) {
        problem->compliance[row] = cn_random_between(random, 0.0, 0.1);
    }
    if (cn_random_next(random) % 4 == 0) { // repeat an earlier row exactly, with other limits
        int twin = (int)(cn_random_next(random) % (uint64_t)(row + 1));
        problem->blocks[block].body_a = problem->blocks[twin].body_a;
        problem->blocks[block].body_b = problem->blocks[twin].body_b;
        memcpy(problem->jacobian_a[row], problem->jacobian_a[twin], sizeof(double[6]));
        memcpy(problem->jacobian_b[row], problem->jacobian_b[twin], sizeof(double[6]));
    }
}

// The targets are 0, so v = 0 would satisfy every row: nothing contradicts anything.
void fill_random_problem(Problem* problem, uint64_t seed, int bodies, int rows, double spread) {
    CnRandom random = {seed};
    for (int i = 0; i < bodies; ++i) {
        double mass = power_of_ten(&random, spread);
        int body = problem_add_body(problem, 1.0 / mass, 5.0 / mass);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = cn_random_between(&random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < rows; ++i) {
        add_random_row(problem, &random, bodies);
    }
}

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

// W_ii from the definition: what a unit impulse of the row alone does to its own u.
static double inverse_effective_mass(const CnProblem* problem, int row, double* impulse,
                                     const double* u_free, double* u) {
    memset(impulse, 0, (size_t)problem->row_count * sizeof(double));
    impulse[row] = 1.0;
    problem_row_velocity(problem, impulse, u);
    return u[row] - u_free[row];
}

Residual natural_residual(const CnProblem* problem, const double* impulse) {
    size_t n = (size_t)problem->row_count;
    double* work = calloc(4 * n, sizeof(double));
    double *u = work, *u_free = work + n, *unit = work + 2 * n, *u_unit = work + 3 * n;
    Residual residual = {0.0, 1.0};
    problem_row_velocity(problem, unit, u_free);
    problem_row_velocity(problem, impulse, u);
    for (int row = 0; row < problem->row_count; ++row) {
        double w = inverse_effective_mass(problem, row, unit, u_free, u_unit);
        double moved = impulse[row] - u[row] / w;
        double map = impulse[row] - clamp(moved, problem->lower[row], problem->upper[row]);
        residual.worst = fmax(residual.worst, fabs(map * w));
        residual.scale = fmax(residual.scale, fabs(impulse[row] * w));
    }
    free(work);
    return residual;
}

// Dependent rows share loads in ways that are nearly singular: impulses a thousand times those of
// the answer's size cancel. So the residual is measured against the velocities that cancel; a
// basis of condition 1e4 then leaves 1e4 * 40 rows * epsilon.
static void check_random_problem(const CnSolver* solver, uint64_t seed, int bodies, int rows,
                                 double spread) {
    Problem problem = {0};
    CnSolution solution;
    fill_random_problem(&problem, seed, bodies, rows, spread);
    CnSolverReport report = run_solver(solver, &problem, 1e-7, &solution);
    Residual residual = natural_residual(problem_view(&problem), solution.impulse);
    ck_assert_msg(residual.worst <= 1e-10 * residual.scale && report.outcome == CN_CONVERGED,
                  "%s leaves %g of %g m/s (seed %d, %d bodies, %d rows): %s", solver->info.name,
                  residual.worst, residual.scale, (int)seed, bodies, rows, report.remark);
    problem_free(&problem);
}

void claim_random_singular_problems_are_solved(const CnSolver* solver) {
    for (int i = 0; i < 600; ++i) {
        int rows = 1 + i % 40;
        check_random_problem(solver, (uint64_t)i, 1 + i % 7, rows, 0.5);
    }
}

void claim_badly_scaled_problems_are_solved(const CnSolver* solver) {
    for (int i = 0; i < 300; ++i) {
        int rows = 1 + i % 30;
        check_random_problem(solver, 1000 + (uint64_t)i, 1 + i % 5, rows, 3.0); // ratio to 1e6
    }
}

void claim_the_same_problem_gives_the_same_bits(const CnSolver* solver) {
    double first[30];
    for (int run = 0; run < 2; ++run) {
        Problem problem = {0};
        CnSolution solution;
        fill_random_problem(&problem, 77, 4, 30, 1.0);
        run_solver(solver, &problem, TOLERANCE, &solution);
        if (run == 0) {
            memcpy(first, solution.impulse, sizeof first);
        }
        CHECK(memcmp(first, solution.impulse, sizeof first) == 0);
        problem_free(&problem);
    }
}

void claim_friction_is_refused_with_a_sentence(const CnSolver* solver) {
    Problem problem = {0};
    CnError error = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_contact(&problem, -1, body, origin, origin, 0.0);
    problem_add_contact(&problem, -1, body, origin, origin, 0.5);
    problem_name_block(&problem, 1, "heel");
    CHECK_INT(refuse_solver(solver, &problem, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, solver->info.name);
    CHECK_CONTAINS(error.message, "coulomb");
    CHECK_CONTAINS(error.message, "heel");
    CHECK_CONTAINS(error.message, "nsgs");
    problem_free(&problem);
}

void claim_too_many_rows_are_refused_with_a_sentence(const CnSolver* solver) {
    Problem problem = {0};
    CnError error = {0};
    for (int i = 0; i < 1001; ++i) {
        int body = problem_add_body(&problem, 1.0, 1.0);
        problem_add_block(&problem, CN_LAW_BOUNDS, 4, -1, body);
    }
    CHECK_INT(refuse_solver(solver, &problem, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "4000");
    CHECK_CONTAINS(error.message, "4004");
    problem_free(&problem);
}

void claim_running_out_of_memory_is_reported(const CnSolver* solver) {
    Problem problem = {0};
    fill_random_problem(&problem, 8, 30, 300, 0.5); // large enough for many blocks of an arena
    check_memory_failures(solver, &problem);
    problem_free(&problem);
}

void claim_an_empty_problem_is_solved(const CnSolver* solver) {
    Problem problem = {0};
    CnSolution solution;
    problem_add_body(&problem, 1.0, 1.0);
    CHECK_INT(run_solver(solver, &problem, TOLERANCE, &solution).outcome, CN_CONVERGED);
    problem_free(&problem);
}
