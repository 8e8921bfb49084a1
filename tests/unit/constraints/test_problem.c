// test_problem.c - problems are checked with sentences, and copies are equal.
#include "constraints/problem/owned_problem.h"

#include "support/problems/piles.h"
#include "support/test.h"

static Problem small_problem(void) {
    Problem problem = {0};
    const double mass[2] = {1.0, 2.0};
    pile_add_stack(&problem, 2, mass, 0.5, 0.0);
    problem_name_block(&problem, 3, "corner");
    return problem;
}

static void expect_sentence(Problem* problem, const char* first, const char* second) {
    CnError error = {0};
    CHECK(cn_problem_check(problem_view(problem), &error) == CN_INVALID);
    CHECK(error.status == CN_INVALID);
    CHECK_CONTAINS(error.message, first);
    CHECK_CONTAINS(error.message, second);
}

static void a_good_problem_passes(void) {
    Problem problem = small_problem();
    CnError error = {0};
    CHECK(cn_problem_check(problem_view(&problem), &error) == CN_OK);
    CnProblem empty = {0};
    CHECK(cn_problem_check(&empty, &error) == CN_OK);
    problem_free(&problem);
}

// Each line breaks one thing, checks the sentence, and mends it.
#define BREAK(place, value, first, second)                                                         \
    do {                                                                                           \
        __typeof__(place) kept_ = (place);                                                         \
        (place) = (value);                                                                         \
        expect_sentence(&problem, first, second);                                                  \
        (place) = kept_;                                                                           \
    } while (0)

static void every_mistake_is_named(void) {
    Problem problem = small_problem();
    const double nan = (double)NAN;
    BREAK(problem.inverse_mass[1], -1.0, "body 1", "inverse_mass is -1");
    BREAK(problem.inverse_mass[0], nan, "body 0", "inverse_mass is");
    BREAK(problem.inverse_inertia[0][5], 0.1, "body 0", "not symmetric");
    BREAK(problem.inverse_inertia[0][4], -1.0, "body 0", "negative eigenvalue");
    BREAK(problem.inverse_inertia[1][2], nan, "body 1", "inverse_inertia[2]");
    BREAK(problem.free_velocity[1][2], nan, "body 1", "free_velocity[2]");
    BREAK(problem.blocks[3].friction, -0.5, "block 3 (corner)", "friction is -0.5");
    BREAK(problem.blocks[4].friction, nan, "block 4 (coulomb)", "friction is");
    BREAK(problem.blocks[2].first_row, 7, "block 2 (coulomb)", "first_row is 7; it must be 6");
    BREAK(problem.blocks[7].row_count, 2, "row_count is 24", "23 rows in all");
    BREAK(problem.blocks[7].row_count, 4, "block 7", "beyond row_count 24");
    BREAK(problem.blocks[7].row_count, 0, "block 7", "row_count is 0");
    BREAK(problem.blocks[5].body_a, 2, "block 5", "body_a is 2");
    BREAK(problem.blocks[5].body_b, -2, "block 5", "body_b is -2");
    BREAK(problem.blocks[5].body_b, 0, "block 5", "both its bodies are 0");
    BREAK(problem.blocks[1].law, (CnLaw)9, "block 1 (unknown)", "no law 9");
    BREAK(problem.jacobian_b[4][3], nan, "block 1", "jacobian_b[3] of row 4");
    BREAK(problem.jacobian_a[0][2], 1.0, "block 0", "body_a is the world");
    BREAK(problem.target[4], nan, "block 1", "target of row 4");
    BREAK(problem.compliance[4], -1.0, "block 1", "compliance of row 4 is -1");
    problem_free(&problem);
}

// Inverses of bodies of 1e-154 m and 1e154 m: their products are beyond the range of numbers.
static void inertias_of_any_size_are_taken(void) {
    Problem problem = small_problem();
    const double sizes[] = {1e307, 1e-307, 0.0};
    for (int i = 0; i < 3; ++i) {
        const double s[9] = {2.0, 0.5, -1.5, 0.5, 1.8, -0.7, -1.5, -0.7, 3.3};
        for (int k = 0; k < 9; ++k) {
            problem.inverse_inertia[0][k] = sizes[i] * s[k];
        }
        CnError error = {0};
        CHECK_INT(cn_problem_check(problem_view(&problem), &error), CN_OK);
        BREAK(problem.inverse_inertia[0][4], -1e300, "body 0", "negative eigenvalue");
    }
    problem_free(&problem);
}

static void mistakes_of_single_laws_are_named(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, body);
    problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
    problem_add_block(&problem, CN_LAW_COULOMB, 2, -1, body);
    problem.jacobian_b[0][0] = problem.jacobian_b[1][0] = problem.jacobian_b[2][0] = 1.0;
    problem.jacobian_b[3][1] = 1.0;
    CHECK(cn_problem_check(problem_view(&problem), NULL) == CN_OK);
    BREAK(problem.lower[0], (double)NAN, "block 0 (bounds)", "no impulse lies between");
    BREAK(problem.upper[0], -1.0, "block 0 (bounds)", "lower 0 and upper -1");
    BREAK(problem.slope[1], -2.0, "block 1 (force)", "slope of row 1 is -2");
    BREAK(problem.offset[1], (double)NAN, "block 1 (force)", "offset of row 1");
    BREAK(problem.jacobian_b[2][0], 0.0, "block 2 (coulomb)", "moves anything");
    BREAK(problem.inverse_mass[0], 0.0, "block 0 (bounds)", "moves anything");
    problem_free(&problem);
}

static void a_missing_array_is_named(void) {
    Problem problem = small_problem();
    CnProblem view = *problem_view(&problem);
    view.target = NULL;
    CnError error;
    CHECK(cn_problem_check(&view, &error) == CN_INVALID);
    CHECK_CONTAINS(error.message, "target is NULL; it needs 24 entries");
    view = *problem_view(&problem);
    view.row_count = -1;
    CHECK(cn_problem_check(&view, &error) == CN_INVALID);
    problem_free(&problem);
}

static void friction_that_is_not_there_is_named(void) {
    Problem problem = small_problem();
    CnProblem view = *problem_view(&problem);
    CnError error;
    view.friction_model = CN_FRICTION_COUNT;
    CHECK(cn_problem_check(&view, &error) == CN_INVALID);
    CHECK_STRING(error.message, "there is no friction model 4");
    view.friction_model = CN_FRICTION_PYRAMID;
    view.pyramid_sides = 5;
    CHECK(cn_problem_check(&view, &error) == CN_INVALID);
    CHECK_STRING(error.message,
                 "problem pyramid_sides is 5; it must be an even number from 4 to 64");
    view.pyramid_sides = 6;
    CHECK(cn_problem_check(&view, &error) == CN_OK);
    problem_free(&problem);
}

static void a_copy_is_equal_and_its_own(void) {
    Problem problem = small_problem();
    const CnProblem* view = problem_view(&problem);
    CnOwnedProblem* owned = cn_problem_copy(view, NULL);
    CHECK(owned != NULL);
    const CnProblem* copy = cn_owned_problem_get(owned);
    CHECK_INT(copy->body_count, view->body_count);
    CHECK_INT(copy->block_count, view->block_count);
    CHECK_INT(copy->row_count, view->row_count);
    size_t bodies = (size_t)view->body_count, rows = (size_t)view->row_count;
    CHECK(memcmp(copy->inverse_mass, view->inverse_mass, bodies * sizeof(double)) == 0);
    CHECK(memcmp(copy->inverse_inertia, view->inverse_inertia, bodies * sizeof(double[9])) == 0);
    CHECK(memcmp(copy->free_velocity, view->free_velocity, bodies * sizeof(double[6])) == 0);
    CHECK(memcmp(copy->jacobian_a, view->jacobian_a, rows * sizeof(double[6])) == 0);
    CHECK(memcmp(copy->jacobian_b, view->jacobian_b, rows * sizeof(double[6])) == 0);
    CHECK(memcmp(copy->target, view->target, rows * sizeof(double)) == 0);
    CHECK(memcmp(copy->upper, view->upper, rows * sizeof(double)) == 0);
    CHECK(copy->block_names[0] == NULL);
    CHECK_STRING(copy->block_names[3], "corner");
    CHECK(copy->block_names[3] != view->block_names[3]);
    problem.target[0] = 5.0;
    CHECK(copy->target[0] == 0.0);
    cn_owned_problem_destroy(owned);
    cn_owned_problem_destroy(NULL);
    problem_free(&problem);
}

static void impossible_sizes_are_refused_before_memory_is_asked_for(void) {
    CnError error;
    CHECK(cn_owned_problem_create(-1, 0, 0, &error) == NULL);
    CHECK(error.status == CN_INVALID);
    CHECK(cn_owned_problem_create(INT32_MAX, INT32_MAX, INT32_MAX, &error) == NULL);
    CHECK(error.status == CN_NO_MEMORY);
    CHECK_CONTAINS(error.message, "more than a problem may have");
}

// v = v_free + M^-1 J^T p against the definition, written out by the test's own code.
static void velocities_are_those_of_the_definition(void) {
    CnRandom random = {1};
    Problem problem = {0};
    pile_add_random(&problem, &random, 5, 12, 1.0, 0.5);
    const CnProblem* view = problem_view(&problem);
    double p[36], u[36], velocity[5][6];
    for (int i = 0; i < 36; ++i) {
        p[i] = cn_random_between(&random, -1.0, 1.0);
    }
    cn_problem_velocity(view, p, velocity);
    problem_row_velocity(view, p, u);
    for (int i = 0; i < view->block_count; ++i) {
        const CnBlock* block = &view->blocks[i];
        for (int row = block->first_row; row < block->first_row + 3; ++row) {
            double own = -view->target[row];
            for (int k = 0; k < 6; ++k) {
                own += block->body_a >= 0 ? view->jacobian_a[row][k] * velocity[block->body_a][k]
                                          : 0.0;
                own += view->jacobian_b[row][k] * velocity[block->body_b][k];
            }
            CHECK_NEAR(own, u[row], 1e-12 * (1.0 + fabs(u[row])));
        }
    }
    problem_free(&problem);
}

TEST_MAIN("constraints/problem", TEST(a_good_problem_passes), TEST(every_mistake_is_named),
          TEST(inertias_of_any_size_are_taken), TEST(mistakes_of_single_laws_are_named),
          TEST(a_missing_array_is_named), TEST(friction_that_is_not_there_is_named),
          TEST(a_copy_is_equal_and_its_own),
          TEST(impossible_sizes_are_refused_before_memory_is_asked_for),
          TEST(velocities_are_those_of_the_definition))
