// test_eigenvalues.c - eigenvalues of symmetric matrices that are known in closed form.
#include "cairn/math.h"
#include "cairn/random.h"
#include "linalg/eigenvalues.h"
#include "support/test.h"

#include <stdlib.h>

#define ROUND_OFF 2.2e-16 // of one operation

// The second difference has eigenvalues 2 - 2 cos(k pi / (n + 1)).
static void second_differences_have_cosines(void) {
    enum { N = 40 };
    double a[N * N] = {0.0}, value[N], scratch[N];
    for (int i = 0; i < N; ++i) {
        a[i * N + i] = 2.0;
        if (i > 0) {
            a[i * N + i - 1] = -1.0;
        }
    }
    CHECK(cn_eigenvalues_symmetric(N, a, value, scratch));
    for (int k = 0; k < N; ++k) {
        CHECK_NEAR(value[k], 2.0 - 2.0 * cn_cos((k + 1) * CN_PI / (N + 1)), N * 4.0 * ROUND_OFF);
    }
}

// Q D Q^T with Q a product of reflections: eigenvalues from 1e-8 to 1e4, two of them equal, one 0.
static void reflected_diagonals_keep_their_entries(void) {
    enum { N = 25 };
    double a[N * N] = {0.0}, value[N], scratch[N], wanted[N];
    CnRandom random = {7};
    for (int i = 0; i < N; ++i) {
        wanted[i] = i == 0 ? 0.0 : i == 1 ? 1e-8 : i < N - 1 ? 0.5 * i : 1e4;
    }
    wanted[5] = wanted[6];
    for (int i = 0; i < N; ++i) {
        a[i * N + i] = wanted[i];
    }
    for (int k = 0; k < N; ++k) {
        double v[N], square = 0.0;
        for (int i = 0; i < N; ++i) {
            v[i] = cn_random_between(&random, -1.0, 1.0);
            square += v[i] * v[i];
        }
        for (int side = 0; side < 2; ++side) { // H A, then A H
            for (int j = 0; j < N; ++j) {
                double sum = 0.0;
                for (int i = 0; i < N; ++i) {
                    sum += v[i] * (side == 0 ? a[i * N + j] : a[j * N + i]);
                }
                for (int i = 0; i < N; ++i) {
                    *(side == 0 ? &a[i * N + j] : &a[j * N + i]) -= 2.0 * v[i] * sum / square;
                }
            }
        }
    }
    CHECK(cn_eigenvalues_symmetric(N, a, value, scratch));
    for (int k = 0; k < N; ++k) { // 25 reflections of 25 rows, each to round-off of the largest
        CHECK_NEAR(value[k], wanted[k], 1e4 * N * N * ROUND_OFF);
    }
}

// One row, two rows, nothing but zeros, and blocks that do not touch.
static void small_and_split_matrices(void) {
    double one[1] = {-3.0}, two[4] = {2.0, 0.0, 1.0, 2.0}, zero[9] = {0.0};
    double split[16] = {1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 4};
    double value[4], scratch[4];
    CHECK(cn_eigenvalues_symmetric(0, one, value, scratch));
    CHECK(cn_eigenvalues_symmetric(1, one, value, scratch) && value[0] == -3.0);
    CHECK(cn_eigenvalues_symmetric(2, two, value, scratch));
    CHECK_NEAR(value[0], 1.0, 4.0 * ROUND_OFF);
    CHECK_NEAR(value[1], 3.0, 8.0 * ROUND_OFF);
    CHECK(cn_eigenvalues_symmetric(3, zero, value, scratch) && value[0] == 0.0 && value[2] == 0.0);
    CHECK(cn_eigenvalues_symmetric(4, split, value, scratch)); // -1, 3, 4, 5
    const double wanted[4] = {-1.0, 3.0, 4.0, 5.0};
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(value[i], wanted[i], 20.0 * ROUND_OFF);
    }
}

TEST_MAIN("linalg/eigenvalues", TEST(second_differences_have_cosines),
          TEST(reflected_diagonals_keep_their_entries), TEST(small_and_split_matrices))
