// test_component_lu.c - LU by connected components, dense and sparse ones, on known solutions.
#include "linalg/lu/component_lu.h"

#include "cairn/random.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SMALL = 20, CHAIN = 300, N = SMALL + CHAIN + 1 };

// A dense part of 20 coordinates at even places below 40, a chain with cross links through most of
// the rest, which is too large for a dense factor, and a coordinate alone at the end.
static void make_matrix(CnArena* arena, double diagonal, CnSparseRows* matrix) {
    CnRandom random = {7};
    static int row[N * 40], column[N * 40];
    static double value[N * 40];
    int count = 0, chain[CHAIN], small[SMALL];
    for (int i = 0, c = 0, s = 0; i < N - 1; ++i) {
        if (i < 2 * SMALL && i % 2 == 0) {
            small[s++] = i;
        } else {
            chain[c++] = i;
        }
    }
    for (int i = 0; i < SMALL; ++i) {
        for (int j = 0; j < SMALL; ++j) {
            row[count] = small[i];
            column[count] = small[j];
            value[count++] = cn_random_between(&random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < CHAIN; ++i) {
        const int steps[4] = {0, 1, 2, 17};
        for (int k = 0; k < 4; ++k) {
            int j = (i + steps[k]) % CHAIN;
            double a = cn_random_between(&random, -1.0, 1.0);
            double b = cn_random_between(&random, -1.0, 1.0);
            row[count] = chain[i];
            column[count] = chain[j];
            value[count++] = k == 0 ? diagonal : a;
            row[count] = chain[j];
            column[count] = chain[i];
            value[count++] = k == 0 ? 0.0 : b;
        }
    }
    row[count] = column[count] = N - 1;
    value[count++] = -3.0;
    CnSparseEntries entries = {count, row, column, value};
    CHECK(cn_sparse_rows_gather(N, N, &entries, arena, matrix));
}

// Backward stable: b - A x is some hundred round-offs of sums of 20 terms.
static void parts_are_solved_each_by_itself(void) {
    CnArena arena;
    CnSparseRows matrix;
    CnComponentLu lu;
    CnRandom random = {8};
    double b[N], x[N], worst = 0.0, largest = 0.0;
    cn_arena_init(&arena, NULL);
    make_matrix(&arena, 5.0, &matrix);
    CHECK_INT(cn_component_lu_factor(&lu, &matrix, &arena), CN_OK);
    CHECK_INT(lu.part_count, 3);
    for (int i = 0; i < N; ++i) {
        b[i] = cn_random_between(&random, -1.0, 1.0);
    }
    cn_component_lu_solve(&lu, b, x);
    for (int i = 0; i < N; ++i) {
        worst = fmax(worst, fabs(b[i] - cn_sparse_rows_dot(&matrix, i, x)));
        largest = fmax(largest, fabs(x[i]));
    }
    CHECK(worst <= 200 * DBL_EPSILON * (1.0 + largest));
    CHECK_NEAR(x[N - 1], -b[N - 1] / 3.0, DBL_EPSILON);
    cn_arena_destroy(&arena);
}

// What is found among a few coordinates is the same as from a whole solution; the condition of the
// chain, whose diagonal is 5 against six entries below 1, is below 1e3.
static void a_few_coordinates_are_solved_for_alone(void) {
    CnArena arena;
    CnSparseRows matrix;
    CnComponentLu lu;
    cn_arena_init(&arena, NULL);
    make_matrix(&arena, 5.0, &matrix);
    CHECK_INT(cn_component_lu_factor(&lu, &matrix, &arena), CN_OK);
    const int sets[3][3] = {{45, 200, 319}, {0, 8, 38}, {100, 101, 102}};
    double b[2][N] = {{0.0}}, x[2][N], worst = 0.0;
    double* scratch = CN_ARENA_NEW(&arena, double, cn_component_lu_scratch(&lu, 2));
    for (int s = 0; s < 9; ++s) {
        const int* at = sets[s % 3];
        double value[3][2];
        for (int i = 0; i < 6; ++i) {
            value[i / 2][i % 2] = 1.0 + (double)(i * i - s);
        }
        for (int c = 0; c < 2; ++c) {
            for (int i = 0; i < 3; ++i) {
                b[c][at[i]] = value[i][c];
            }
            cn_component_lu_solve(&lu, b[c], x[c]);
        }
        cn_component_lu_solve_partial(&lu, 3, at, 2, value[0], scratch);
        for (int i = 0; i < 6; ++i) {
            double found = value[i / 2][i % 2];
            worst = fmax(worst, fabs(x[i % 2][at[i / 2]] - found) / fmax(1.0, fabs(found)));
        }
        memset(b, 0, sizeof b);
    }
    CHECK(worst <= 1e3 * 100 * DBL_EPSILON);
    cn_arena_destroy(&arena);
}

static void a_singular_part_is_named(void) {
    CnArena arena;
    CnComponentLu lu;
    cn_arena_init(&arena, NULL);
    const int row[5] = {0, 1, 1, 2, 2}, column[5] = {0, 1, 2, 1, 2};
    const double value[5] = {1.0, 2.0, 4.0, 1.0, 2.0};
    CnSparseEntries entries = {5, row, column, value};
    CnSparseRows matrix;
    CHECK(cn_sparse_rows_gather(3, 3, &entries, &arena, &matrix));
    CHECK_INT(cn_component_lu_factor(&lu, &matrix, &arena), CN_INVALID);
    CHECK_INT(lu.singular_at, 1);
    cn_arena_destroy(&arena);
}

// diag(-1, [0 1; 1 0], 2): each of the first two parts turns the sign.
static void the_sign_of_the_determinant_is_that_of_all_parts(void) {
    CnArena arena;
    CnComponentLu lu;
    cn_arena_init(&arena, NULL);
    const int row[4] = {0, 1, 2, 3}, column[4] = {0, 2, 1, 3};
    double value[4] = {-1.0, 1.0, 1.0, 2.0};
    CnSparseEntries entries = {4, row, column, value};
    CnSparseRows matrix;
    CHECK(cn_sparse_rows_gather(4, 4, &entries, &arena, &matrix));
    CHECK_INT(cn_component_lu_factor(&lu, &matrix, &arena), CN_OK);
    CHECK_INT(lu.determinant_sign, 1);
    value[3] = -2.0;
    CHECK(cn_sparse_rows_gather(4, 4, &entries, &arena, &matrix));
    CHECK_INT(cn_component_lu_factor(&lu, &matrix, &arena), CN_OK);
    CHECK_INT(lu.determinant_sign, -1);
    cn_arena_destroy(&arena);
}

TEST_MAIN("unit/linalg/component_lu", TEST(parts_are_solved_each_by_itself),
          TEST(a_few_coordinates_are_solved_for_alone), TEST(a_singular_part_is_named),
          TEST(the_sign_of_the_determinant_is_that_of_all_parts))
