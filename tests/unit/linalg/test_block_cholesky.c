// test_block_cholesky.c - sums of rows over pairs of blocks are factored and solved.
#include "linalg/blocks/block_cholesky.h"

#include "cairn/random.h"
#include "math/simd.h"
#include "support/test.h"

#define BLOCKS 30
#define N (BLOCKS * CN_CHOLESKY_ROWS)

typedef struct Matrix {
    double a[N][N];
    int first[3 * BLOCKS], second[3 * BLOCKS], pairs;
} Matrix;

// A += g g^T over the rows of two blocks: a random spring between them, or of one with the ground.
static void add_row(Matrix* matrix, CnBlockCholesky* factor, int a, int b, CnRandom* random) {
    double g[2][CN_CHOLESKY_ROWS];
    const int block[2] = {a, b};
    for (int k = 0; k < CN_CHOLESKY_ROWS; ++k) {
        g[0][k] = cn_random_between(random, -1.0, 1.0);
        g[1][k] = b < 0 ? 0.0 : cn_random_between(random, -1.0, 1.0);
    }
    for (int x = 0; x < 2; ++x) {
        for (int y = 0; y < 2; ++y) {
            double product[CN_CHOLESKY_NUMBERS];
            if (block[x] < 0 || block[y] < 0) {
                continue;
            }
            for (int c = 0; c < CN_CHOLESKY_ROWS; ++c) {
                for (int r = 0; r < CN_CHOLESKY_ROWS; ++r) {
                    product[c * CN_CHOLESKY_ROWS + r] = g[x][r] * g[y][c];
                    matrix->a[block[x] * CN_CHOLESKY_ROWS + r][block[y] * CN_CHOLESKY_ROWS + c] +=
                        g[x][r] * g[y][c];
                }
            }
            if (x <= y) { // the other half of the matrix is the factor's business
                cn_block_cholesky_add(factor, block[x], block[y], product);
            }
        }
    }
}

// A ring with some chords: 8 springs along each, and 8 of every fifth block with the ground.
static void make(Matrix* matrix, CnBlockCholesky* factor, bool is_grounded, uint64_t seed,
                 CnArena* arena) {
    CnRandom random = {seed};
    *matrix = (Matrix){.pairs = 0};
    for (int i = 0; i < BLOCKS; ++i) {
        matrix->first[matrix->pairs] = i;
        matrix->second[matrix->pairs++] = (i + 1) % BLOCKS;
        if (i % 4 == 0) {
            matrix->first[matrix->pairs] = (7 * i) % BLOCKS;
            matrix->second[matrix->pairs++] = i;
        }
    }
    CHECK_INT(cn_block_cholesky_plan(factor, BLOCKS, matrix->pairs, matrix->first, matrix->second,
                                     HUGE_VAL, arena, arena),
              CN_OK);
    cn_block_cholesky_clear(factor);
    for (int spring = 0; spring < 8; ++spring) {
        for (int i = 0; i < matrix->pairs; ++i) {
            int a = matrix->first[i], b = matrix->second[i];
            add_row(matrix, factor, a, a == b ? -1 : b, &random);
        }
        for (int i = 0; is_grounded && i < BLOCKS; i += 5) {
            add_row(matrix, factor, i, -1, &random);
        }
    }
}

// The answer is known; it comes back to the round-off of N terms, times the condition of the
// springs, which is below 1e6.
static void equations_are_solved(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        static Matrix matrix;
        CnArena arena;
        CnBlockCholesky factor;
        CnRandom random = {seed};
        double x[N], expected[N];
        cn_arena_init(&arena, NULL);
        make(&matrix, &factor, true, seed, &arena);
        for (int i = 0; i < N; ++i) {
            expected[i] = cn_random_between(&random, -1.0, 1.0);
        }
        for (int i = 0; i < N; ++i) {
            x[i] = 0.0;
            for (int k = 0; k < N; ++k) {
                x[i] += matrix.a[i][k] * expected[k];
            }
        }
        CHECK(cn_block_cholesky_factor(&factor, 1e-12));
        cn_block_cholesky_solve(&factor, x);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(x[i], expected[i], 1e-8);
        }
        cn_arena_destroy(&arena);
    }
}

// Factors below the diagonal are what `eliminate` leaves; solutions are of any numbers.
static void lanes_have_the_bits_of_the_plain_text(void) {
    static Matrix matrix;
    const CnCholeskyPasses* passes[3] = {&cn_cholesky_passes_plain, &cn_cholesky_passes_128,
                                         CN_WIDEST(cn_cholesky_passes)};
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        CnArena arena;
        CnBlockCholesky factor;
        static double below[3][BLOCKS * BLOCKS][CN_CHOLESKY_NUMBERS];
        static double diagonal[3][BLOCKS][CN_CHOLESKY_NUMBERS], work[3][BLOCKS][CN_CHOLESKY_ROWS];
        for (int p = 0; p < 3; ++p) {
            CnRandom random = {seed + 100};
            cn_arena_init(&arena, NULL);
            make(&matrix, &factor, true, seed, &arena);
            for (int b = 0; b < BLOCKS; ++b) {
                for (int k = 0; k < CN_CHOLESKY_ROWS; ++k) {
                    factor.work[b][k] = cn_random_between(&random, -1.0, 1.0);
                }
            }
            size_t entries = (size_t)factor.start[BLOCKS];
            for (int k = 0; k < BLOCKS; ++k) { // of a matrix that is no factor: sizes stay small
                for (int e = factor.start[k]; e < factor.start[k + 1]; ++e) {
                    for (int i = 0; i < CN_CHOLESKY_NUMBERS; ++i) {
                        factor.below[e][i] *= 0.01;
                    }
                }
                passes[p]->eliminate(&factor, k);
            }
            passes[p]->solve_lower(&factor);
            passes[p]->solve_upper(&factor);
            memcpy(below[p], factor.below, entries * sizeof *factor.below);
            memcpy(diagonal[p], factor.diagonal, sizeof diagonal[p]);
            memcpy(work[p], factor.work, sizeof work[p]);
            CHECK(memcmp(below[p], below[0], entries * sizeof *factor.below) == 0);
            CHECK(memcmp(diagonal[p], diagonal[0], sizeof diagonal[p]) == 0);
            CHECK(memcmp(work[p], work[0], sizeof work[p]) == 0);
            CHECK(isfinite(work[p][0][0]) && work[p][0][0] != 0.0);
            cn_arena_destroy(&arena);
        }
    }
}

// A block without any row is not held by anything.
static void a_free_block_is_singular(void) {
    CnArena arena;
    CnBlockCholesky factor;
    const int first[1] = {0}, second[1] = {1};
    double identity[CN_CHOLESKY_NUMBERS] = {0.0};
    for (int i = 0; i < CN_CHOLESKY_ROWS; ++i) {
        identity[i * (CN_CHOLESKY_ROWS + 1)] = 1.0;
    }
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_block_cholesky_plan(&factor, 3, 1, first, second, HUGE_VAL, &arena, &arena),
              CN_OK);
    cn_block_cholesky_clear(&factor);
    cn_block_cholesky_add(&factor, 0, 0, identity);
    cn_block_cholesky_add(&factor, 1, 1, identity);
    CHECK(!cn_block_cholesky_factor(&factor, 1e-12));
    cn_block_cholesky_clear(&factor);
    for (int b = 0; b < 3; ++b) {
        cn_block_cholesky_add(&factor, b, b, identity);
    }
    CHECK(cn_block_cholesky_factor(&factor, 1e-12));
    cn_arena_destroy(&arena);
}

// Two blocks tied to each other only can move together: A = [1 -1; -1 1] of each coordinate.
static void blocks_that_move_together_are_singular(void) {
    CnArena arena;
    CnBlockCholesky factor;
    const int first[1] = {1}, second[1] = {0};
    double plus[CN_CHOLESKY_NUMBERS] = {0.0}, minus[CN_CHOLESKY_NUMBERS] = {0.0};
    for (int i = 0; i < CN_CHOLESKY_ROWS; ++i) {
        plus[i * (CN_CHOLESKY_ROWS + 1)] = 1.0;
        minus[i * (CN_CHOLESKY_ROWS + 1)] = -1.0;
    }
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_block_cholesky_plan(&factor, 2, 1, first, second, HUGE_VAL, &arena, &arena),
              CN_OK);
    cn_block_cholesky_clear(&factor);
    cn_block_cholesky_add(&factor, 0, 0, plus);
    cn_block_cholesky_add(&factor, 1, 1, plus);
    cn_block_cholesky_add(&factor, 0, 1, minus);
    CHECK(!cn_block_cholesky_factor(&factor, 1e-12));
    cn_arena_destroy(&arena);
}

// Blocks that all meet are a dense matrix of n = 6 BLOCKS rows: n^3 / 6 multiplications and those
// of lower order, here counted in whole blocks. What is dearer than the limit is not begun.
static void what_is_too_dear_is_refused(void) {
    CnArena arena;
    CnBlockCholesky factor;
    int first[BLOCKS * BLOCKS], second[BLOCKS * BLOCKS], pairs = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        for (int k = 0; k < i; ++k, ++pairs) {
            first[pairs] = i;
            second[pairs] = k;
        }
    }
    cn_arena_init(&arena, NULL);
    CHECK_INT(
        cn_block_cholesky_plan(&factor, BLOCKS, pairs, first, second, HUGE_VAL, &arena, &arena),
        CN_OK);
    double work = factor.multiplications, rows = N;
    CHECK_NEAR(work, rows * rows * rows / 6.0, 0.3 * work);
    CHECK_INT(factor.start[BLOCKS], pairs);
    CHECK_INT(cn_block_cholesky_plan(&factor, BLOCKS, pairs, first, second, work, &arena, &arena),
              CN_OK);
    CHECK_INT(
        cn_block_cholesky_plan(&factor, BLOCKS, pairs, first, second, 0.9 * work, &arena, &arena),
        CN_UNSUPPORTED);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/blocks/block_cholesky", TEST(equations_are_solved),
          TEST(lanes_have_the_bits_of_the_plain_text), TEST(a_free_block_is_singular),
          TEST(blocks_that_move_together_are_singular), TEST(what_is_too_dear_is_refused))
