// test_cholesky.c - rows come and go, and the factor stays that of the rows present.
#include "linalg/cholesky.h"

#include "cairn/random.h"
#include "linalg/dense.h"
#include "support/test.h"

enum { N = 20 };

// Unit diagonal, G G^T with G of `rank` columns.
static void fill(CnRandom* random, int rank, double* a) {
    double g[N][N] = {{0}};
    for (int i = 0; i < N; ++i) {
        double squared = 0.0;
        for (int k = 0; k < rank; ++k) {
            g[i][k] = cn_random_between(random, -1.0, 1.0);
            squared += g[i][k] * g[i][k];
        }
        for (int k = 0; k < rank; ++k) {
            g[i][k] /= sqrt(squared);
        }
        for (int j = 0; j <= i; ++j) {
            a[i * N + j] = a[j * N + i] = cn_dense_dot(rank, g[i], g[j]);
        }
    }
}

static double largest_error(const CnCholesky* cholesky) {
    double largest = 0.0;
    for (int i = 0; i < cholesky->count; ++i) {
        for (int j = 0; j <= i; ++j) {
            double product = cn_dense_dot(j + 1, &cholesky->l[i * N], &cholesky->l[j * N]);
            double wanted = cholesky->a[cholesky->row[i] * N + cholesky->row[j]];
            largest = fmax(largest, fabs(product - wanted));
        }
    }
    return largest;
}

static void the_factor_survives_a_thousand_changes(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {10};
    double a[N * N];
    bool present[N] = {false};
    fill(&random, N, a);
    CnCholesky cholesky;
    CHECK_INT(cn_cholesky_init(&cholesky, a, N, &arena), CN_OK);
    for (int change = 0; change < 1000; ++change) {
        int i = (int)(cn_random_next(&random) % N);
        if (present[i]) {
            int place = 0;
            while (cholesky.row[place] != i) {
                ++place;
            }
            cn_cholesky_remove(&cholesky, place);
        } else {
            CHECK(cn_cholesky_add(&cholesky, i, 1e-13));
        }
        present[i] = !present[i];
        CHECK(largest_error(&cholesky) <= 1e-13); // rotations are stable: 1000 changes, eps each
    }
    cn_arena_destroy(&arena);
}

static void dependent_rows_do_not_join(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {11};
    double a[N * N];
    fill(&random, 7, a);
    CnCholesky cholesky;
    CHECK_INT(cn_cholesky_init(&cholesky, a, N, &arena), CN_OK);
    for (int i = 0; i < N; ++i) {
        CHECK_INT(cn_cholesky_add(&cholesky, i, 1e-12), i < 7);
    }
    double direction[N], sum = 0.0;
    CHECK_NEAR(cn_cholesky_remainder(&cholesky, 12, direction), 0.0, 1e-12);
    for (int k = 0; k < 7; ++k) { // row 12 is this combination of the rows present
        sum += direction[k] * a[cholesky.row[k] * N + 15];
    }
    CHECK_NEAR(sum, a[12 * N + 15], 1e-12);
    cn_cholesky_remove(&cholesky, 3);
    CHECK(cn_cholesky_remainder(&cholesky, 12, direction) > 1e-6); // room again
    CHECK(cn_cholesky_add(&cholesky, 12, 1e-12));
    cn_arena_destroy(&arena);
}

static void solving_undoes_the_chosen_rows(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnRandom random = {12};
    double a[N * N], x[4] = {0};
    static const int rows[4] = {9, 2, 17, 5};
    static const double wanted[4] = {1.0, -2.0, 3.0, 0.5};
    fill(&random, N, a);
    CnCholesky cholesky;
    CHECK_INT(cn_cholesky_init(&cholesky, a, N, &arena), CN_OK);
    for (int i = 0; i < 4; ++i) {
        CHECK(cn_cholesky_add(&cholesky, rows[i], 1e-12));
        for (int j = 0; j < 4; ++j) {
            x[i] += a[rows[i] * N + rows[j]] * wanted[j];
        }
    }
    cn_cholesky_solve(&cholesky, x);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(x[i], wanted[i], 1e-13); // four near-orthogonal rows: condition below 10
    }
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/cholesky", TEST(the_factor_survives_a_thousand_changes),
          TEST(dependent_rows_do_not_join), TEST(solving_undoes_the_chosen_rows))
