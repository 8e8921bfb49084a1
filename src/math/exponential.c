// exponential.c - the exponential function with the same bits on every machine.
#include "cairn/math.h"
#include "math/trig_constants.h"

// Beyond these e^x is above every double, or below half the smallest.
#define OVERFLOW_BOUND 710.0
#define UNDERFLOW_BOUND (-746.0)

// Equation 13: e^r = 1 + r + r^2 E(r), |r| <= ln(2)/2; the first neglected term is below 2^-62.
static const double exponential_series[] = {
    1.0 / 2.0,         1.0 / 6.0,          1.0 / 24.0,          1.0 / 120.0,     1.0 / 720.0,
    1.0 / 5040.0,      1.0 / 40320.0,      1.0 / 362880.0,      1.0 / 3628800.0, 1.0 / 39916800.0,
    1.0 / 479001600.0, 1.0 / 6227020800.0, 1.0 / 87178291200.0,
};

// x = n ln 2 + r, e^x = 2^n e^r (equation 12). The first part of ln 2 is short, so n times it is
// exact and so is the difference.
double cn_exp(double x) {
    if (isnan(x)) {
        return (double)NAN;
    }
    if (x > OVERFLOW_BOUND) {
        return (double)INFINITY;
    }
    if (x < UNDERFLOW_BOUND) {
        return 0.0;
    }
    double n = floor(x * ONE_OVER_LOG_TWO + 0.5);
    CnDoubleDouble r = cn_double_double_sum(x - n * log_two.high, -n * log_two.low);
    int terms = (int)(sizeof exponential_series / sizeof exponential_series[0]);
    double tail = r.high * r.high * cn_polynomial(exponential_series, terms, r.high);
    CnDoubleDouble start = cn_double_double_quick_sum(1.0, r.high);
    return ldexp(start.high + (start.low + (r.low + tail)), (int)n);
}
