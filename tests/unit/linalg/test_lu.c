// test_lu.c - the sparse LU against dense LU, on easy, unsymmetric, badly scaled and singular ones.
#include "linalg/lu/lu.h"

#include "cairn/random.h"
#include "linalg/dense.h"
#include "support/test.h"

#include <float.h>

enum { LARGEST = 240 };

static double sample(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// Blocks of 1 to 6 rows; each pair of blocks meets with the given probability.
static void random_pattern(CnArena* arena, CnRandom* random, int blocks, double density,
                           CnBlockRows* matrix) {
    int* rows = CN_ARENA_NEW(arena, int, blocks);
    CnBlockGraph graph = {blocks, CN_ARENA_NEW(arena, int, blocks + 1),
                          CN_ARENA_NEW(arena, int, blocks* blocks)};
    int used = 0;
    for (int a = 0; a < blocks; ++a) {
        rows[a] = 1 + (a * 7 + 3) % 6;
        for (int b = a + 1; b < blocks; ++b) {
            if (cn_random_between(random, 0.0, 1.0) < density) {
                graph.neighbor[used++] = b;
            }
        }
        graph.start[a + 1] = used;
    }
    CHECK_INT(cn_block_rows_init(matrix, &graph, rows, arena), CN_OK);
}

static void fill_at_random(CnBlockRows* matrix, CnRandom* random) {
    size_t count = matrix->position[matrix->start[matrix->block_count]];
    for (size_t i = 0; i < count; ++i) {
        matrix->value[i] = sample(random);
    }
}

static void raise_diagonal(CnBlockRows* matrix, double by) {
    for (int a = 0; a < matrix->block_count; ++a) {
        int rows = matrix->first_row[a + 1] - matrix->first_row[a];
        for (int i = 0; i < rows; ++i) {
            cn_block_rows_diagonal(matrix, a)[i * rows + i] += by;
        }
    }
}

static double* to_dense(CnArena* arena, const CnBlockRows* matrix) {
    int n = matrix->row_count;
    double* dense = CN_ARENA_NEW(arena, double, n* n);
    double* unit = CN_ARENA_NEW(arena, double, n);
    double* column = CN_ARENA_NEW(arena, double, n);
    for (int j = 0; j < n; ++j) {
        unit[j] = 1.0;
        cn_block_rows_multiply(matrix, unit, column);
        unit[j] = 0.0;
        for (int i = 0; i < n; ++i) {
            dense[i * n + j] = column[i];
        }
    }
    return dense;
}

// The sign of the determinant from a dense LU: pivots and exchanges.
static int dense_sign(int n, const double* lu, const int* pivot) {
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        sign *= lu[k * n + k] < 0.0 ? -1 : 1;
        sign *= pivot[k] != k ? -1 : 1;
    }
    return sign;
}

// The worst difference to dense LU, relative to the largest entry of its answer.
static double difference_to_dense(CnArena* arena, CnRandom* random, const CnBlockRows* matrix,
                                  bool* same_sign) {
    int n = matrix->row_count;
    int pivot[LARGEST];
    double b[LARGEST], x[LARGEST], y[LARGEST], defect[LARGEST];
    CHECK(n <= LARGEST);
    double* dense = to_dense(arena, matrix);
    for (int i = 0; i < n; ++i) {
        b[i] = sample(random);
        y[i] = b[i];
    }
    CnLu lu;
    CHECK_INT(cn_lu_analyze(&lu, matrix, arena), CN_OK);
    CHECK(cn_lu_factor(&lu, matrix));
    cn_lu_solve(&lu, b, x);
    cn_lu_refine(&lu, matrix, b, x, defect);
    CHECK(cn_dense_lu_factor(n, dense, pivot));
    cn_dense_lu_solve(n, dense, pivot, y);
    *same_sign = lu.determinant_sign == dense_sign(n, dense, pivot);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return worst / largest;
}

// Diagonally dominant matrices have condition numbers of some ten, so both answers are good to
// about n epsilon times that: 240 * 2e-16 * 50 < 1e-11.
static void agrees_with_dense_on_dominant_matrices(void) {
    CnRandom random = {1};
    for (int round = 0; round < 20; ++round) {
        CnArena arena;
        cn_arena_init(&arena, NULL);
        CnBlockRows matrix;
        bool same_sign;
        random_pattern(&arena, &random, 1 + 3 * round, 0.02 + 0.02 * round, &matrix);
        fill_at_random(&matrix, &random);
        raise_diagonal(&matrix, 60.0);
        CHECK(difference_to_dense(&arena, &random, &matrix, &same_sign) <= 1e-11);
        CHECK(same_sign);
        cn_arena_destroy(&arena);
    }
}

// Random diagonal blocks need exchanges inside the fronts. Condition numbers reach 1e5 here, with
// growth of some 1e2 on top: 2e-16 * 1e7 = 2e-9.
static void agrees_with_dense_where_rows_must_be_exchanged(void) {
    CnRandom random = {7};
    for (int round = 0; round < 20; ++round) {
        CnArena arena;
        cn_arena_init(&arena, NULL);
        CnBlockRows matrix;
        bool same_sign;
        random_pattern(&arena, &random, 10 + round, 0.2, &matrix);
        fill_at_random(&matrix, &random);
        CHECK(difference_to_dense(&arena, &random, &matrix, &same_sign) <= 2e-9);
        CHECK(same_sign);
        cn_arena_destroy(&arena);
    }
}

// Rows and columns scaled by 10^-6 .. 10^6: elimination commutes with scaling, so the answer is as
// good as before row by row; the components are compared in their own unit.
static void scaling_rows_and_columns_costs_no_digits(void) {
    CnRandom random = {3};
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnBlockRows matrix, scaled;
    CnLu lu, other;
    double b[LARGEST], x[LARGEST], y[LARGEST], left[LARGEST], right[LARGEST], defect[LARGEST];
    random_pattern(&arena, &random, 60, 0.1, &matrix);
    fill_at_random(&matrix, &random);
    raise_diagonal(&matrix, 40.0);
    CHECK_INT(cn_block_rows_copy(&matrix, &arena, &scaled), CN_OK);
    int n = matrix.row_count;
    for (int i = 0; i < n; ++i) {
        left[i] = pow(10.0, 6.0 * sample(&random));
        right[i] = pow(10.0, 6.0 * sample(&random));
        b[i] = sample(&random);
    }
    cn_block_rows_scale(&scaled, left, right);
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    CHECK_INT(cn_lu_analyze(&other, &scaled, &arena), CN_OK);
    CHECK(cn_lu_factor(&lu, &matrix) && cn_lu_factor(&other, &scaled));
    cn_lu_solve(&lu, b, x);
    for (int i = 0; i < n; ++i) {
        b[i] *= left[i];
    }
    cn_lu_solve(&other, b, y);
    cn_lu_refine(&other, &scaled, b, y, defect);
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(right[i] * y[i] - x[i]));
    }
    CHECK(worst <= 1e-12); // x is below 1, the matrix well conditioned
    CHECK_INT(lu.determinant_sign, other.determinant_sign);
    cn_arena_destroy(&arena);
}

// A block with two equal rows and no neighbours has a zero pivot whatever the order.
static void a_singular_matrix_is_told(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    int start[3] = {0}, rows[2] = {3, 2}, neighbor[1] = {0};
    CnBlockGraph graph = {2, start, neighbor};
    CnBlockRows matrix;
    CnLu lu;
    CHECK_INT(cn_block_rows_init(&matrix, &graph, rows, &arena), CN_OK);
    const double own[9] = {2.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(cn_block_rows_diagonal(&matrix, 0), own, sizeof own);
    cn_block_rows_diagonal(&matrix, 1)[0] = 1.0;
    cn_block_rows_diagonal(&matrix, 1)[3] = -1.0;
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    CHECK(!cn_lu_factor(&lu, &matrix));
    cn_block_rows_diagonal(&matrix, 0)[4] = 1.0 + 1e-9; // now regular, barely
    CHECK(cn_lu_factor(&lu, &matrix));
    CHECK_INT(lu.determinant_sign, -1); // 2e-9 times 1 times -1
    CHECK(lu.least_pivot < 1e-8);
    cn_arena_destroy(&arena);
}

// A chain of blocks fills in nothing: the factor holds what the matrix does, and the zeros that
// merged fronts bring (at most 30 percent), whatever its length.
static void a_chain_fills_in_nothing(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    enum { LENGTH = 500 };
    static int start[LENGTH + 1], neighbor[LENGTH], rows[LENGTH];
    for (int b = 0; b < LENGTH; ++b) {
        rows[b] = 3;
        neighbor[b] = b + 1;
        start[b + 1] = b + 1 < LENGTH ? b + 1 : b;
    }
    CnBlockGraph graph = {LENGTH, start, neighbor};
    CnBlockRows matrix;
    CnLu lu;
    CHECK_INT(cn_block_rows_init(&matrix, &graph, rows, &arena), CN_OK);
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    size_t stored = matrix.position[matrix.start[LENGTH]];
    CHECK((double)lu.plan.factor_size <= (double)stored / 0.7);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/lu", TEST(agrees_with_dense_on_dominant_matrices),
          TEST(agrees_with_dense_where_rows_must_be_exchanged),
          TEST(scaling_rows_and_columns_costs_no_digits), TEST(a_singular_matrix_is_told),
          TEST(a_chain_fills_in_nothing))
