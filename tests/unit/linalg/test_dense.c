// test_dense.c - dense kernels against answers known beforehand.
#include "linalg/dense.h"

#include "cairn/random.h"
#include "linalg/dense_kernels.h"
#include "math/simd.h"
#include "support/problems/dense.h"
#include "support/test.h"

#include <float.h>

#define LARGEST_LU 12
#define LONGEST 21

static double sample(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// A = G G^T with G n x rank: positive semidefinite, of that rank.
static double* semidefinite(CnArena* arena, CnRandom* random, int n, int rank) {
    double* g = CN_ARENA_NEW(arena, double, n* rank);
    double* a = CN_ARENA_NEW(arena, double, n* n);
    for (int i = 0; i < n * rank; ++i) {
        g[i] = sample(random);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = cn_dense_dot(rank, &g[i * rank], &g[j * rank]);
        }
    }
    return a;
}

static double largest_difference(int n, const double* a, const double* b) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static void dot_adds_in_any_length(void) {
    double ones[11];
    for (int n = 0; n <= 11; ++n) {
        for (int i = 0; i < n; ++i) {
            ones[i] = 1.0 + i;
        }
        CHECK_NEAR(cn_dense_dot(n, ones, ones), n * (n + 1) * (2 * n + 1) / 6.0, 0.0); // integers
    }
}

static void lu_solves_a_system_that_needs_row_exchanges(void) {
    // x = (1, 2, 3); the first pivot is zero, so a factorisation without exchanges fails.
    double a[9] = {0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 4.0, 0.0, -2.0};
    double x[3] = {7.0, 6.0, -2.0};
    int pivot[3];
    CHECK(cn_dense_lu_factor(3, a, pivot));
    cn_dense_lu_solve(3, a, pivot, x);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(x[i], 1.0 + i, 1e-14); // condition below 10, a few epsilon
    }
}

static void lu_says_so_when_rows_repeat(void) {
    double a[9] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0};
    double zero[1] = {0.0};
    int pivot[3];
    CHECK(!cn_dense_lu_factor(3, a, pivot));
    CHECK(!cn_dense_lu_factor(1, zero, pivot));
    CHECK(cn_dense_lu_factor(0, zero, pivot));
}

static void lu_residual_is_round_off_for_all_sizes(void) {
    CnRandom random = {1};
    for (int n = 1; n <= LARGEST_LU; ++n) {
        double a[LARGEST_LU * LARGEST_LU], lu[LARGEST_LU * LARGEST_LU];
        double b[LARGEST_LU], x[LARGEST_LU], ax[LARGEST_LU];
        int pivot[LARGEST_LU];
        for (int i = 0; i < n * n; ++i) {
            lu[i] = a[i] = sample(&random);
        }
        for (int i = 0; i < n; ++i) {
            x[i] = b[i] = sample(&random);
        }
        CHECK(cn_dense_lu_factor(n, lu, pivot));
        cn_dense_lu_solve(n, lu, pivot, x);
        dense_multiply(n, a, x, ax);
        double size = 1.0;
        for (int i = 0; i < n; ++i) {
            size = fmax(size, fabs(x[i]));
        }
        // Backward stable: |b - A x| <= c n^2 eps |A| |x|, growth of partial pivoting in practice
        // O(n)
        CHECK(largest_difference(n, ax, b) <= 10.0 * n * n * DBL_EPSILON * size);
    }
}

static void triangular_solves_undo_products(void) {
    // L = [2 0; 3 4] with stride 3; L x = (2, 11) -> (1, 2); L^T x = (8, 8) -> (1, 2).
    double l[6] = {2.0, 9.0, 9.0, 3.0, 4.0, 9.0};
    double x[2] = {2.0, 11.0};
    cn_dense_solve_lower(2, l, 3, x);
    CHECK_NEAR(x[0], 1.0, 0.0);
    CHECK_NEAR(x[1], 2.0, 0.0);
    double y[2] = {8.0, 8.0};
    cn_dense_solve_lower_transposed(2, l, 3, y);
    CHECK_NEAR(y[0], 1.0, 0.0);
    CHECK_NEAR(y[1], 2.0, 0.0);
}

static void ldlt_finds_the_rank_and_solves_consistent_systems(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {2};
    for (int n = 1; n <= 30; ++n) {
        for (int rank = 1; rank <= n; rank += 1 + n / 6) {
            CnArenaMark mark = cn_arena_mark(&arena);
            double* a = semidefinite(&arena, &random, n, rank);
            double *x = CN_ARENA_NEW(&arena, double, n), *b = CN_ARENA_NEW(&arena, double, n);
            double* ax = CN_ARENA_NEW(&arena, double, n);
            for (int i = 0; i < n; ++i) {
                x[i] = sample(&random);
            }
            dense_multiply(n, a, x, b); // in the range of A
            CnDenseLdlt ldlt;
            CHECK_INT(cn_dense_ldlt_init(&ldlt, n, &arena), CN_OK);
            cn_dense_ldlt_factor(&ldlt, a);
            CHECK_INT(ldlt.rank, rank);
            cn_dense_ldlt_solve(&ldlt, b, x);
            dense_multiply(n, a, x, ax);
            // Stable on the basic rows; dependent rows see it times the interpolation
            // coefficients, which pivoting keeps around 1: n^2 eps |A| |x| with |A| <= n.
            CHECK(largest_difference(n, ax, b) <= 1e-11);
            for (int k = rank; k < n; ++k) {
                CHECK_NEAR(x[ldlt.order[k]], 0.0, 0.0);
            }
            cn_arena_release(&arena, mark);
        }
    }
    cn_arena_destroy(&arena);
}

static void ldlt_rank_does_not_depend_on_units(void) {
    // A 3 x 3 of rank 2 whose rows are in units 1, 1e6 and 1e-6: still rank 2.
    double g[6] = {1.0, 0.0, 1e6, 1e6, 0.0, 1e-6};
    double a[9];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[i * 3 + j] = cn_dense_dot(2, &g[2 * i], &g[2 * j]);
        }
    }
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnDenseLdlt ldlt;
    CHECK_INT(cn_dense_ldlt_init(&ldlt, 3, &arena), CN_OK);
    cn_dense_ldlt_factor(&ldlt, a);
    CHECK_INT(ldlt.rank, 2);
    cn_arena_destroy(&arena);
}

static void ldlt_keeps_full_rank_at_condition_1e12(void) {
    // Hilbert-like conditioning made to measure: D + tiny, unit diagonal, smallest eigenvalue
    // 1e-12.
    int n = 6;
    double a[36];
    double delta = 1e-12;
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % (n + 1) == 0 ? 1.0 : 1.0 - delta; // eigenvalues: delta and n - (n-1) delta
    }
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnDenseLdlt ldlt;
    CHECK_INT(cn_dense_ldlt_init(&ldlt, n, &arena), CN_OK);
    cn_dense_ldlt_factor(&ldlt, a);
    CHECK_INT(ldlt.rank, n);
    cn_arena_destroy(&arena);
}

static void ldlt_of_nothing_and_of_zero(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnDenseLdlt ldlt;
    CHECK_INT(cn_dense_ldlt_init(&ldlt, 0, &arena), CN_OK);
    cn_dense_ldlt_factor(&ldlt, NULL);
    CHECK_INT(ldlt.rank, 0);
    double zero[4] = {0.0}, b[2] = {1.0, 1.0};
    CHECK_INT(cn_dense_ldlt_init(&ldlt, 2, &arena), CN_OK);
    cn_dense_ldlt_factor(&ldlt, zero);
    cn_dense_ldlt_solve(&ldlt, b, b);
    CHECK_INT(ldlt.rank, 0);
    CHECK_NEAR(b[0], 0.0, 0.0);
    cn_arena_destroy(&arena);
}

// Every width of registers gives the bits of plain loops, for all lengths, with zeros in the way.
static void kernels_have_the_bits_of_plain_loops(void) {
    const CnDenseKernels* const widths[] = {&cn_dense_kernels_128, CN_WIDEST(cn_dense_kernels)};
    CnRandom random = {7};
    double a[LONGEST], b[LONGEST], sum[LONGEST], kept[LONGEST];
    for (int n = 0; n <= LONGEST; ++n) {
        double part[4] = {0.0}, most = 0.0, scale = sample(&random);
        for (int i = 0; i < n; ++i) {
            a[i] = i % 5 == 3 ? 0.0 : sample(&random);
            b[i] = sample(&random);
            sum[i] = b[i] + scale * a[i];
            part[i < n - n % 4 ? i % 4 : 0] += a[i] * b[i];
            most = fmax(most, fabs(a[i]));
        }
        for (int w = 0; w < 2; ++w) {
            CHECK(widths[w]->dot(n, a, b) == (part[0] + part[1]) + (part[2] + part[3]));
            CHECK(widths[w]->largest(n, a) == most);
            memcpy(kept, b, sizeof kept);
            widths[w]->add_scaled(n, scale, a, kept);
            CHECK(memcmp(kept, sum, (size_t)n * sizeof *kept) == 0);
        }
    }
}

static void eliminations_have_the_bits_of_plain_loops(void) {
    const CnDenseKernels* const widths[] = {&cn_dense_kernels_128, CN_WIDEST(cn_dense_kernels)};
    CnRandom random = {8};
    double a[LARGEST_LU * LARGEST_LU], plain[LARGEST_LU * LARGEST_LU], own[LARGEST_LU * LARGEST_LU];
    for (int n = 1; n <= LARGEST_LU; ++n) {
        for (int i = 0; i < n * n; ++i) {
            a[i] = plain[i] = i % 7 == 3 ? 0.0 : sample(&random) + (i % (n + 1) == 0 ? 3.0 : 0.0);
        }
        for (int i = 1; i < n; ++i) {
            plain[i * n] /= plain[0];
            for (int k = 1; plain[i * n] != 0.0 && k < n; ++k) {
                plain[i * n + k] += -plain[i * n] * plain[k];
            }
        }
        for (int w = 0; w < 2; ++w) {
            memcpy(own, a, sizeof own);
            widths[w]->eliminate(n, 0, own);
            CHECK(memcmp(own, plain, (size_t)(n * n) * sizeof *own) == 0);
        }
    }
}

TEST_MAIN("linalg/dense", TEST(kernels_have_the_bits_of_plain_loops),
          TEST(eliminations_have_the_bits_of_plain_loops), TEST(dot_adds_in_any_length),
          TEST(lu_solves_a_system_that_needs_row_exchanges), TEST(lu_says_so_when_rows_repeat),
          TEST(lu_residual_is_round_off_for_all_sizes), TEST(triangular_solves_undo_products),
          TEST(ldlt_finds_the_rank_and_solves_consistent_systems),
          TEST(ldlt_rank_does_not_depend_on_units), TEST(ldlt_keeps_full_rank_at_condition_1e12),
          TEST(ldlt_of_nothing_and_of_zero))
