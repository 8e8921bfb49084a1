// simd_checks.h - what math/simd.h promises, for one width of registers.
//
// The file that includes it defines CN_LANES and CN_LANE_TARGET.
#pragma once

#include "cairn/math.h"
#include "math/lane_arctangent.h"
#include "support/test.h"

// Of equal numbers, which differ in the sign of zero, and against NaN in the second place.
CN_LANE_STAGE void check_ties(void) {
    CnLanes plus = cn_lanes(0.0), minus = cn_lanes(-0.0), one = cn_lanes(1.0), nan = cn_lanes(NAN);
    for (int i = 0; i < CN_LANES; ++i) {
        CHECK(!signbit(cn_lanes_max(plus, minus)[i]) && signbit(cn_lanes_max(minus, plus)[i]));
        CHECK(!signbit(cn_lanes_min(plus, minus)[i]) && signbit(cn_lanes_min(minus, plus)[i]));
        CHECK(cn_lanes_max(one, nan)[i] == 1.0 && cn_lanes_min(one, nan)[i] == 1.0);
    }
    CnFloatLanes zero = {0.0f}, below = -zero; // -0
    for (int i = 0; i < CN_FLOAT_LANES; ++i) {
        CHECK(!signbit(cn_floats_max(zero, below)[i]) && signbit(cn_floats_max(below, zero)[i]));
    }
    CnDouble4 up = {0.0, 0.0, 0.0, 0.0}, down = -up;
    for (int i = 0; i < 4; ++i) {
        CHECK(!signbit(cn_double4_min(up, down)[i]) && signbit(cn_double4_min(down, up)[i]));
    }
}

// Lane i holds i; lane 1 is chosen.
CN_LANE_STAGE void check_masks(void) {
    double numbers[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        numbers[i] = (double)i;
    }
    CnLanes x = cn_lanes_load(numbers);
    CnMask second = cn_equal(x, cn_lanes(1.0));
    CHECK_INT((int)cn_mask_bits(second), 2);
    CHECK_INT((int)cn_mask_bits(cn_and_not(cn_at_most(x, cn_lanes(1.0)), second)), 1);
    CHECK(cn_any(second) && !cn_any(cn_less(x, cn_lanes(0.0))));
    CHECK(cn_lanes_max_across(x)[0] == CN_LANES - 1.0);
    for (int i = 0; i < CN_LANES; ++i) {
        CHECK(cn_select(second, cn_lanes(7.0), x)[i] == (i == 1 ? 7.0 : (double)i));
        CHECK(cn_keep(second, cn_lanes(7.0))[i] == (i == 1 ? 7.0 : 0.0));
        CHECK(cn_lanes_times_sign(cn_lanes(3.0), x - 1.0)[i] == (i < 1 ? -3.0 : 3.0));
    }
    CnDouble4 mixed = {-1.0, 2.0, -0.0, 4.0};
    CHECK_INT((int)cn_double4_signs(mixed), 5);
    CHECK(cn_double4_abs(mixed)[0] == 1.0 && !signbit(cn_double4_abs(mixed)[2]));
}

// Number k of lane i is 10 i + k.
CN_LANE_STAGE void check_transpositions(void) {
    double arrays[CN_LANES][2];
    const double* from[CN_LANES];
    double* to[CN_LANES];
    CnLanes columns[2];
    CnFloat4 rows[CN_FLOAT_LANES];
    CnFloatLanes turned[4];
    for (int i = 0; i < CN_LANES; ++i) {
        arrays[i][0] = 10.0 * i;
        arrays[i][1] = 10.0 * i + 1.0;
        from[i] = to[i] = arrays[i];
    }
    cn_lanes_gather(from, columns);
    columns[0] += 100.0;
    cn_lanes_scatter(columns, to);
    for (int i = 0; i < CN_LANES; ++i) {
        CHECK(columns[1][i] == 10.0 * i + 1.0);
        CHECK(arrays[i][0] == 10.0 * i + 100.0 && arrays[i][1] == 10.0 * i + 1.0);
    }
    for (int i = 0; i < CN_FLOAT_LANES; ++i) {
        float tens = 10.0f * (float)i;
        rows[i] = (CnFloat4){tens, tens + 1.0f, tens + 2.0f, tens + 3.0f};
    }
    cn_floats_transpose(rows, turned);
    for (int i = 0; i < 4 * CN_FLOAT_LANES; ++i) {
        CHECK(turned[i % 4][i / 4] == 10.0f * (float)(i / 4) + (float)(i % 4));
    }
}

static void max_and_min_take_the_first_of_equals(void) {
    check_ties();
}

static void masks_choose_lanes(void) {
    check_masks();
}

static void numbers_of_lanes_become_vectors_and_back(void) {
    check_transpositions();
}

// Points all around, at distances of 1e-3 to 1e3, and those that are left to cn_atan2().
CN_LANE_STAGE void check_arctangents(void) {
    int done = 0, count = 20000;
    for (int k = 0; k < count; ++k) {
        double x[CN_LANES], y[CN_LANES];
        CnLanes angle;
        for (int i = 0; i < CN_LANES; ++i) {
            double turn = 0.7 * k + 0.001 * i * k, size = cn_exp(6.9 * cn_sin(0.3 * k + i));
            x[i] = size * cn_cos(turn);
            y[i] = k % 50 == 0 ? 0.0 : size * cn_sin(turn);
        }
        unsigned bits = cn_mask_bits(cn_lane_atan2(cn_lanes_load(y), cn_lanes_load(x), &angle));
        for (int i = 0; i < CN_LANES; ++i) {
            double expected = cn_atan2(y[i], x[i]), found = angle[i];
            bool is_done = (bits >> i & 1u) != 0;
            CHECK(!is_done || memcmp(&expected, &found, sizeof found) == 0);
            CHECK(is_done == (k % 50 != 0)); // none other is next to an axis
            done += is_done;
        }
    }
    CHECK_INT(done, count / 50 * 49 * CN_LANES);
    CnLanes far = cn_lanes(1e200), nan = cn_lanes(NAN), angle;
    CHECK(cn_mask_bits(cn_lane_atan2(far, far, &angle)) == 0);
    CHECK(cn_mask_bits(cn_lane_atan2(nan, cn_lanes(1.0), &angle)) == 0);
}

static void angles_are_those_of_one(void) {
    check_arctangents();
}

#define SIMD_TESTS                                                                                 \
    TEST(max_and_min_take_the_first_of_equals), TEST(masks_choose_lanes),                          \
        TEST(numbers_of_lanes_become_vectors_and_back), TEST(angles_are_those_of_one)
