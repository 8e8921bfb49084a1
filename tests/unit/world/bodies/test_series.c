// test_series.c - series of all kinds against their closed forms.
#include "support/test.h"

#include "cairn/world.h"

#include <math.h>

// The closed forms are of order 1 to 100 and take some ten operations: 1e-12 leaves room for their
// round-off and no more.
#define ROUND_OFF 1e-12

static CnSeriesReading read(const CnSeriesDef* def, double time) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = cn_world_create(&world_def, NULL);
    CnError error;
    CnSeriesReading reading;
    CnSeriesId id = cn_world_add_series(world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    CHECK_INT(cn_world_read_series(world, id, time, &reading), CN_OK);
    cn_world_destroy(world);
    return reading;
}

static void check(const CnSeriesDef* def, double time, const double expected[4]) {
    CnSeriesReading reading = read(def, time);
    CHECK_NEAR(reading.value, expected[0], ROUND_OFF);
    CHECK_NEAR(reading.derivative, expected[1], ROUND_OFF);
    CHECK_NEAR(reading.integral, expected[2], ROUND_OFF);
    CHECK_NEAR(reading.second_integral, expected[3], ROUND_OFF);
}

static void a_sine_has_its_closed_form(void) {
    const double a = 0.7, c = 0.3, f = 1.3, p = 0.4, w = 2.0 * CN_PI * 1.3;
    const CnSeriesDef def = {.kind = CN_SERIES_SINE, .sine = {a, c, f, p}};
    for (double t = -2.0; t < 9.0; t += 0.37) {
        const double expected[4] = {c + a * sin(w * t + p), a * w * cos(w * t + p),
                                    c * t + a / w * (cos(p) - cos(w * t + p)),
                                    c * t * t / 2.0 +
                                        a / (w * w) * (w * t * cos(p) - sin(w * t + p) + sin(p))};
        check(&def, t, expected);
    }
}

static void a_ramp_is_constant_straight_and_constant(void) {
    const CnSeriesDef def = {.kind = CN_SERIES_RAMP, .ramp = {1.0, 4.0, 0.5, 2.0}};
    check(&def, 0.0, (double[]){1.0, 0.0, -0.5, 0.125});
    // From the start on v = 1 + 2 s, V = s + s^2, X = s^2 / 2 + s^3 / 3.
    check(&def, 0.5, (double[]){1.0, 2.0, 0.0, 0.0});
    check(&def, 1.5, (double[]){3.0, 2.0, 2.0, 0.5 + 1.0 / 3.0});
    // At the end V = 3.75 and X = 2.25; then V gains 4 and X gains 3.75 + 2 in a second.
    check(&def, 2.0, (double[]){4.0, 0.0, 3.75, 2.25});
    check(&def, 3.0, (double[]){4.0, 0.0, 7.75, 8.0});
}

static void a_pulse_jumps_to_the_new_value(void) {
    const CnSeriesDef def = {.kind = CN_SERIES_PULSE,
                             .pulse = {.high = 2.0, .start = 1.0, .width = 0.5}};
    check(&def, 0.999, (double[]){0.0, 0.0, 0.0, 0.0});
    check(&def, 1.0, (double[]){2.0, 0.0, 0.0, 0.0});
    check(&def, 1.25, (double[]){2.0, 0.0, 0.5, 0.0625});
    check(&def, 1.5, (double[]){0.0, 0.0, 1.0, 0.25});
    check(&def, 3.5, (double[]){0.0, 0.0, 1.0, 2.25});
}

static void a_pulse_with_a_rise_is_a_trapezoid(void) {
    const CnSeriesDef def = {
        .kind = CN_SERIES_PULSE,
        .pulse = {.low = 1.0, .high = 3.0, .start = 0.0, .width = 1.0, .rise = 0.5}};
    check(&def, 0.25, (double[]){2.0, 4.0, 0.375, 0.03125 + 4.0 * 0.015625 / 6.0});
    check(&def, 1.0, (double[]){3.0, 0.0, 2.5, 0.125 + 0.5 / 6.0 + 0.5 * 1.0 + 0.375});
    check(&def, 1.75, (double[]){2.0, -4.0, 4.625, 3.79166666666666666667});
    check(&def, 2.5, (double[]){1.0, 0.0, 5.5, 7.625});
}

// Against a sum over single pulses, each a difference of two steps of height h: from its start on a
// step has V = h s and X = h s^2 / 2.
static void a_repeated_pulse_is_the_sum_of_its_pulses(void) {
    const double high = 1.7, start = 0.3, width = 0.2, period = 0.7;
    const CnSeriesDef def = {
        .kind = CN_SERIES_PULSE,
        .pulse = {.high = high, .start = start, .width = width, .period = period}};
    for (double t = -1.0; t < 20.0; t += 0.113) {
        double expected[4] = {0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 40; ++k) {
            for (int side = 0; side < 2; ++side) {
                double since = t - (start + k * period + side * width);
                double height = side == 0 ? high : -high;
                if (since >= 0.0) {
                    expected[0] += height;
                    expected[2] += height * since;
                    expected[3] += 0.5 * height * since * since;
                }
            }
        }
        check(&def, t, expected);
    }
}

// Central differences of the integrals give back what was integrated: h^2 / 6 times the third
// derivative, which is below 1e3 here, plus round-off 1e-15 * 10 / h.
static void integrals_and_derivatives_belong_together(void) {
    const CnSeriesDef defs[] = {
        {.kind = CN_SERIES_SINE, .sine = {0.7, 0.3, 1.3, 0.4}},
        {.kind = CN_SERIES_RAMP, .ramp = {1.0, 4.0, 0.5, 2.0}},
        {.kind = CN_SERIES_PULSE,
         .pulse = {.low = 0.1, .high = 2.0, .width = 0.2, .rise = 0.1, .period = 0.5}},
    };
    const double h = 1e-5;
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        for (double t = 0.013; t < 3.0; t += 0.171) {
            CnSeriesReading low = read(&defs[i], t - h), high = read(&defs[i], t + h);
            CnSeriesReading here = read(&defs[i], t);
            CHECK_NEAR((high.value - low.value) / (2.0 * h), here.derivative, 1e-7);
            CHECK_NEAR((high.integral - low.integral) / (2.0 * h), here.value, 1e-7);
            CHECK_NEAR((high.second_integral - low.second_integral) / (2.0 * h), here.integral,
                       1e-7);
        }
    }
}

static void bad_series_are_refused_with_the_field(void) {
    static const struct {
        CnSeriesDef def;
        const char* words;
    } cases[] = {
        {{.kind = (CnSeriesKind)9}, "the kind of a series is 9"},
        {{.kind = CN_SERIES_SINE, .sine = {NAN, 0, 1, 0}}, "sine.amplitude is nan"},
        {{.kind = CN_SERIES_SINE, .sine = {1, 0, -1, 0}}, "sine.frequency is -1 1/s"},
        {{.kind = CN_SERIES_RAMP, .ramp = {0, 1, 1, 1}}, "after ramp.start, 1 s"},
        {{.kind = CN_SERIES_RAMP, .ramp = {0, INFINITY, 0, 1}}, "ramp.to is inf"},
        {{.kind = CN_SERIES_PULSE, .pulse = {.start = 1e20, .width = 1}}, "lasts 1 s from 1e+20"},
        {{.kind = CN_SERIES_PULSE, .pulse = {.width = 1, .period = 0.5}}, "at least 1 s"},
    };
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = cn_world_create(&world_def, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CnError error;
        CHECK_INT((int)cn_world_add_series(world, &cases[i].def, &error).index, 0);
        ck_assert_msg(strstr(error.message, cases[i].words) != NULL, "%s", error.message);
    }
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/series", TEST(a_sine_has_its_closed_form),
          TEST(a_ramp_is_constant_straight_and_constant), TEST(a_pulse_jumps_to_the_new_value),
          TEST(a_pulse_with_a_rise_is_a_trapezoid), TEST(a_repeated_pulse_is_the_sum_of_its_pulses),
          TEST(integrals_and_derivatives_belong_together),
          TEST(bad_series_are_refused_with_the_field))
