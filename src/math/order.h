// order.h - the larger and the smaller of two numbers.
//
// Each is one instruction: fmax() and fmin(), which care for what is not a number, take several.
#pragma once

static inline double cn_larger(double a, double b) {
    return a > b ? a : b;
}

static inline double cn_smaller(double a, double b) {
    return a < b ? a : b;
}
