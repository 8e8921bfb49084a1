// test_lu_front.c - dense fronts to the bit as plain loops eliminate them, in every register width.
#include "linalg/lu/lu_front.h"

#include "cairn/random.h"
#include "linalg/lu/front_update.h"
#include "math/simd.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 90, STRIDE = LARGEST + CN_FRONT_PADDING };

static void fill(CnRandom* random, double* a, int count) {
    for (int i = 0; i < count; ++i) {
        a[i] = cn_random_between(random, -1.0, 1.0);
    }
}

// Whether the n columns of all rows agree bit by bit.
static bool is_same(const double* a, const double* b, size_t stride, int rows, int n) {
    for (int i = 0; i < rows; ++i) {
        if (memcmp(a + (size_t)i * stride, b + (size_t)i * stride, (size_t)n * sizeof(double)) !=
            0) {
            return false;
        }
    }
    return true;
}

// ---- the parts ----

static int widths(const CnFrontFunctions* functions[2]) {
    int count = 0;
    functions[count++] = &cn_front_functions_128;
#if defined(__x86_64__)
    if (cn_has_avx2()) {
        functions[count++] = &cn_front_functions_256;
    }
#endif
    return count;
}

static void plain_update(double* c, const double* l, const double* u, int rows, int columns,
                         int depth) {
    for (int k = 0; k < depth; ++k) {
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) {
                c[i * STRIDE + j] -= l[i * STRIDE + k] * u[k * STRIDE + j];
            }
        }
    }
}

// Every remainder of rows and columns by a tile, every depth.
static void updates_have_the_bits_of_the_triple_loop(void) {
    static double start[40 * STRIDE], l[40 * STRIDE], u[CN_FRONT_PANEL * STRIDE];
    static double wanted[40 * STRIDE], found[40 * STRIDE];
    const CnFrontFunctions* functions[2];
    int count = widths(functions), wrong = 0;
    CnRandom random = {1};
    fill(&random, start, 40 * STRIDE);
    fill(&random, l, 40 * STRIDE);
    fill(&random, u, CN_FRONT_PANEL * STRIDE);
    for (int rows = 0; rows <= 9; ++rows) {
        for (int columns = 0; columns <= 35; ++columns) {
            int depth = 1 + (rows + columns) % CN_FRONT_PANEL;
            memcpy(wanted, start, sizeof wanted);
            plain_update(wanted, l, u, rows, columns, depth);
            for (int f = 0; f < count; ++f) {
                memcpy(found, start, sizeof found);
                functions[f]->update(found, l, u, STRIDE, rows, columns, depth);
                wrong += !is_same(wanted, found, STRIDE, rows, columns);
                wrong += !is_same(start + rows * STRIDE, found + rows * STRIDE, STRIDE, 40 - rows,
                                  STRIDE); // rows below stay
            }
        }
    }
    CHECK_INT(wrong, 0);
}

static void plain_reduce(double* x, const double* u, const double* inverse, int rows, int width) {
    for (int i = 0; i < rows; ++i, x += STRIDE) {
        for (int k = 0; k < width; ++k) {
            x[k] *= inverse[k];
            for (int j = k + 1; j < width; ++j) {
                x[j] -= x[k] * u[k * STRIDE + j];
            }
        }
    }
}

static void reductions_have_the_bits_of_plain_loops(void) {
    static double start[12 * STRIDE], wanted[12 * STRIDE], found[12 * STRIDE];
    static double u[CN_FRONT_PANEL * STRIDE], inverse[CN_FRONT_PANEL];
    const CnFrontFunctions* functions[2];
    int count = widths(functions), wrong = 0;
    CnRandom random = {2};
    fill(&random, start, 12 * STRIDE);
    fill(&random, u, CN_FRONT_PANEL * STRIDE);
    fill(&random, inverse, CN_FRONT_PANEL);
    for (int rows = 0; rows <= 11; ++rows) {
        for (int width = 1; width <= CN_FRONT_PANEL; ++width) {
            memcpy(wanted, start, sizeof wanted);
            plain_reduce(wanted, u, inverse, rows, width);
            for (int f = 0; f < count; ++f) {
                memcpy(found, start, sizeof found);
                functions[f]->reduce(found, u, inverse, STRIDE, rows, width);
                wrong += !is_same(wanted, found, STRIDE, 12, STRIDE);
            }
        }
    }
    CHECK_INT(wrong, 0);
}

// ---- the whole ----

static void exchange(double* a, size_t stride, int n, int i, int k) {
    for (int j = 0; j < n; ++j) {
        double kept = a[(size_t)i * stride + (size_t)j];
        a[(size_t)i * stride + (size_t)j] = a[(size_t)k * stride + (size_t)j];
        a[(size_t)k * stride + (size_t)j] = kept;
    }
}

// Column by column, as the textbook does; a diagonal below a tenth of the largest gives way.
static void plain_eliminate(double* a, int n, int pivots, int* swap) {
    size_t stride = cn_lu_front_stride(n);
    for (int k = 0; k < pivots; ++k) {
        const double* column = a + k;
        int best = k;
        for (int i = k + 1; i < pivots; ++i) {
            best =
                fabs(column[(size_t)i * stride]) > fabs(column[(size_t)best * stride]) ? i : best;
        }
        if (fabs(column[(size_t)k * stride]) >= 0.1 * fabs(column[(size_t)best * stride])) {
            best = k;
        }
        swap[k] = best;
        if (best != k) {
            exchange(a, stride, n, k, best);
        }
        const double* row = a + (size_t)k * stride;
        double inverse = 1.0 / row[k];
        for (int i = k + 1; i < n; ++i) {
            double* other = a + (size_t)i * stride;
            other[k] *= inverse;
            for (int j = k + 1; j < n; ++j) {
                other[j] -= other[k] * row[j];
            }
        }
    }
}

// Small diagonals force exchanges in a third of the columns.
static void fronts_have_the_bits_of_the_textbook(void) {
    static double start[LARGEST * STRIDE], wanted[LARGEST * STRIDE], found[LARGEST * STRIDE];
    double size[LARGEST];
    int swap[2][LARGEST];
    int wrong = 0, exchanges = 0;
    CnRandom random = {3};
    for (int n = 1; n <= LARGEST; n += n < 30 ? 1 : 20) {
        for (int pivots = 1; pivots <= n; pivots += 1 + n / 8) {
            size_t stride = cn_lu_front_stride(n);
            fill(&random, start, n * (int)stride);
            for (int i = 0; i < n; ++i) {
                size[i] = 1.0;
                start[(size_t)i * (stride + 1)] += i % 3 == 0 ? 0.0 : 2.0;
            }
            memcpy(wanted, start, sizeof wanted);
            memcpy(found, start, sizeof found);
            plain_eliminate(wanted, n, pivots, swap[0]);
            CnLuPivots record = {.sign = 1, .least = HUGE_VAL, .size = size};
            CHECK(cn_lu_front_eliminate(found, n, pivots, swap[1], &record));
            wrong += !is_same(wanted, found, stride, n, n);
            for (int k = 0; k < pivots; ++k) {
                wrong += swap[0][k] != swap[1][k];
                exchanges += swap[1][k] != k;
            }
        }
    }
    CHECK_INT(wrong, 0);
    CHECK(exchanges > 100); // else the test does not test them
}

// The sign of the pivots and of the exchanges: that of the determinant of the pivots' square.
static void a_zero_pivot_is_told_and_signs_are_counted(void) {
    const double square[2][2] = {{0.0, 1.0}, {1.0, 0.0}}; // determinant -1
    double a[2 * (2 + CN_FRONT_PADDING)] = {0.0}, size[2] = {1.0, 1.0};
    int swap[2];
    size_t stride = cn_lu_front_stride(2);
    CnLuPivots record = {.sign = 1, .least = HUGE_VAL, .size = size};
    for (size_t i = 0; i < 4; ++i) {
        a[i / 2 * stride + i % 2] = square[i / 2][i % 2];
    }
    CHECK(cn_lu_front_eliminate(a, 2, 2, swap, &record));
    CHECK_INT(record.sign, -1);
    CHECK_INT(swap[0], 1);
    memset(a, 0, sizeof a);
    CHECK(!cn_lu_front_eliminate(a, 2, 2, swap, &record));
}

TEST_MAIN("linalg/lu_front", TEST(updates_have_the_bits_of_the_triple_loop),
          TEST(reductions_have_the_bits_of_plain_loops), TEST(fronts_have_the_bits_of_the_textbook),
          TEST(a_zero_pivot_is_told_and_signs_are_counted))
