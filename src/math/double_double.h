// double_double.h - sums and products with their rounding errors kept (docs/theory/trig.md).
#pragma once

// high + low, unevaluated, with |low| at most half a last place of high: about 106 bits.
typedef struct CnDoubleDouble {
    double high, low;
} CnDoubleDouble;

// a + b exactly, for |a| >= |b| or a = 0 (Dekker).
static inline CnDoubleDouble cn_double_double_quick_sum(double a, double b) {
    double sum = a + b;
    return (CnDoubleDouble){sum, b - (sum - a)};
}

// a + b exactly (Knuth).
static inline CnDoubleDouble cn_double_double_sum(double a, double b) {
    double sum = a + b;
    double b_seen = sum - a;
    return (CnDoubleDouble){sum, (a - (sum - b_seen)) + (b - b_seen)};
}

// a as two numbers of at most 26 bits (Veltkamp). Needs |a| < 2^996.
static inline CnDoubleDouble cn_double_double_split(double a) {
    const double splitter = 0x1p27 + 1.0;
    double scaled = splitter * a;
    double high = scaled - (scaled - a);
    return (CnDoubleDouble){high, a - high};
}

// a * b exactly (Dekker), when the error does not underflow: |a b| > 2^-968.
static inline CnDoubleDouble cn_double_double_product(double a, double b) {
    double product = a * b;
    CnDoubleDouble x = cn_double_double_split(a), y = cn_double_double_split(b);
    double error = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (CnDoubleDouble){product, error};
}

// (a.high + a.low) + b.high + b.low, to about 100 bits when |a| >= |b| or a = 0.
static inline CnDoubleDouble cn_double_double_add(CnDoubleDouble a, CnDoubleDouble b) {
    CnDoubleDouble sum = cn_double_double_sum(a.high, b.high);
    return cn_double_double_quick_sum(sum.high, sum.low + (a.low + b.low));
}

static inline CnDoubleDouble cn_double_double_negate(CnDoubleDouble a) {
    return (CnDoubleDouble){-a.high, -a.low};
}

// s a for a factor s of a few bits.
static inline CnDoubleDouble cn_double_double_scale(double s, CnDoubleDouble a) {
    CnDoubleDouble product = cn_double_double_product(s, a.high);
    return cn_double_double_quick_sum(product.high, product.low + s * a.low);
}

// a / b: the quotient of the high parts, corrected by what it leaves over.
static inline CnDoubleDouble cn_double_double_divide(CnDoubleDouble a, CnDoubleDouble b) {
    double quotient = a.high / b.high;
    CnDoubleDouble product = cn_double_double_product(quotient, b.high);
    double rest = ((a.high - product.high) - product.low) + (a.low - quotient * b.low);
    return cn_double_double_quick_sum(quotient, rest / b.high);
}

// c[0] + c[1] z + ... by Horner's rule.
static inline double cn_polynomial(const double* c, int count, double z) {
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; --i) {
        sum = sum * z + c[i];
    }
    return sum;
}
