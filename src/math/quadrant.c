// quadrant.c - reduces any finite angle to quarter turns and a remainder.
#include "math/quadrant.h"

#include "math/trig_constants.h"

#include <math.h>
#include <stdbool.h>

// Below this, n = x 2/pi has at most 20 bits.
#define MODERATE_ANGLE 0x1.8p20

// A window of 2/pi: 192 bits are 2 of whole quarters, 53 that the product with the significand
// makes uncertain, 62 that the worst double loses to cancellation, and 75 that remain.
#define WINDOW_WORDS 6

// Cody and Waite: n times the first parts of pi/2 is exact, and so is the first difference; the
// next two keep their rounding errors (equation 3).
static CnQuadrant reduce_moderate(double x) {
    double n = floor(x * TWO_OVER_PI + 0.5);
    CnDoubleDouble a = cn_double_double_sum(x - n * half_pi_parts[0], -n * half_pi_parts[1]);
    CnDoubleDouble b = cn_double_double_sum(a.high, -n * half_pi_parts[2]);
    double low = (a.low + b.low) - n * half_pi_parts[3];
    return (CnQuadrant){(int)n & 3, cn_double_double_quick_sum(b.high, low)};
}

// The bits of 2/pi from the one of weight 2^(1 - exponent) on, as words, most significant first.
static void take_window(int exponent, uint32_t window[WINDOW_WORDS]) {
    int skipped = exponent - 2 + 64; // bits; the table starts with 64 zeroes
    int word = skipped / 32, shift = skipped % 32;
    for (int i = 0; i < WINDOW_WORDS; ++i) {
        uint64_t pair = (uint64_t)two_over_pi_words[word + i] << 32;
        pair |= two_over_pi_words[word + i + 1];
        window[i] = (uint32_t)(pair << shift >> 32);
    }
}

// window * significand modulo 2^192, in place.
static void multiply_window(uint32_t window[WINDOW_WORDS], uint64_t significand) {
    uint64_t low = significand & UINT32_MAX, high = significand >> 32;
    uint64_t carry = 0;    // below 2^33
    uint32_t previous = 0; // the word to the right, as it was
    for (int i = WINDOW_WORDS - 1; i >= 0; --i) {
        uint64_t first = window[i] * low;
        uint64_t second = previous * high;
        uint64_t sum = (first & UINT32_MAX) + (second & UINT32_MAX) + (carry & UINT32_MAX);
        carry = (first >> 32) + (second >> 32) + (carry >> 32) + (sum >> 32);
        previous = window[i];
        window[i] = (uint32_t)sum;
    }
}

static void negate_window(uint32_t window[WINDOW_WORDS]) {
    uint64_t carry = 1;
    for (int i = WINDOW_WORDS - 1; i >= 0; --i) {
        uint64_t sum = (uint64_t)(~window[i] & UINT32_MAX) + carry;
        window[i] = (uint32_t)sum;
        carry = sum >> 32;
    }
}

// The words as a fraction; they do not overlap, so each sum's error is exact.
static CnDoubleDouble fraction_of(const uint32_t window[WINDOW_WORDS]) {
    CnDoubleDouble sum = {0.0, 0.0};
    double weight = 0x1p-32;
    for (int i = 0; i < WINDOW_WORDS; ++i, weight *= 0x1p-32) {
        CnDoubleDouble step = cn_double_double_quick_sum(sum.high, weight * window[i]);
        sum = (CnDoubleDouble){step.high, sum.low + step.low};
    }
    return cn_double_double_quick_sum(sum.high, sum.low);
}

// Payne and Hanek: x = significand 2^exponent, and the bits of 2/pi that make whole turns with it
// are left out, so the product modulo 4 needs only integers (equations 4 and 5).
static CnQuadrant reduce_large(double x) {
    int exponent = 0;
    uint64_t significand = (uint64_t)ldexp(frexp(x, &exponent), 53);
    uint32_t window[WINDOW_WORDS];
    take_window(exponent - 53, window);
    multiply_window(window, significand);

    int quarters = (int)(window[0] >> 30);
    for (int i = 0; i < WINDOW_WORDS; ++i) { // keep the fraction of a quarter
        uint32_t next = i + 1 < WINDOW_WORDS ? window[i + 1] : 0;
        window[i] = window[i] << 2 | next >> 30;
    }
    bool is_above_half = window[0] >> 31 != 0;
    if (is_above_half) { // one more quarter and a negative remainder
        quarters += 1;
        negate_window(window);
    }
    CnDoubleDouble fraction = fraction_of(window);
    CnDoubleDouble rest = cn_double_double_product(fraction.high, half_pi_double_double.high);
    rest.low +=
        fraction.high * half_pi_double_double.low + fraction.low * half_pi_double_double.high;
    rest = cn_double_double_quick_sum(rest.high, rest.low);
    return (CnQuadrant){quarters & 3, is_above_half ? cn_double_double_negate(rest) : rest};
}

CnQuadrant cn_quadrant_of(double x) {
    double magnitude = fabs(x);
    if (magnitude <= half_pi_double_double.high / 2.0) {
        return (CnQuadrant){0, {x, 0.0}};
    }
    CnQuadrant quadrant =
        magnitude < MODERATE_ANGLE ? reduce_moderate(magnitude) : reduce_large(magnitude);
    if (x < 0.0) {
        quadrant.quarters = -quadrant.quarters & 3;
        quadrant.rest = cn_double_double_negate(quadrant.rest);
    }
    return quadrant;
}
