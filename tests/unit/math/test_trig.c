// test_trig.c - the elementary functions against MPFR, in units of the last place.
#include "cairn/random.h"
#include "support/test.h"

#include <float.h>
#include <stdio.h>

#include <mpfr.h>

// What the error budget in docs/theory/trig.md gives; the public promise is 2.
#define LIMIT_ULPS 1.0

// Random points per function, a third of it for each kind of magnitude. MPFR takes 4 us for one, so
// the long double function looks first, and MPFR grades every sixteenth point and all that come
// within SCREEN_ULPS of the worst so far or above it. A long double of 64 bits is itself wrong by
// about 2^-11 of a double's last place, far less than that margin.
#define POINTS (UNDER_SANITIZER ? 60000 : 1050000)

#define GRADED_ONE_IN 16
#define SCREEN_ULPS 0.01

// Bits of the reference: its own error is 2^-44 of a last place.
#define REFERENCE_BITS 97

typedef struct Worst {
    const char* function;
    double ulps, x, y;
    int seen; // points so far
    mpfr_t exact, difference, argument, second;
} Worst;

static Worst worst_of(const char* function) {
    Worst worst = {.function = function};
    mpfr_init2(worst.exact, REFERENCE_BITS);
    mpfr_init2(worst.difference, REFERENCE_BITS);
    mpfr_init2(worst.argument, DBL_MANT_DIG);
    mpfr_init2(worst.second, DBL_MANT_DIG);
    return worst;
}

// The distance between doubles next to the exact value: subnormals share the smallest.
static double last_place(const mpfr_t exact) {
    mpfr_exp_t exponent = mpfr_zero_p(exact) ? DBL_MIN_EXP : mpfr_get_exp(exact);
    if (exponent < DBL_MIN_EXP) {
        exponent = DBL_MIN_EXP;
    }
    return ldexp(1.0, (int)(exponent - DBL_MANT_DIG));
}

// Whether MPFR has to look at a point, given the long double reference.
static bool is_worth_grading(Worst* worst, double value, long double reference) {
    worst->seen += 1;
    int exponent = DBL_MIN_EXP;
    double magnitude = fabs((double)reference);
    if (magnitude >= DBL_MIN && isfinite(magnitude)) {
        frexp(magnitude, &exponent);
    }
    double unit = ldexp(1.0, exponent - DBL_MANT_DIG);
    double ulps = fabs((double)((long double)value - reference)) / unit;
    return LDBL_MANT_DIG < 64 || worst->seen % GRADED_ONE_IN == 0 ||
           !(ulps < worst->ulps - SCREEN_ULPS);
}

// worst->exact holds the reference for value, computed at (x, y).
static void grade(Worst* worst, double value, double x, double y) {
    double ulps = (double)INFINITY;
    if (isinf(value) && mpfr_get_d(worst->exact, MPFR_RNDN) == value) {
        ulps = 0.0;
    } else if (isfinite(value)) {
        mpfr_sub_d(worst->difference, worst->exact, value, MPFR_RNDN);
        mpfr_set_d(worst->second, last_place(worst->exact), MPFR_RNDN);
        mpfr_div(worst->difference, worst->difference, worst->second, MPFR_RNDN);
        ulps = fabs(mpfr_get_d(worst->difference, MPFR_RNDN));
    }
    if (ulps > worst->ulps) {
        worst->ulps = ulps;
        worst->x = x;
        worst->y = y;
    }
}

static void check_worst(Worst* worst) {
    printf("  %s: worst error of %d points is %.4f ulp at (%a, %a)\n", worst->function, worst->seen,
           worst->ulps, worst->x, worst->y);
    ck_assert_msg(worst->ulps <= LIMIT_ULPS, "%s is off by %g ulp at (%a, %a); %g are allowed",
                  worst->function, worst->ulps, worst->x, worst->y, LIMIT_ULPS);
    mpfr_clears(worst->exact, worst->difference, worst->argument, worst->second, (mpfr_ptr)0);
}

// A function of one argument: ours, the one that screens, and the one that grades.
typedef struct Function {
    double (*ours)(double);
    long double (*screen)(long double);
    int (*exact)(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding);
} Function;

static const Function sine = {cn_sin, sinl, mpfr_sin};
static const Function cosine = {cn_cos, cosl, mpfr_cos};
static const Function exponential = {cn_exp, expl, mpfr_exp};
static const Function arccosine = {cn_acos, acosl, mpfr_acos};

static void grade_at(Worst* worst, const Function* function, double x) {
    double value = function->ours(x);
    if (is_worth_grading(worst, value, function->screen((long double)x))) {
        mpfr_set_d(worst->argument, x, MPFR_RNDN);
        function->exact(worst->exact, worst->argument, MPFR_RNDN);
        grade(worst, value, x, 0.0);
    }
}

// Any finite double: all exponents are equally likely, subnormals included.
static double any_finite(CnRandom* random) {
    for (;;) {
        uint64_t bits = cn_random_next(random);
        double x = 0.0;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

// All exponents from 2^low to 2^high, either sign.
static double any_between_powers(CnRandom* random, double low, double high) {
    int exponent = (int)floor(cn_random_between(random, low, high));
    double significand = cn_random_between(random, 1.0, 2.0);
    return ldexp(cn_random_next(random) % 2 == 0 ? significand : -significand, exponent);
}

// Neighbours of n pi/2 for n up to 3000, of pi/2 times powers of two, and the two doubles whose
// distance from a multiple of pi/2 is known to be extreme (Muller, Elementary Functions, 3rd ed.,
// section 11: 6381956970095103 * 2^797 is 4.7e-19 away).
static void grade_near_quarter_turns(Worst* worst, const Function* function) {
    const double half_pi = CN_PI / 2.0;
    for (int n = -3000; n <= 3000; ++n) {
        double x = n * half_pi;
        grade_at(worst, function, nextafter(x, -HUGE_VAL));
        grade_at(worst, function, x);
        grade_at(worst, function, nextafter(x, HUGE_VAL));
    }
    for (int e = -1074; e <= 1022; ++e) {
        grade_at(worst, function, ldexp(half_pi, e));
        grade_at(worst, function, -ldexp(half_pi / 2.0, e));
        grade_at(worst, function, ldexp(1.0, e));
    }
    const double hard[] = {0.0,
                           DBL_MAX,
                           -DBL_MAX,
                           DBL_MIN,
                           0x1p-1074,
                           0x1.8p20,
                           0x1.7ffffffffffffp20,
                           0x1p-27,
                           0x1.921fb54442d18p-1,
                           0x1.921fb54442d19p-1};
    for (int i = 0; i < (int)(sizeof hard / sizeof hard[0]); ++i) {
        grade_at(worst, function, hard[i]);
    }
    grade_at(worst, function, ldexp(6381956970095103.0, 797));
}

static void check_periodic(const char* name, const Function* function) {
    Worst worst = worst_of(name);
    CnRandom random = {1};
    for (int i = 0; i < POINTS / 3; ++i) {
        grade_at(&worst, function, cn_random_between(&random, -10.0, 10.0));
        grade_at(&worst, function, any_between_powers(&random, -30.0, 30.0));
        grade_at(&worst, function,
                 i % 8 == 0 ? any_finite(&random) : cn_random_between(&random, -1e5, 1e5));
    }
    grade_near_quarter_turns(&worst, function);
    check_worst(&worst);
}

static void sine_is_within_1_ulp(void) {
    check_periodic("cn_sin", &sine);
}

static void cosine_is_within_1_ulp(void) {
    check_periodic("cn_cos", &cosine);
}

static void exponential_is_within_1_ulp(void) {
    Worst worst = worst_of("cn_exp");
    CnRandom random = {2};
    for (int i = 0; i < POINTS / 3; ++i) {
        grade_at(&worst, &exponential, cn_random_between(&random, -746.0, 709.78));
        grade_at(&worst, &exponential, any_between_powers(&random, -60.0, 9.0));
        grade_at(&worst, &exponential, cn_random_between(&random, -1.0, 1.0));
    }
    for (int i = 0; i < POINTS / 20; ++i) { // subnormal results
        grade_at(&worst, &exponential, cn_random_between(&random, -745.2, -708.3));
    }
    for (int n = -1076; n <= 1024; ++n) { // powers of two, and the cuts between them
        for (int half = 0; half < 2; ++half) {
            double x = (n + 0.5 * half) * 0.69314718055994531;
            if (x < 709.78) {
                grade_at(&worst, &exponential, nextafter(x, -HUGE_VAL));
                grade_at(&worst, &exponential, x);
                grade_at(&worst, &exponential, nextafter(x, HUGE_VAL));
            }
        }
    }
    for (int e = -1074; e < 9; ++e) {
        grade_at(&worst, &exponential, ldexp(1.0, e));
        grade_at(&worst, &exponential, -ldexp(1.0, e));
    }
    grade_at(&worst, &exponential, 0x1.62e42fefa39efp9); // the largest with a finite result
    check_worst(&worst);
}

static void arccosine_is_within_1_ulp(void) {
    Worst worst = worst_of("cn_acos");
    CnRandom random = {3};
    for (int i = 0; i < POINTS / 3; ++i) {
        double distance = fabs(any_between_powers(&random, -53.0, -1.0)); // from 1
        grade_at(&worst, &arccosine, cn_random_between(&random, -1.0, 1.0));
        grade_at(&worst, &arccosine, i % 2 == 0 ? 1.0 - distance : distance - 1.0);
        grade_at(&worst, &arccosine, any_between_powers(&random, -60.0, -1.0));
    }
    for (int i = 1; i <= 2000; ++i) { // each of the doubles next to +-1
        grade_at(&worst, &arccosine, 1.0 - i * 0x1p-53);
        grade_at(&worst, &arccosine, i * 0x1p-53 - 1.0);
    }
    for (int e = -1074; e < 0; ++e) {
        grade_at(&worst, &arccosine, ldexp(1.0, e));
        grade_at(&worst, &arccosine, -ldexp(1.0, e));
    }
    check_worst(&worst);
}

static void grade_atan2(Worst* worst, double y, double x) {
    double value = cn_atan2(y, x);
    if (is_worth_grading(worst, value, atan2l((long double)y, (long double)x))) {
        mpfr_set_d(worst->argument, y, MPFR_RNDN);
        mpfr_set_d(worst->second, x, MPFR_RNDN);
        mpfr_atan2(worst->exact, worst->argument, worst->second, MPFR_RNDN);
        grade(worst, value, x, y);
    }
}

static void arctangent_is_within_1_ulp(void) {
    Worst worst = worst_of("cn_atan2");
    CnRandom random = {4};
    for (int i = 0; i < POINTS / 3; ++i) {
        double x = any_between_powers(&random, -30.0, 30.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        grade_atan2(&worst, y, cn_random_between(&random, -1.0, 1.0));
        grade_atan2(&worst, any_between_powers(&random, -40.0, 40.0), x);
        y = any_finite(&random);
        grade_atan2(&worst, y, i % 2 == 0 ? x : any_finite(&random));
    }
    for (int i = 0; i < POINTS / 20; ++i) { // close in magnitude, anywhere in the range
        double x = any_finite(&random) / 4.0;
        grade_atan2(&worst, x * cn_random_between(&random, 0.0, 4.0), x);
    }
    for (int sixteenths = 0; sixteenths <= 32; ++sixteenths) { // the cuts of the table
        double y = sixteenths / 16.0;
        grade_atan2(&worst, y, 1.0);
        grade_atan2(&worst, nextafter(y, 0.0), -1.0);
        grade_atan2(&worst, -nextafter(y, 9.0), 1.0);
    }
    for (int i = 1; i < 100; ++i) { // both subnormal; subnormal results
        grade_atan2(&worst, i * 0x1p-1074, 50.0 * 0x1p-1074);
        grade_atan2(&worst, DBL_MIN, i + 0.5);
        grade_atan2(&worst, i * 0x1p-1074, 0.3);
    }
    check_worst(&worst);
}

static void check_bits(double value, double expected) {
    ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%a instead of %a", value,
                  expected);
}

static void special_values_follow_annex_f(void) {
    const double inf = (double)INFINITY, nan_value = (double)NAN;
    const double exact[][3] = {
        // y, x, atan2(y, x)
        {0.0, 1.0, 0.0},          {-0.0, 1.0, -0.0},       {0.0, 0.0, 0.0},
        {-0.0, 0.0, -0.0},        {0.0, -0.0, CN_PI},      {-0.0, -0.0, -CN_PI},
        {0.0, -1.0, CN_PI},       {-0.0, -1.0, -CN_PI},    {1.0, 0.0, CN_PI / 2},
        {-1.0, -0.0, -CN_PI / 2}, {1.0, inf, 0.0},         {-1.0, inf, -0.0},
        {1.0, -inf, CN_PI},       {inf, 1.0, CN_PI / 2},   {-inf, -1.0, -CN_PI / 2},
        {inf, inf, CN_PI / 4},    {-inf, inf, -CN_PI / 4}, {inf, -inf, 0x1.2d97c7f3321d2p+1},
    };
    for (int i = 0; i < (int)(sizeof exact / sizeof exact[0]); ++i) {
        check_bits(cn_atan2(exact[i][0], exact[i][1]), exact[i][2]);
    }
    check_bits(cn_sin(0.0), 0.0);
    check_bits(cn_sin(-0.0), -0.0);
    check_bits(cn_sin(-0x1p-1074), -0x1p-1074);
    check_bits(cn_cos(-0.0), 1.0);
    check_bits(cn_exp(-0.0), 1.0);
    check_bits(cn_exp(inf), inf);
    check_bits(cn_exp(-inf), 0.0);
    check_bits(cn_exp(0x1.62e42fefa39f0p9), inf);        // the smallest that overflows
    check_bits(cn_exp(-0x1.74910d52d3051p9), 0x1p-1074); // the last before zero
    check_bits(cn_exp(-0x1.74910d52d3052p9), 0.0);
    check_bits(cn_acos(1.0), 0.0);
    check_bits(cn_acos(-1.0), CN_PI);
    check_bits(cn_acos(-0.0), CN_PI / 2);
    CHECK(isnan(cn_sin(inf)) && isnan(cn_cos(-inf)) && isnan(cn_sin(nan_value)));
    CHECK(isnan(cn_cos(nan_value)) && isnan(cn_exp(nan_value)) && isnan(cn_acos(nan_value)));
    CHECK(isnan(cn_acos(0x1.0000000000001p0)) && isnan(cn_acos(-2.0)) && isnan(cn_acos(inf)));
    CHECK(isnan(cn_atan2(nan_value, 1.0)) && isnan(cn_atan2(0.0, nan_value)));
}

static void sine_and_cosine_are_odd_and_even_to_the_bit(void) {
    CnRandom random = {5};
    for (int i = 0; i < 100000; ++i) {
        double x = any_finite(&random);
        check_bits(cn_sin(-x), -cn_sin(x));
        check_bits(cn_cos(-x), cn_cos(x));
    }
}

TEST_MAIN("math/trig", TEST(sine_is_within_1_ulp), TEST(cosine_is_within_1_ulp),
          TEST(exponential_is_within_1_ulp), TEST(arccosine_is_within_1_ulp),
          TEST(arctangent_is_within_1_ulp), TEST(special_values_follow_annex_f),
          TEST(sine_and_cosine_are_odd_and_even_to_the_bit))
