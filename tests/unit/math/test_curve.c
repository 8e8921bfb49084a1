// test_curve.c - values, slopes and integrals of curves made of straight lines.
#include "math/curve.h"
#include "support/test.h"

#define SAMPLES 1000

typedef struct Owned {
    double times[SAMPLES], values[SAMPLES], first[SAMPLES], second[SAMPLES];
    CnCurve curve;
} Owned;

static void fill(Owned* owned, int count) {
    cn_curve_integrate(count, owned->times, owned->values, owned->first, owned->second);
    owned->curve = (CnCurve){.count = count,
                             .times = owned->times,
                             .values = owned->values,
                             .first = owned->first,
                             .second = owned->second};
}

static Owned small_curve(void) {
    Owned owned = {.times = {-1.0, 0.0, 2.0, 3.0, 7.0}, .values = {5.0, 1.0, 3.0, 3.0, -1.0}};
    return owned;
}

static void it_is_straight_between_and_constant_outside(void) {
    static Owned owned;
    owned = small_curve();
    fill(&owned, 5);
    const double at[][2] = {{-9.0, 5.0}, {-1.0, 5.0}, {-0.5, 3.0}, {0.0, 1.0},  {0.5, 1.5},
                            {2.0, 3.0},  {2.5, 3.0},  {4.0, 2.0},  {7.0, -1.0}, {1e9, -1.0}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        CHECK_NEAR(cn_curve_value(&owned.curve, at[i][0]), at[i][1], 1e-15);
    }
    fill(&owned, 1);
    CHECK_NEAR(cn_curve_value(&owned.curve, 4.0), 5.0, 0.0);
    CHECK_NEAR(cn_curve_slope(&owned.curve, 4.0), 0.0, 0.0);
}

static void its_slope_is_that_of_the_line_that_begins(void) {
    static Owned owned;
    owned = small_curve();
    fill(&owned, 5);
    const double at[][2] = {{-2.0, 0.0}, {-1.0, -4.0}, {-0.5, -4.0}, {0.0, 1.0},
                            {1.0, 1.0},  {2.0, 0.0},   {3.0, -1.0},  {7.0, 0.0}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
        CHECK_NEAR(cn_curve_slope(&owned.curve, at[i][0]), at[i][1], 1e-15);
    }
}

// Trapezoids by hand: areas 3, 4, 3 and 4. Over a piece of length h from a value v with slope s the
// second integral gains h * (first) + v h^2 / 2 + s h^3 / 6.
static void its_integrals_are_exact(void) {
    static Owned owned;
    owned = small_curve();
    fill(&owned, 5);
    CHECK_NEAR(cn_curve_integral(&owned.curve, -3.0), -10.0, 1e-15);
    CHECK_NEAR(cn_curve_integral(&owned.curve, 0.0), 3.0, 1e-15);
    CHECK_NEAR(cn_curve_integral(&owned.curve, 1.0), 4.5, 1e-15);
    CHECK_NEAR(cn_curve_integral(&owned.curve, 2.0), 7.0, 1e-15);
    CHECK_NEAR(cn_curve_integral(&owned.curve, 7.0), 14.0, 1e-14);
    CHECK_NEAR(cn_curve_integral(&owned.curve, 9.0), 12.0, 1e-14);
    CHECK_NEAR(cn_curve_second_integral(&owned.curve, 0.0), 2.5 - 4.0 / 6.0, 1e-15);
    CHECK_NEAR(cn_curve_second_integral(&owned.curve, 2.0), 2.5 - 4.0 / 6.0 + 6.0 + 2.0 + 8.0 / 6.0,
               1e-14);
    CHECK_NEAR(cn_curve_second_integral(&owned.curve, -3.0), 10.0, 1e-14); // 5 (t + 1)^2 / 2
}

// Samples at even times, where the interval is computed, and at others, where it is searched for.
static void check_intervals(double step, double bend) {
    static Owned owned;
    for (int i = 0; i < SAMPLES; ++i) {
        owned.times[i] = step * i + bend * i * i;
        owned.values[i] = (double)i * i;
    }
    fill(&owned, SAMPLES);
    for (int i = 0; i < SAMPLES - 1; ++i) { // chords of i^2
        double length = owned.times[i + 1] - owned.times[i], rise = 2 * i + 1;
        double slope = cn_curve_slope(&owned.curve, owned.times[i]);
        double value = cn_curve_value(&owned.curve, owned.times[i] + 0.25 * length);
        CHECK_NEAR(slope, rise / length, 1e-12 * rise / length);
        CHECK_NEAR(value, i * i + 0.25 * rise, 1e-9);
    }
}

static void every_interval_is_found(void) {
    check_intervals(1.0, 0.0);
    check_intervals(0.1, 0.0); // times are rounded
    check_intervals(1.0, 0.3);
}

// Two curves of the same samples, one of others and one that is a sine, at two times each: always
// the bits of cn_curve_value().
static void values_looked_up_again_are_those_of_the_curve(void) {
    static Owned owned, other;
    owned = small_curve();
    other = small_curve();
    fill(&owned, 5);
    fill(&other, 4);
    CnCurve same = owned.curve, repeated = owned.curve, sine = owned.curve, faster;
    repeated.period = 1.5;
    sine.sine = (CnSineWave){.amplitude = 2.0, .rate = 3.0};
    faster = sine;
    faster.sine.rate = 4.0;
    const CnCurve* curves[] = {&owned.curve, &same,   &same,        &repeated,   &sine,
                               &faster,      &faster, &other.curve, &owned.curve};
    CnCurveLook last = {.curve = NULL};
    for (int turn = 0; turn < 4; ++turn) {
        double time = 0.7 + 2.0 * (turn / 2);
        for (size_t i = 0; i < sizeof curves / sizeof curves[0]; ++i) {
            CHECK(cn_curve_value_again(curves[i], time, &last) == cn_curve_value(curves[i], time));
        }
    }
}

TEST_MAIN("math/curve", TEST(it_is_straight_between_and_constant_outside),
          TEST(its_slope_is_that_of_the_line_that_begins), TEST(its_integrals_are_exact),
          TEST(every_interval_is_found), TEST(values_looked_up_again_are_those_of_the_curve))
