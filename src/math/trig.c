// trig.c - sine and cosine with the same bits on every machine.
#include "cairn/math.h"
#include "math/quadrant.h"
#include "math/sine_series.h"

// sin(y.high + y.low) = sin(y.high) + y.low cos(y.high); all but y.high is a small correction.
static double sine_of_rest(CnDoubleDouble y) {
    double z = y.high * y.high;
    double series = z * cn_polynomial(cn_sine_series, CN_SERIES_TERMS, z);
    return y.high + (y.high * series + y.low * (1.0 - 0.5 * z));
}

// cos(y.high + y.low) = cos(y.high) - y.low y.high; what 1 - z/2 lost is put back.
static double cosine_of_rest(CnDoubleDouble y) {
    double z = y.high * y.high;
    double series = z * z * cn_polynomial(cn_cosine_series, CN_SERIES_TERMS, z);
    CnDoubleDouble start = cn_double_double_quick_sum(1.0, -0.5 * z);
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
    if (fabs(x) < CN_SMALL_ANGLE) { // keeps the sign of zero
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
