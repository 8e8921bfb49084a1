// arctangent.c - angles from their sines and cosines, with the same bits on every machine.
#include "cairn/math.h"
#include "math/trig_constants.h"

// Below this ratio, t^2 / 3 is less than 2^-61 and atan(t) rounds to t.
#define SMALL_RATIO 0x1p-30

// Magnitudes between 2^-500 and 2^500 can be multiplied, split and divided without loss.
#define LARGE 0x1p500
#define SMALL 0x1p-500

// Equation 10: atan t = t + t z A(z), z = t^2 <= 1/256; the first neglected term is below 2^-68.
static const double arctangent_series[] = {
    -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0,
};

// atan(y / x) for 0 <= y <= x, x > 0. With c the nearest eighth to y / x, equation 9:
// atan(y / x) = atan c + atan((y - c x) / (x + c y)).
static CnDoubleDouble first_octant(CnDoubleDouble y, CnDoubleDouble x) {
    if (y.high < SMALL_RATIO * x.high) {
        return (CnDoubleDouble){y.high / x.high, 0.0};
    }
    if (x.high > LARGE || x.high < SMALL) { // y is near enough to x to be scaled with it
        double scale = x.high > LARGE ? 0x1p-600 : 0x1p600;
        x = (CnDoubleDouble){scale * x.high, scale * x.low};
        y = (CnDoubleDouble){scale * y.high, scale * y.low};
    }
    int eighths = (int)floor(8.0 * (y.high / x.high) + 0.5);
    double c = eighths / 8.0;
    CnDoubleDouble t =
        cn_double_double_divide(cn_double_double_add(y, cn_double_double_scale(-c, x)),
                                cn_double_double_add(x, cn_double_double_scale(c, y)));
    double z = t.high * t.high;
    int terms = (int)(sizeof arctangent_series / sizeof arctangent_series[0]);
    t.low += t.high * z * cn_polynomial(arctangent_series, terms, z);
    return cn_double_double_add(arctangent_of_eighths[eighths], t);
}

// The angle of the point (x, y) in the upper half plane, given |x|.
static double upper_angle(CnDoubleDouble y, CnDoubleDouble x, bool x_is_negative) {
    bool is_steep = y.high > x.high;
    CnDoubleDouble angle = is_steep ? first_octant(x, y) : first_octant(y, x);
    if (is_steep) {
        angle = cn_double_double_add(half_pi_double_double, cn_double_double_negate(angle));
    }
    if (x_is_negative) {
        angle = cn_double_double_add(pi_double_double, cn_double_double_negate(angle));
    }
    return angle.high + angle.low;
}

double cn_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) {
        return (double)NAN;
    }
    CnDoubleDouble across = {fabs(x), 0.0}, up = {fabs(y), 0.0};
    if (up.high == across.high && (up.high == 0.0 || isinf(up.high))) {
        across.high = 1.0; // as C annex F has it: both infinite is a diagonal, both zero an axis
        up.high = up.high == 0.0 ? 0.0 : 1.0;
    }
    return copysign(upper_angle(up, across, signbit(x)), y);
}

// acos x is the angle of the point (x, s) with s = sqrt(1 - x^2). The square and the difference
// are exact, so s has twice the digits and the angle keeps its own next to x = 1 (equation 11).
double cn_acos(double x) {
    if (!(fabs(x) < 1.0)) {
        return x == 1.0 ? 0.0 : x == -1.0 ? CN_PI : (double)NAN;
    }
    CnDoubleDouble square = cn_double_double_product(x, x);
    CnDoubleDouble rest = cn_double_double_sum(1.0, -square.high);
    rest = cn_double_double_quick_sum(rest.high, rest.low - square.low);
    double root = sqrt(rest.high);
    CnDoubleDouble root_square = cn_double_double_product(root, root);
    double missing = (rest.high - root_square.high) + (rest.low - root_square.low);
    CnDoubleDouble sine = cn_double_double_quick_sum(root, missing / (2.0 * root));
    return upper_angle(sine, (CnDoubleDouble){fabs(x), 0.0}, signbit(x));
}
