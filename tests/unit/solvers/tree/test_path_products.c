// test_path_products.c - products of rows with paths: plain, and in registers of every width.
#include "solvers/tree/machine_paths.h"

#include "math/simd.h"
#include "support/test.h"

#include "cairn/random.h"

enum { AXES = 40, MOST_STRIDE = 28 };

// Rows on some of the axes, in any order. y has one more, which fills up the path.
typedef struct Rows {
    int rows, axis[MOST_STRIDE];
    double value[CN_MAX_ROWS * MOST_STRIDE], change[CN_MAX_ROWS], y[AXES + 1];
    CnRowPath path;
} Rows;

static void draw_rows(Rows* it, int rows, int count, CnRandom* random) {
    *it = (Rows){.rows = rows};
    int stride = (count + CN_PATH_LANES - 1) / CN_PATH_LANES * CN_PATH_LANES;
    for (int k = 0; k < stride; ++k) {
        it->axis[k] = k < count ? (7 * k + 3) % AXES : AXES; // 7 and AXES have no common factor
        for (int i = 0; k < count && i < rows; ++i) {
            it->value[i * stride + k] = cn_random_between(random, -1.0, 1.0);
        }
    }
    for (int k = 0; k < AXES; ++k) {
        it->y[k] = cn_random_between(random, -1.0, 1.0);
    }
    for (int i = 0; i < rows; ++i) {
        it->change[i] = cn_random_between(random, -1.0, 1.0);
    }
    it->path = (CnRowPath){it->axis, it->value, count, stride};
}

// Each sum has at most 28 products below 1, each addition a relative error of 2^-53.
#define ROUND_OFF (28.0 * 28.0 * 0x1p-53)

static void plain_products_are_sums_over_the_path(void) {
    CnRandom random = {5};
    for (int count = 1; count <= MOST_STRIDE; ++count) {
        Rows it;
        double sum[CN_MAX_ROWS], before[AXES + 1], after[AXES + 1];
        draw_rows(&it, 1 + count % CN_MAX_ROWS, count, &random);
        memcpy(before, it.y, sizeof before);
        memcpy(after, it.y, sizeof after);
        cn_path_products_plain.read(&it.path, it.rows, it.y, sum);
        cn_path_products_plain.write(&it.path, it.rows, it.change, it.y);
        for (int i = 0; i < it.rows; ++i) {
            const double* value = it.value + i * it.path.stride;
            for (int k = 0; k < count; ++k) {
                sum[i] -= value[k] * before[it.axis[k]];
                after[it.axis[k]] += value[k] * it.change[i];
            }
            CHECK_NEAR(sum[i], 0.0, ROUND_OFF);
        }
        for (int k = 0; k <= AXES; ++k) {
            CHECK_NEAR(it.y[k], after[k], ROUND_OFF);
        }
        CHECK(it.y[AXES] == 0.0);
    }
}

static void check_same_bits(const CnPathProducts* products) {
    CnRandom random = {6};
    for (int rows = 1; rows <= CN_MAX_ROWS; ++rows) {
        for (int count = 1; count <= MOST_STRIDE; ++count) {
            Rows plain, fast;
            double sum[2][CN_MAX_ROWS];
            draw_rows(&plain, rows, count, &random);
            fast = plain;
            cn_path_products_plain.read(&plain.path, rows, plain.y, sum[0]);
            cn_path_products_plain.write(&plain.path, rows, plain.change, plain.y);
            products->read(&plain.path, rows, fast.y, sum[1]);
            products->write(&plain.path, rows, fast.change, fast.y);
            CHECK(memcmp(sum[0], sum[1], (size_t)rows * sizeof(double)) == 0);
            CHECK(memcmp(plain.y, fast.y, sizeof plain.y) == 0);
        }
    }
}

static void lanes_of_two_give_the_bits_of_one(void) {
    check_same_bits(&cn_path_products_128);
}

static void widest_lanes_give_the_bits_of_one(void) {
    check_same_bits(CN_WIDEST(cn_path_products));
}

TEST_MAIN("unit/solvers/tree/path_products", TEST(plain_products_are_sums_over_the_path),
          TEST(lanes_of_two_give_the_bits_of_one), TEST(widest_lanes_give_the_bits_of_one))
