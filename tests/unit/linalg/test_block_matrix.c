// test_block_matrix.c - blocks, compressed columns and dense numbers are the same matrix.
#include "linalg/blocks/block_matrix.h"

#include "cairn/random.h"
#include "linalg/blocks/block_rows.h"
#include "linalg/dense.h"
#include "support/problems/dense.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 5, ROWS = 1 + 3 + 6 + 2 + 1 };

// A chain 0-1-2-3 with 4 apart, and 0-3 closing a loop; values 1, 2, 3, ... as stored.
static void build(CnArena* arena, CnBlockMatrix* matrix) {
    static int start[BLOCKS + 1] = {0, 2, 3, 4, 4, 4};
    static int neighbor[4] = {1, 3, 2, 3};
    static const int rows[BLOCKS] = {1, 3, 6, 2, 1};
    CnBlockGraph graph = {BLOCKS, start, neighbor};
    CHECK_INT(cn_block_matrix_init(matrix, &graph, rows, arena), CN_OK);
    size_t count = matrix->position[matrix->start[BLOCKS]];
    for (size_t i = 0; i < count; ++i) {
        matrix->value[i] = 1.0 + (double)i;
    }
    for (int b = 0; b < BLOCKS; ++b) { // diagonal blocks must be symmetric
        double* value = &matrix->value[matrix->position[matrix->start[b]]];
        for (int i = 0; i < rows[b]; ++i) {
            for (int j = 0; j < i; ++j) {
                value[j * rows[b] + i] = value[i * rows[b] + j];
            }
        }
    }
}

static void sizes_follow_from_the_graph(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnBlockMatrix matrix;
    build(&arena, &matrix);
    CHECK_INT(matrix.row_count, ROWS);
    CHECK_INT(matrix.start[BLOCKS], 9); // 5 diagonal blocks, 4 pairs
    // 1 + 9 + 36 + 4 + 1 on the diagonal; 3 + 2 + 18 + 12 off it.
    CHECK_INT(matrix.position[9], 51 + 35);
    cn_arena_destroy(&arena);
}

static void products_agree_with_the_dense_matrix(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnBlockMatrix matrix;
    CnSparse sparse;
    double dense[ROWS * ROWS] = {0}, x[ROWS], y[3][ROWS], diagonal[ROWS];
    build(&arena, &matrix);
    CHECK_INT(cn_block_matrix_to_sparse(&matrix, NULL, &arena, &sparse), CN_OK);
    cn_sparse_to_dense(&sparse, dense);
    for (int i = 0; i < ROWS; ++i) {
        x[i] = 1.0 - 2.0 * (i % 3);
        for (int j = 0; j < ROWS; ++j) {
            CHECK_NEAR(dense[i * ROWS + j], dense[j * ROWS + i], 0.0);
        }
    }
    cn_block_matrix_multiply(&matrix, x, y[0]);
    cn_sparse_multiply(&sparse, x, y[1]);
    dense_multiply(ROWS, dense, x, y[2]);
    cn_sparse_diagonal(&sparse, diagonal);
    for (int i = 0; i < ROWS; ++i) { // all numbers are small integers: sums are exact
        CHECK_NEAR(y[0][i], y[2][i], 0.0);
        CHECK_NEAR(y[1][i], y[2][i], 0.0);
        CHECK_NEAR(diagonal[i], dense[i * ROWS + i], 0.0);
    }
    CHECK_NEAR(dense[ROWS * ROWS - 1], 86.0, 0.0);      // block 4, the last number stored
    CHECK_NEAR(dense[(ROWS - 1) * ROWS + 0], 0.0, 0.0); // and it meets nobody
    cn_arena_destroy(&arena);
}

static void kept_rows_are_a_principal_submatrix(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnBlockMatrix matrix;
    CnSparse all, some;
    bool keep[ROWS];
    int kept[ROWS], count = 0;
    double dense[ROWS * ROWS] = {0}, part[ROWS * ROWS] = {0};
    build(&arena, &matrix);
    for (int i = 0; i < ROWS; ++i) {
        keep[i] = i % 4 != 1;
        if (keep[i]) {
            kept[count++] = i;
        }
    }
    CHECK_INT(cn_block_matrix_to_sparse(&matrix, NULL, &arena, &all), CN_OK);
    CHECK_INT(cn_block_matrix_to_sparse(&matrix, keep, &arena, &some), CN_OK);
    CHECK_INT(some.n, count);
    cn_sparse_to_dense(&all, dense);
    cn_sparse_to_dense(&some, part);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            CHECK_NEAR(part[i * count + j], dense[kept[i] * ROWS + kept[j]], 0.0);
        }
    }
    cn_arena_destroy(&arena);
}

static void no_blocks_make_an_empty_matrix(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    int start[1] = {0};
    CnBlockGraph graph = {.start = start};
    CnBlockMatrix matrix;
    CnSparse sparse;
    CHECK_INT(cn_block_matrix_init(&matrix, &graph, NULL, &arena), CN_OK);
    CHECK_INT(cn_block_matrix_to_sparse(&matrix, NULL, &arena, &sparse), CN_OK);
    CHECK_INT(sparse.n, 0);
    cn_arena_destroy(&arena);
}

// There and back again; then one number of a block above the diagonal, A_(0)(1) in row 0 and column
// 1, is 6 more than its mirror image: the mean is 3 more, and they differ by 6 / sqrt(A_00 A_11).
static void the_symmetric_part_is_the_mean_of_both_triangles(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnBlockMatrix matrix, part;
    CnBlockRows rows;
    double asymmetry = -1.0;
    build(&arena, &matrix);
    size_t count = matrix.position[matrix.start[BLOCKS]];
    CHECK_INT(cn_block_rows_from_symmetric(&matrix, &arena, &rows), CN_OK);
    CHECK_INT(cn_block_rows_to_symmetric(&rows, &arena, &part, &asymmetry), CN_OK);
    CHECK_NEAR(asymmetry, 0.0, 0.0);
    CHECK(memcmp(part.value, matrix.value, count * sizeof(double)) == 0);

    rows.value[rows.position[cn_block_rows_find(&rows, 0, 1)]] += 6.0;
    CHECK_INT(cn_block_rows_to_symmetric(&rows, &arena, &part, &asymmetry), CN_OK);
    double sizes = matrix.value[0] * cn_block_rows_diagonal(&rows, 1)[0];
    CHECK_NEAR(asymmetry, 6.0 / sqrt(sizes), 1e-15);
    size_t at = matrix.position[matrix.start[0] + 1]; // block (1, 0)
    CHECK_NEAR(part.value[at], matrix.value[at] + 3.0, 0.0);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/blocks/block_matrix", TEST(sizes_follow_from_the_graph),
          TEST(products_agree_with_the_dense_matrix), TEST(kept_rows_are_a_principal_submatrix),
          TEST(no_blocks_make_an_empty_matrix),
          TEST(the_symmetric_part_is_the_mean_of_both_triangles))
