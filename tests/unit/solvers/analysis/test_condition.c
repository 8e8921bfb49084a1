// test_condition.c - condition numbers of A against closed forms.
#include "cairn/solver.h"
#include "support/problems/problems.h"
#include "support/test.h"

static CnCondition condition_of(const CnProblem* problem) {
    CnCondition condition;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnStatus status = cn_problem_condition(problem, workspace, &condition, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return condition;
}

// [2 .5; .5 3] has eigenvalues (5 -+ sqrt 2) / 2; with a unit diagonal 1 -+ 1 / sqrt 24.
static void two_rows_have_a_known_condition(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    CnCondition condition = condition_of(problem_view(&problem));
    double root = sqrt(2.0), scaled = 1.0 / sqrt(24.0);
    CHECK_INT(condition.rank, 2);
    CHECK_NEAR(condition.largest, (5.0 + root) / 2.0, 1e-14);
    CHECK_NEAR(condition.number, (5.0 + root) / (5.0 - root), 1e-14);
    CHECK_NEAR(condition.scaled_number, (1.0 + scaled) / (1.0 - scaled), 1e-14);
    problem_free(&problem);
}

// Four parallel normals under one body move it in three ways: rank 3, whatever their arms.
static void four_normals_under_a_box_are_singular(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 6.0);
    for (int i = 0; i < 4; ++i) {
        int block = problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, body);
        problem_set_row(&problem, problem.blocks[block].first_row, cn_vec3(0, 0, 1),
                        cn_vec3(0, 0, 0), cn_vec3(i % 2 - 0.5, i / 2 - 0.5, -0.5));
    }
    CnCondition condition = condition_of(problem_view(&problem));
    CHECK_INT(condition.rank, 3);
    CHECK(isinf(condition.number) && isinf(condition.scaled_number));
    // A = 1 + 6 (x x + y y): eigenvalues 4 of the sum, and 4 * 6 / 4 of each tilt, and 0
    CHECK_NEAR(condition.largest, 6.0, 1e-14);
    CHECK_NEAR(condition.smallest, 4.0, 1e-14);
    problem_free(&problem);
}

// Two bodies on each other, the lower on the ground: A = [1/m + 1/M, -1/M; -1/M, 1/M] for m below
// M, whose condition grows with the ratio while that of the scaled one tends to infinity as well.
static void the_condition_grows_with_the_mass_ratio(void) {
    double last = 1.0;
    for (double ratio = 1.0; ratio <= 1e6; ratio *= 100.0) {
        Problem problem = {0};
        int below = problem_add_body(&problem, 1.0, 0.0);
        int above = problem_add_body(&problem, 1.0 / ratio, 0.0);
        const int bodies[2][2] = {{-1, below}, {below, above}};
        for (int i = 0; i < 2; ++i) {
            problem_add_block(&problem, CN_LAW_BOUNDS, 1, bodies[i][0], bodies[i][1]);
            problem_set_row(&problem, i, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
        }
        CnCondition condition = condition_of(problem_view(&problem));
        // rows: 1/m = 1 of the ground's; W = [1, -1; -1, 1 + 1/ratio]: determinant 1/ratio
        double trace = 2.0 + 1.0 / ratio;
        double root = sqrt(trace * trace / 4.0 - 1.0 / ratio);
        double largest = trace / 2.0 + root;
        CHECK_NEAR(condition.number, largest * largest * ratio, 1e-9 * condition.number);
        CHECK(condition.number > last);
        last = condition.number;
        problem_free(&problem);
    }
}

static void an_empty_problem_is_as_good_as_it_gets(void) {
    Problem problem = {0};
    CnCondition condition = condition_of(problem_view(&problem));
    CHECK(condition.number == 1.0 && condition.rank == 0);
    problem_free(&problem);
}

TEST_MAIN("solvers/analysis/condition", TEST(two_rows_have_a_known_condition),
          TEST(four_normals_under_a_box_are_singular),
          TEST(the_condition_grows_with_the_mass_ratio),
          TEST(an_empty_problem_is_as_good_as_it_gets))
