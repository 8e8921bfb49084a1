// trig.c - sine and cosine with the same bits on every machine.
#include "cairn/math.h"
#include "math/quadrant.h"

// Below this, x^2 / 6 is less than 2^-56 and sin(x) rounds to x.
#define SMALL_ANGLE 0x1p-27

// Equation 6: sin y = y + y z S(z), z = y^2; the first neglected term is below 2^-62 of the sum.
static const double sine_series[] = {
    -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
    -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0,
};

// Equation 7: cos y = 1 - z/2 + z^2 C(z); the first neglected term is below 2^-67.
static const double cosine_series[] = {
    1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
    1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0,
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

// sin(y.high + y.low) = sin(y.high) + y.low cos(y.high); all but y.high is a small correction.
static double sine_of_rest(CnDoubleDouble y) {
    double z = y.high * y.high;
    double series = z * cn_polynomial(sine_series, COUNT(sine_series), z);
    return y.high + (y.high * series + y.low * (1.0 - 0.5 * z));
}

// cos(y.high + y.low) = cos(y.high) - y.low y.high; what 1 - z/2 lost is put back.
static double cosine_of_rest(CnDoubleDouble y) {
    double z = y.high * y.high;
    double series = z * z * cn_polynomial(cosine_series, COUNT(cosine_series), z);
    CnDoubleDouble start = cn_double2_quick_sum(1.0, -0.5 * z);
    return start.high + (start.low + (series - y.high * y.low));
}

static double sine_in_quadrant(int quarters, CnDoubleDouble rest) {
    double magnitude = quarters % 2 == 0 ? sine_of_rest(rest) : cosine_of_rest(rest);
    return quarters < 2 ? magnitude : -magnitude;
}

double cn_sin(double x) {
    if (!isfinite(x)) {
        return (double)NAN;
    }
    if (fabs(x) < SMALL_ANGLE) { // keeps the sign of zero
        return x;
    }
    CnQuadrant quadrant = cn_quadrant_of(x);
    return sine_in_quadrant(quadrant.quarters, quadrant.rest);
}

// A quarter turn ahead of the sine.
double cn_cos(double x) {
    if (!isfinite(x)) {
        return (double)NAN;
    }
    CnQuadrant quadrant = cn_quadrant_of(x);
    return sine_in_quadrant((quadrant.quarters + 1) & 3, quadrant.rest);
}
