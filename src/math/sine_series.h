// sine_series.h - coefficients of sine and cosine up to a quarter of pi: docs/theory/trig.md.
#pragma once

// Below this [rad], x^2 / 6 is less than 2^-56 and sin(x) rounds to x.
#define CN_SMALL_ANGLE 0x1p-27

// The largest angle that the series are for: half of half_pi_double_double.high.
#define CN_SERIES_ANGLE 0x1.921fb54442d18p-1

#define CN_SERIES_TERMS 8

// Equation 6: sin y = y + y z S(z), z = y^2; the first neglected term is below 2^-62 of the sum.
static const double cn_sine_series[CN_SERIES_TERMS] = {
    -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
    -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0,
};

// Equation 7: cos y = 1 - z/2 + z^2 C(z); the first neglected term is below 2^-67.
static const double cn_cosine_series[CN_SERIES_TERMS] = {
    1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
    1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0,
};
