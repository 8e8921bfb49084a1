// test_path_products.c - products of rows with paths: plain, and in registers of every width.
#include "solvers/tree/machine_paths.h"

#include "math/simd.h"
#include "support/test.h"

#include "cairn/random.h"

enum { FOURS = 12, PLACES = FOURS * CN_PATH_LANES, MOST_FOURS = 9 };

// Rows on some of the fours, in any order.
typedef struct Rows {
    int rows, place[MOST_FOURS];
    double value[CN_MAX_ROWS * MOST_FOURS * CN_PATH_LANES];
    double change[CN_MAX_ROWS], further[CN_MAX_ROWS], y[PLACES], y_further[PLACES];
    CnRowPath path;
} Rows;

static void draw_rows(Rows* it, int rows, int fours, CnRandom* random) {
    *it = (Rows){.rows = rows};
    for (int k = 0; k < fours; ++k) {
        it->place[k] = (7 * k + 3) % FOURS * CN_PATH_LANES; // 7 and FOURS have no common factor
    }
    for (int k = 0; k < fours * rows * CN_PATH_LANES; ++k) {
        it->value[k] = cn_random_between(random, -1.0, 1.0);
    }
    for (int k = 0; k < PLACES; ++k) {
        it->y[k] = cn_random_between(random, -1.0, 1.0);
        it->y_further[k] = cn_random_between(random, -1.0, 1.0);
    }
    for (int i = 0; i < rows; ++i) {
        it->change[i] = cn_random_between(random, -1.0, 1.0);
        it->further[i] = cn_random_between(random, -1.0, 1.0);
    }
    it->path = (CnRowPath){it->place, it->value, fours};
}

static double value_of(const Rows* it, int row, int four, int lane) {
    return it->value[(four * it->rows + row) * CN_PATH_LANES + lane];
}

// Each sum has at most 36 products below 1, each addition a relative error of 2^-53.
#define ROUND_OFF (36.0 * 36.0 * 0x1p-53)

static void plain_products_are_sums_over_the_path(void) {
    CnRandom random = {5};
    for (int fours = 1; fours <= MOST_FOURS; ++fours) {
        Rows it;
        double sum[CN_MAX_ROWS], before[PLACES], after[PLACES];
        draw_rows(&it, 1 + fours % CN_MAX_ROWS, fours, &random);
        memcpy(before, it.y, sizeof before);
        memcpy(after, it.y, sizeof after);
        cn_path_products_plain.read(&it.path, it.rows, it.y, sum);
        cn_path_products_plain.write(&it.path, it.rows, it.change, it.y);
        for (int i = 0; i < it.rows; ++i) {
            for (int k = 0; k < fours * CN_PATH_LANES; ++k) {
                double value = value_of(&it, i, k / CN_PATH_LANES, k % CN_PATH_LANES);
                int place = it.place[k / CN_PATH_LANES] + k % CN_PATH_LANES;
                sum[i] -= value * before[place];
                after[place] += value * it.change[i];
            }
            CHECK_NEAR(sum[i], 0.0, ROUND_OFF);
        }
        for (int k = 0; k < PLACES; ++k) {
            CHECK_NEAR(it.y[k], after[k], ROUND_OFF);
        }
    }
}

static void check_same_bits(const CnPathProducts* products) {
    CnRandom random = {6};
    for (int rows = 1; rows <= CN_MAX_ROWS; ++rows) {
        for (int fours = 1; fours <= MOST_FOURS; ++fours) {
            Rows plain, fast;
            double sum[2][CN_MAX_ROWS];
            draw_rows(&plain, rows, fours, &random);
            fast = plain;
            cn_path_products_plain.read(&plain.path, rows, plain.y, sum[0]);
            products->read(&plain.path, rows, fast.y, sum[1]);
            CHECK(memcmp(sum[0], sum[1], (size_t)rows * sizeof(double)) == 0);
            cn_path_products_plain.write(&plain.path, rows, plain.change, plain.y);
            products->write(&plain.path, rows, plain.change, fast.y);
            CHECK(memcmp(plain.y, fast.y, sizeof plain.y) == 0);
            cn_path_products_plain.write_both(&plain.path, rows, plain.change, plain.y,
                                              plain.further, plain.y_further);
            products->write_both(&plain.path, rows, plain.change, fast.y, plain.further,
                                 fast.y_further);
            CHECK(memcmp(plain.y, fast.y, sizeof plain.y) == 0);
            CHECK(memcmp(plain.y_further, fast.y_further, sizeof plain.y_further) == 0);
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
