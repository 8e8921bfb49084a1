// test_ldlt.c - the sparse factorisation against CHOLMOD and against ranks known beforehand.
#include "linalg/ldlt.h"

#include "cairn/random.h"
#include "support/test.h"

#include <cholmod.h>
#include <float.h>

static double sample(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// The lower triangle of a dense symmetric matrix, without its zeros.
static CnSparse from_dense(CnArena* arena, int n, const double* a) {
    CnSparse sparse = {.n = n,
                       .start = CN_ARENA_NEW(arena, int, n + 1),
                       .row = CN_ARENA_NEW(arena, int, n* n),
                       .value = CN_ARENA_NEW(arena, double, n* n)};
    int count = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            if (a[i * n + j] != 0.0) {
                sparse.row[count] = i;
                sparse.value[count++] = a[i * n + j];
            }
        }
        sparse.start[j + 1] = count;
    }
    return sparse;
}

static void set_both(double* a, int n, int i, int j, double value) {
    a[i * n + j] = value;
    a[j * n + i] = value;
}

// Diagonally dominant, so positive definite, on a random pattern.
static CnSparse random_definite(CnArena* arena, CnRandom* random, int n, double density) {
    double* a = CN_ARENA_NEW(arena, double, n* n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            if (cn_random_between(random, 0.0, 1.0) < density) {
                double value = sample(random);
                set_both(a, n, i, j, value);
                a[i * n + i] += fabs(value);
                a[j * n + j] += fabs(value);
            }
        }
        a[i * n + i] += 0.1;
    }
    return from_dense(arena, n, a);
}

// Laplacian of a width x width grid plus `shift` on the diagonal; shift 0: rank n - 1.
static CnSparse grid(CnArena* arena, int width, double shift) {
    int n = width * width;
    double* a = CN_ARENA_NEW(arena, double, n* n);
    for (int i = 0; i < n; ++i) {
        a[i * n + i] += shift;
        int neighbors[2] = {i % width + 1 < width ? i + 1 : -1, i + width < n ? i + width : -1};
        for (int k = 0; k < 2; ++k) {
            int j = neighbors[k];
            if (j >= 0) {
                set_both(a, n, i, j, -1.0);
                a[i * n + i] += 1.0;
                a[j * n + j] += 1.0;
            }
        }
    }
    return from_dense(arena, n, a);
}

// One dense first row: without reordering it fills the whole factor, with it nothing.
static CnSparse arrow(CnArena* arena, int n) {
    double* a = CN_ARENA_NEW(arena, double, n* n);
    for (int i = 0; i < n; ++i) {
        set_both(a, n, i, 0, 1.0);
        a[i * n + i] = i == 0 ? n : 2.0;
    }
    return from_dense(arena, n, a);
}

static CnSparse banded(CnArena* arena, int n, int band) {
    double* a = CN_ARENA_NEW(arena, double, n* n);
    for (int i = 0; i < n; ++i) {
        for (int j = i; j < n && j <= i + band; ++j) {
            set_both(a, n, i, j, i == j ? 2.0 * band + 1.0 : -1.0);
        }
    }
    return from_dense(arena, n, a);
}

static double* vector(CnArena* arena, CnRandom* random, int n) {
    double* x = CN_ARENA_NEW(arena, double, n);
    for (int i = 0; i < n; ++i) {
        x[i] = sample(random);
    }
    return x;
}

static double largest_difference(int n, const double* a, const double* b) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// CHOLMOD's view of the same memory.
static cholmod_sparse as_cholmod(const CnSparse* a) {
    return (cholmod_sparse){.nrow = (size_t)a->n,
                            .ncol = (size_t)a->n,
                            .nzmax = (size_t)a->start[a->n],
                            .p = a->start,
                            .i = a->row,
                            .x = a->value,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

// CHOLMOD with the same ordering: its solution, and the entries of its L below the diagonal.
static double solve_with_cholmod(const CnSparse* a, const double* b, double* x) {
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_AMD;
    cholmod_sparse matrix = as_cholmod(a);
    cholmod_factor* factor = cholmod_analyze(&matrix, &common);
    CHECK(cholmod_factorize(&matrix, factor, &common));
    cholmod_dense* right =
        cholmod_allocate_dense((size_t)a->n, 1, (size_t)a->n, CHOLMOD_REAL, &common);
    memcpy(right->x, b, (size_t)a->n * sizeof *b);
    cholmod_dense* answer = cholmod_solve(CHOLMOD_A, factor, right, &common);
    memcpy(x, answer->x, (size_t)a->n * sizeof *x);
    double fill = common.lnz - a->n;
    cholmod_free_dense(&right, &common);
    cholmod_free_dense(&answer, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
    return fill;
}

static void check_against_cholmod(CnArena* arena, CnRandom* random, const CnSparse* a,
                                  double condition) {
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, a, arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, a, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, a->n);
    double* b = vector(arena, random, a->n);
    double* x = CN_ARENA_NEW(arena, double, a->n);
    double* oracle = CN_ARENA_NEW(arena, double, a->n);
    cn_ldlt_solve(&ldlt, b, x);
    double fill = solve_with_cholmod(a, b, oracle);
    double size = 0.0;
    for (int i = 0; i < a->n; ++i) {
        size = fmax(size, fabs(oracle[i]));
    }
    // Both are backward stable: answers differ by some n eps condition.
    CHECK(largest_difference(a->n, x, oracle) <= 10.0 * a->n * DBL_EPSILON * condition * size);
    CHECK((double)ldlt.factor_count <= 1.5 * fill + 1.0);
}

static void agrees_with_cholmod_on_random_matrices(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {3};
    for (int n = 1; n <= 120; n += 1 + n / 8) {
        CnArenaMark mark = cn_arena_mark(&arena);
        CnSparse a = random_definite(&arena, &random, n, fmin(1.0, 4.0 / n));
        check_against_cholmod(&arena, &random, &a, 100.0); // Gershgorin: [0.1, about 10]
        cn_arena_release(&arena, mark);
    }
    cn_arena_destroy(&arena);
}

static void agrees_with_cholmod_on_grids_bands_and_arrows(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {4};
    CnSparse matrices[4] = {grid(&arena, 30, 0.01), banded(&arena, 200, 3), arrow(&arena, 300),
                            grid(&arena, 2, 1.0)};
    double conditions[4] = {800.0, 13.0, 600.0, 5.0}; // Gershgorin over the smallest eigenvalue
    for (int i = 0; i < 4; ++i) {
        check_against_cholmod(&arena, &random, &matrices[i], conditions[i]);
    }
    cn_arena_destroy(&arena);
}

static void an_arrow_does_not_fill(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnSparse a = arrow(&arena, 200);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &a, &arena), CN_OK);
    CHECK_INT(ldlt.factor_count, 199); // the tip is eliminated last (or next to last)
    cn_arena_destroy(&arena);
}

static void condition_1e12_solves_to_a_small_residual(void) {
    // A = H D H, H a reflection, D from 1 down to 1e-12: condition 1e12 in every direction.
    enum { N = 24 };
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {5};
    double* a = CN_ARENA_NEW(&arena, double, N* N);
    double *v = vector(&arena, &random, N), *b = vector(&arena, &random, N);
    double *x = CN_ARENA_NEW(&arena, double, N), *ax = CN_ARENA_NEW(&arena, double, N);
    double squared = 0.0;
    for (int i = 0; i < N; ++i) {
        squared += v[i] * v[i];
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            for (int k = 0; k < N; ++k) {
                double hi = (i == k ? 1.0 : 0.0) - 2.0 * v[i] * v[k] / squared;
                double hj = (j == k ? 1.0 : 0.0) - 2.0 * v[j] * v[k] / squared;
                a[i * N + j] += hi * hj * pow(1e-12, k / (N - 1.0));
            }
        }
    }
    CnSparse sparse = from_dense(&arena, N, a);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &sparse, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &sparse, 4.0 * DBL_EPSILON)); // the tolerance is the caller's
    CHECK_INT(ldlt.rank, N);
    cn_ldlt_solve(&ldlt, b, x);
    cn_sparse_multiply(&sparse, x, ax);
    double size = 0.0;
    for (int i = 0; i < N; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    CHECK(size > 1e8); // the small eigenvalues were felt
    CHECK(largest_difference(N, ax, b) <= 10.0 * N * DBL_EPSILON * size); // backward stable
    cn_arena_destroy(&arena);
}

static void a_floating_grid_has_one_redundant_row(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {6};
    CnSparse a = grid(&arena, 20, 0.0); // null vector: all ones
    int n = a.n;
    double *x = vector(&arena, &random, n), *b = CN_ARENA_NEW(&arena, double, n);
    double* ax = CN_ARENA_NEW(&arena, double, n);
    cn_sparse_multiply(&a, x, b);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &a, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &a, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, n - 1);
    CHECK(ldlt.redundant[ldlt.order[n - 1]]); // only the last can depend on all others
    cn_ldlt_solve(&ldlt, b, x);
    CHECK_NEAR(x[ldlt.order[n - 1]], 0.0, 0.0);
    cn_sparse_multiply(&a, x, ax);
    CHECK(largest_difference(n, ax, b) <= 1e-12); // n eps |A| |x| = 400 * 2e-16 * 8 * 1
    cn_arena_destroy(&arena);
}

static void repeated_rows_are_found_wherever_they_are(void) {
    // A = G G^T; rows 1, 4, 6 repeat rows 0, 3, 5 with another sign or size, so rank is 5 of 8.
    enum { N = 8, WIDTH = 6 };
    static const int source[N] = {0, 0, 2, 3, 3, 5, 5, 7};
    static const double factor[N] = {1.0, -1.0, 1.0, 1.0, 1e-4, 1.0, 1e4, 1.0};
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {7};
    double g[N][WIDTH], a[N * N] = {0};
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < WIDTH; ++k) {
            g[i][k] = source[i] == i ? sample(&random) : factor[i] * g[source[i]][k];
        }
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < WIDTH; ++k) {
                sum += g[i][k] * g[j][k];
            }
            set_both(a, N, i, j, sum);
        }
    }
    CnSparse sparse = from_dense(&arena, N, a);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &sparse, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &sparse, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, 5);
    CHECK_INT(ldlt.redundant[0] + ldlt.redundant[1], 1);
    CHECK_INT(ldlt.redundant[3] + ldlt.redundant[4], 1);
    CHECK_INT(ldlt.redundant[5] + ldlt.redundant[6], 1);
    CHECK(!ldlt.redundant[2] && !ldlt.redundant[7]);
    cn_arena_destroy(&arena);
}

static void a_quasi_definite_matrix_is_factored_too(void) {
    // [1 0 1; 0 2 1; 1 1 -1/2], b = (2, 3, 3/2): x = (1, 1, 1); one pivot is negative.
    double a[9] = {1.0, 0.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, -0.5};
    double x[3] = {2.0, 3.0, 1.5};
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnSparse sparse = from_dense(&arena, 3, a);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &sparse, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &sparse, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, 3);
    cn_ldlt_solve(&ldlt, x, x);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(x[i], 1.0, 1e-14); // condition about 5
    }
    cn_arena_destroy(&arena);
}

static void small_and_empty_matrices_work(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnLdlt ldlt;
    CnSparse nothing = from_dense(&arena, 0, NULL);
    CHECK_INT(cn_ldlt_analyze(&ldlt, &nothing, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &nothing, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, 0);

    double four = 4.0, x = 2.0;
    CnSparse one = from_dense(&arena, 1, &four);
    CHECK_INT(cn_ldlt_analyze(&ldlt, &one, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &one, CN_LDLT_ROUND_OFF));
    cn_ldlt_solve(&ldlt, &x, &x);
    CHECK_NEAR(x, 0.5, 0.0);

    double zeros[4] = {0.0}, b[2] = {1.0, 2.0};
    CnSparse empty_columns = from_dense(&arena, 2, zeros);
    CHECK_INT(cn_ldlt_analyze(&ldlt, &empty_columns, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &empty_columns, CN_LDLT_ROUND_OFF));
    CHECK_INT(ldlt.rank, 0);
    cn_ldlt_solve(&ldlt, b, b);
    CHECK_NEAR(b[1], 0.0, 0.0);
    cn_arena_destroy(&arena);
}

static void not_a_number_is_reported(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnLdlt ldlt;
    CnSparse a = banded(&arena, 5, 1);
    a.value[4] = (double)NAN;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &a, &arena), CN_OK);
    CHECK(!cn_ldlt_factor(&ldlt, &a, CN_LDLT_ROUND_OFF));
    cn_arena_destroy(&arena);
}

static void factoring_again_gives_the_same_bits(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {8};
    CnSparse a = grid(&arena, 12, 0.3);
    double* b = vector(&arena, &random, a.n);
    double *x = CN_ARENA_NEW(&arena, double, a.n), *y = CN_ARENA_NEW(&arena, double, a.n);
    CnLdlt ldlt;
    CHECK_INT(cn_ldlt_analyze(&ldlt, &a, &arena), CN_OK);
    CHECK(cn_ldlt_factor(&ldlt, &a, CN_LDLT_ROUND_OFF));
    cn_ldlt_solve(&ldlt, b, x);
    CHECK(cn_ldlt_factor(&ldlt, &a, CN_LDLT_ROUND_OFF));
    cn_ldlt_solve(&ldlt, b, y);
    CHECK(memcmp(x, y, (size_t)a.n * sizeof *x) == 0);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/ldlt", TEST(agrees_with_cholmod_on_random_matrices),
          TEST(agrees_with_cholmod_on_grids_bands_and_arrows), TEST(an_arrow_does_not_fill),
          TEST(condition_1e12_solves_to_a_small_residual),
          TEST(a_floating_grid_has_one_redundant_row),
          TEST(repeated_rows_are_found_wherever_they_are),
          TEST(a_quasi_definite_matrix_is_factored_too), TEST(small_and_empty_matrices_work),
          TEST(not_a_number_is_reported), TEST(factoring_again_gives_the_same_bits))
