// test_delassus.c - W and b are what a unit impulse does, from the definition.
#include "solvers/matrix/delassus.h"

#include "support/problems/pivoting_claims.h"

static void each_column_is_what_a_unit_impulse_does(void) {
    enum { ROWS = 25 };
    Problem problem = {0};
    CnArena arena;
    CnBlockMatrix w;
    CnSparse sparse;
    double dense[ROWS * ROWS] = {0}, right[ROWS], unit[ROWS] = {0}, u[ROWS], u_free[ROWS];
    fill_random_problem(&problem, 3, 4, ROWS, 0.5);
    const CnProblem* view = problem_view(&problem);
    problem.target[7] = 0.3;

    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_delassus_assemble(view, &arena, &w), CN_OK);
    CHECK_INT(cn_block_matrix_to_sparse(&w, NULL, &arena, &sparse), CN_OK);
    cn_sparse_to_dense(&sparse, dense);
    cn_delassus_right(view, right);
    problem_row_velocity(view, unit, u_free);
    for (int j = 0; j < ROWS; ++j) {
        CHECK_NEAR(right[j], -u_free[j], 1e-15); // sums of 12 products of numbers below 1
        unit[j] = 1.0;
        problem_row_velocity(view, unit, u);
        unit[j] = 0.0;
        for (int i = 0; i < ROWS; ++i) {
            CHECK_NEAR(dense[i * ROWS + j], u[i] - u_free[i], 1e-14); // W up to 10: some epsilons
        }
    }
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

static void blocks_meet_through_movable_bodies_only(void) {
    CnVec3 origin = {0.0, 0.0, 0.0};
    Problem problem = {0};
    CnArena arena;
    CnBlockMatrix w;
    int ground = problem_add_body(&problem, 0.0, 0.0); // a body, but one that nothing moves
    for (int i = 0; i < 3; ++i) {
        int ball = problem_add_body(&problem, 1.0, 1.0);
        problem_add_contact(&problem, ground, ball, origin, origin, 0.5);
    }
    problem_add_contact(&problem, 1, 2, origin, origin, 0.5); // blocks 0 and 1 meet block 3
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_delassus_assemble(problem_view(&problem), &arena, &w), CN_OK);
    CHECK_INT(w.start[4], 4 + 2);
    CHECK_INT(w.block_row[w.start[0] + 1], 3);
    CHECK_INT(w.block_row[w.start[1] + 1], 3);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

TEST_MAIN("unit/solvers/matrix/delassus", TEST(each_column_is_what_a_unit_impulse_does),
          TEST(blocks_meet_through_movable_bodies_only))
