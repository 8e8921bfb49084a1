// test_least_norm.c - tables, towers and slides whose forces of least norm are known.
#include "solvers/analysis/least_norm.h"

#include "support/failing_allocator.h"
#include "support/problems/budget.h"
#include "support/problems/problems.h"
#include "support/test.h"

#define MOST_ROWS 64

// From a guess that is far from even, so that what is open would differ.
static CnSolverReport solve(Problem* problem, const char* solver, bool minimum_norm, double spread,
                            double* impulse) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = problem_solution(problem);
    CnSolverReport report;
    CnError error = {0};
    CHECK(problem->row_count <= MOST_ROWS);
    def.name = solver;
    def.tolerance = 1e-12;
    def.minimum_norm = minimum_norm;
    for (int i = 0; i < problem->row_count; ++i) {
        solution.impulse[i] = spread * (i % 5);
    }
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    ck_assert_msg(report.outcome == CN_CONVERGED, "%g m/s", report.certificate.worst);
    CHECK(report.has_least_norm == minimum_norm);
    memcpy(impulse, solution.impulse, (size_t)problem->row_count * sizeof(double));
    cn_workspace_destroy(workspace);
    return report;
}

static double norm_of(int n, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// A slab of 1 kg on legs, its corners on a square, falling at 0.1 m/s: 0.1 N s to carry.
static Problem slab(int legs, const double (*place)[2], double friction, double drift) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 3.0);
    problem.free_velocity[body][0] = drift;
    problem.free_velocity[body][2] = -0.1;
    for (int i = 0; i < legs; ++i) {
        CnVec3 arm = {place[i][0], place[i][1], 0.0};
        problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), arm, friction);
    }
    return problem;
}

static const double square[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {0, 0}};

// The solver's tolerance is 1e-12 m/s, times 1 kg, over some legs: all tolerances below.
#define CLOSE 1e-11 // [N s]

static void a_table_on_four_legs_shares_its_weight_equally(void) {
    double impulse[MOST_ROWS];
    for (int k = 0; k < 2; ++k) {
        Problem problem = slab(4, square, k == 0 ? 0.0 : 0.5, 0.0);
        solve(&problem, "nsgs", true, 0.01, impulse);
        for (int i = 0; i < 4; ++i) {
            CHECK_NEAR(impulse[3 * i], 0.025, CLOSE);
            CHECK_NEAR(impulse[3 * i + 1], 0.0, CLOSE); // no leg pulls against another
            CHECK_NEAR(impulse[3 * i + 2], 0.0, CLOSE);
        }
        problem_free(&problem);
    }
}

// Without the option the guess decides: the test could fail.
static void without_the_option_the_guess_decides(void) {
    double impulse[MOST_ROWS];
    Problem problem = slab(4, square, 0.5, 0.0);
    solve(&problem, "nsgs", false, 0.01, impulse);
    CHECK(fabs(impulse[0] - 0.025) > 1e-4);
    problem_free(&problem);
}

// Forces of least norm are those of equal springs, f = a + b x + c y. Legs at the corners and in
// the middle, weight in the middle: all equal. Weight shifted by x: f_i = F / 5 + F x x_i / sum
// x_i^2.
static void five_legs_share_as_equal_springs_do(void) {
    double impulse[MOST_ROWS], shifted[5][2];
    const double x = 0.3;
    Problem problem = slab(5, square, 0.0, 0.0);
    solve(&problem, "nsgs", true, 0.01, impulse);
    for (int i = 0; i < 5; ++i) {
        CHECK_NEAR(impulse[3 * i], 0.02, CLOSE);
    }
    problem_free(&problem);
    for (int i = 0; i < 5; ++i) {
        shifted[i][0] = square[i][0] - x;
        shifted[i][1] = square[i][1];
    }
    problem = slab(5, (const double(*)[2])shifted, 0.0, 0.0);
    solve(&problem, "nsgs", true, 0.01, impulse);
    for (int i = 0; i < 5; ++i) {
        CHECK_NEAR(impulse[3 * i], 0.1 / 5.0 + 0.1 * x * square[i][0] / 4.0, CLOSE);
    }
    problem_free(&problem);
}

// With the weight at x = 0.9 springs would pull at the far legs, 1/5 - 0.9/4 < 0. Those lift off,
// f = 0; the three others balance: near legs 0.9 / 2 of the weight each, the middle the rest.
static void legs_do_not_pull(void) {
    double impulse[MOST_ROWS], shifted[5][2];
    for (int i = 0; i < 5; ++i) {
        shifted[i][0] = square[i][0] - 0.9;
        shifted[i][1] = square[i][1];
    }
    Problem problem = slab(5, (const double(*)[2])shifted, 0.0, 0.0);
    solve(&problem, "nsgs", true, 0.01, impulse);
    const double share[5] = {0.45, 0.0, 0.0, 0.45, 0.1};
    for (int i = 0; i < 5; ++i) {
        CHECK_NEAR(impulse[3 * i], 0.1 * share[i], CLOSE);
    }
    problem_free(&problem);
}

// Three legs leave nothing open: the option changes nothing but the last digits.
static void unique_forces_stay_what_they_are(void) {
    static const double triangle[3][2] = {{1, 0}, {-0.5, 0.8}, {-0.5, -0.8}};
    double plain[MOST_ROWS], least[MOST_ROWS];
    Problem problem = slab(3, triangle, 0.0, 0.0);
    solve(&problem, "nsgs", false, 0.01, plain);
    solve(&problem, "nsgs", true, 0.01, least);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(least[i], plain[i], CLOSE);
    }
    CHECK_NEAR(least[0], 0.1 / 3.0, CLOSE);
    problem_free(&problem);
}

// A table that slides along x at 5 m/s is braked by mu of its weight however the legs share it; no
// arm in z, so it does not tilt. Friction stays mu p_N against the slip in every leg.
static void a_sliding_table_keeps_sliding(void) {
    double impulse[MOST_ROWS];
    Problem problem = slab(4, square, 0.3, 5.0);
    CnSolverReport report = solve(&problem, "nsgs", true, 0.01, impulse);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(impulse[3 * i], 0.025, CLOSE);
        CHECK_NEAR(impulse[3 * i + 1], -0.3 * impulse[3 * i], CLOSE);
        CHECK_NEAR(impulse[3 * i + 2], 0.0, CLOSE);
    }
    CHECK(report.certificate.worst <= 1e-12);
    problem_free(&problem);
}

// A box held between two walls by friction, each pushing with what springs behind them give: here
// nothing but friction and squeezing, s on both sides. Weight 0.1 needs |friction| 0.05 on each
// side, thus s >= 0.05 / mu: the least norm squeezes just enough, at the edge of the cone.
static void a_box_between_walls_is_squeezed_just_enough(void) {
    Problem problem = {0};
    double impulse[MOST_ROWS];
    const double mu = 0.5;
    int box = problem_add_body(&problem, 1.0, 6.0);
    problem.free_velocity[box][2] = -0.1;
    for (int side = 0; side < 2; ++side) {
        int block = problem_add_block(&problem, CN_LAW_COULOMB, 3, -1, box);
        int row = problem.blocks[block].first_row;
        double sign = side == 0 ? 1.0 : -1.0; // the wall at -x pushes to +x
        CnVec3 none = {0.0, 0.0, 0.0}, arm = {-0.5 * sign, 0.0, 0.0};
        problem.blocks[block].friction = mu;
        problem_set_row(&problem, row, cn_vec3(sign, 0.0, 0.0), none, arm);
        problem_set_row(&problem, row + 1, cn_vec3(0.0, 1.0, 0.0), none, arm);
        problem_set_row(&problem, row + 2, cn_vec3(0.0, 0.0, 1.0), none, arm);
    }
    // Any squeeze is an answer, and solvers need one to start from: twice what is needed.
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = problem_solution(&problem);
    CnSolverReport report;
    const double guess[6] = {0.2, 0.0, 0.05, 0.2, 0.0, 0.05};
    memcpy(solution.impulse, guess, sizeof guess);
    def.minimum_norm = true;
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.has_least_norm);
    memcpy(impulse, solution.impulse, sizeof guess);
    for (int side = 0; side < 2; ++side) {
        CHECK_NEAR(impulse[3 * side], 0.05 / mu, 1e-9); // 1e-10 of the momentum
        CHECK_NEAR(impulse[3 * side + 2], 0.05, 1e-9);
    }
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// Two boxes on each other, four points each: the lower carries both, all in quarters.
static void two_boxes_share_in_quarters(void) {
    Problem problem = {0};
    double impulse[MOST_ROWS];
    for (int level = 0; level < 2; ++level) {
        int box = problem_add_body(&problem, 1.0, 6.0);
        problem.free_velocity[box][2] = -0.1;
        for (int i = 0; i < 4; ++i) {
            double x = 0.5 * square[i][0], y = 0.5 * square[i][1];
            problem_add_contact(&problem, box - 1, box, cn_vec3(x, y, 0.5), cn_vec3(x, y, -0.5),
                                0.6);
        }
    }
    solve(&problem, "nsgs", true, 0.01, impulse);
    for (int i = 0; i < 8; ++i) {
        CHECK_NEAR(impulse[3 * i], i < 4 ? 0.05 : 0.025, 2.0 * CLOSE);
        CHECK_NEAR(impulse[3 * i + 1], 0.0, 2.0 * CLOSE);
    }
    problem_free(&problem);
}

// A slab on two legs and a rope of one point in its middle, all in line: p_rope + p_1 + p_2 = 0.1
// and p_1 = p_2 for balance, so equal thirds. A joint and contacts share one norm.
static void a_joint_and_contacts_share(void) {
    static const double line[2][2] = {{1, 0}, {-1, 0}};
    double impulse[MOST_ROWS];
    Problem problem = slab(2, line, 0.0, 0.0);
    CnVec3 none = {0.0, 0.0, 0.0};
    problem_add_point_joint(&problem, -1, 0, none, none);
    solve(&problem, "cone_ip", true, 0.0, impulse);
    CHECK_NEAR(impulse[0], 0.1 / 3.0, CLOSE);
    CHECK_NEAR(impulse[3], 0.1 / 3.0, CLOSE);
    double held = norm_of(3, impulse + 6);
    CHECK_NEAR(held, 0.1 / 3.0, CLOSE);
    problem_free(&problem);
}

// A moment counts as a force at the radius of gyration: a shaft held twice against turning, by two
// equal welds, gives half to each; moments of 1 N m s on k = 0.5 m count as 2 N s each.
static void two_welds_share_a_moment(void) {
    Problem problem = {0};
    double impulse[MOST_ROWS];
    int shaft = problem_add_body(&problem, 1.0, 4.0);
    problem.free_velocity[shaft][3] = 8.0; // 2 N m s
    for (int k = 0; k < 2; ++k) {
        int weld = problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, shaft);
        problem.jacobian_b[problem.blocks[weld].first_row][3] = 1.0;
    }
    solve(&problem, "direct", true, 0.0, impulse);
    CHECK_NEAR(impulse[0], -1.0, CLOSE);
    CHECK_NEAR(impulse[1], -1.0, CLOSE);
    problem_free(&problem);
}

// The norm never grows, whoever solved it and wherever he came from, and the answer is the same.
static void everybody_ends_at_the_same_forces(void) {
    static const char* const solvers[] = {"nsgs", "newton_ac", "cone_ip", "admm", "auto"};
    double first[MOST_ROWS], plain[MOST_ROWS], impulse[MOST_ROWS];
    Problem problem = slab(5, square, 0.4, 0.02);
    problem.free_velocity[0][5] = 0.01;
    for (int i = 0; i < 5; ++i) {
        solve(&problem, solvers[i], false, 0.01 * i, plain);
        solve(&problem, solvers[i], true, 0.01 * i, i == 0 ? first : impulse);
        const double* least = i == 0 ? first : impulse;
        CHECK(norm_of(15, least) <= norm_of(15, plain) * (1.0 + 1e-9));
        for (int k = 0; k < 15; ++k) {
            CHECK_NEAR(least[k], first[k], CLOSE);
        }
    }
    problem_free(&problem);
}

// Solves a problem by W alone, as cn_problem_response() reads it.
static CnSolverReport solve_response(const CnProblem* problem, double* impulse) {
    int n = problem->row_count, start[MOST_ROWS + 1], column[MOST_ROWS * MOST_ROWS];
    double a[MOST_ROWS * MOST_ROWS], b[MOST_ROWS], none[1][6];
    CnBlock blocks[MOST_ROWS];
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnError error = {0};
    CHECK_INT(cn_problem_response(problem, workspace, a, b, &error), CN_OK);
    for (int i = 0; i <= n; ++i) {
        start[i] = i * n;
    }
    for (int i = 0; i < n * n; ++i) {
        column[i] = i % n;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        blocks[i] = problem->blocks[i];
        blocks[i].body_a = blocks[i].body_b = -1;
    }
    CnResponse response = {start, column, a};
    CnProblem alone = *problem;
    alone.body_count = 0;
    alone.blocks = blocks;
    alone.target = b;
    alone.response = &response;
    CnSolution solution = {impulse, none};
    def.tolerance = 1e-12;
    def.minimum_norm = true;
    for (int i = 0; i < n; ++i) {
        impulse[i] = 0.02 * (i % 5); // far from even
    }
    CnStatus status = cn_solve(&alone, &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
}

// A slab on five legs that sticks, and one that slides: the same forces from W as from bodies. Rows
// of contacts weigh the same in both.
static void a_given_matrix_has_the_forces_of_its_bodies(void) {
    const double drift[2] = {0.0, 0.5};
    for (int k = 0; k < 2; ++k) {
        Problem problem = slab(5, square, 0.5, drift[k]);
        double by_bodies[MOST_ROWS], by_matrix[MOST_ROWS];
        solve(&problem, "nsgs", true, 0.02, by_bodies);
        CnSolverReport report = solve_response(problem_view(&problem), by_matrix);
        CHECK_INT(report.outcome, CN_CONVERGED);
        CHECK(report.has_least_norm);
        for (int i = 0; i < problem.row_count; ++i) {
            CHECK_NEAR(by_matrix[i], by_bodies[i], 10.0 * CLOSE);
        }
        problem_free(&problem);
    }
}

// More rows than a dense W may have are refused before anything is allocated for them.
static void a_given_matrix_that_is_too_large_is_refused(void) {
    CnProblem problem = {.row_count = CN_MAX_DENSE_ROWS + 1};
    const CnResponse response = {0};
    problem.response = &response;
    CnSolution solution = {NULL, NULL};
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    def.minimum_norm = true;
    def.warm_start = false;
    CHECK_INT(cn_solve(&problem, &def, workspace, &solution, &report, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "at most 4000 rows");
    cn_workspace_destroy(workspace);
}

static void running_out_of_memory_is_a_status(void) {
    CnStatus status = CN_NO_MEMORY;
    int tries = 0;
    while (status != CN_OK) {
        FailingAllocator state = {.refuse_at = ++tries};
        CnAllocator allocator = failing_allocator(&state);
        Problem problem = slab(4, square, 0.5, 0.0);
        CnArena arena;
        double impulse[12] = {0.1};
        bool found;
        cn_arena_init(&arena, &allocator);
        status = cn_least_norm(problem_view(&problem), 1e-9, &no_budget, &arena, impulse, &found);
        CHECK(status == CN_OK || status == CN_NO_MEMORY);
        cn_arena_destroy(&arena);
        problem_free(&problem);
    }
    CHECK(tries > 1);
}

TEST_MAIN("unit/solvers/analysis/least_norm", TEST(a_table_on_four_legs_shares_its_weight_equally),
          TEST(without_the_option_the_guess_decides), TEST(five_legs_share_as_equal_springs_do),
          TEST(legs_do_not_pull), TEST(unique_forces_stay_what_they_are),
          TEST(a_sliding_table_keeps_sliding), TEST(a_box_between_walls_is_squeezed_just_enough),
          TEST(two_boxes_share_in_quarters), TEST(a_joint_and_contacts_share),
          TEST(two_welds_share_a_moment), TEST(everybody_ends_at_the_same_forces),
          TEST(a_given_matrix_has_the_forces_of_its_bodies),
          TEST(a_given_matrix_that_is_too_large_is_refused),
          TEST(running_out_of_memory_is_a_status))
