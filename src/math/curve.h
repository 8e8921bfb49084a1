// curve.h - a function of time given at points, straight lines between, constant outside.
#pragma once

#include "cairn/base.h"

// Samples and, at each of them, the integrals from the first one on. docs/theory/series.md.
typedef struct CnCurve {
    int count;            // at least 1
    const double* times;  // strictly increasing [s]   [count]
    const double* values; // [count]
    const double* first;  // integral of the values up to here   [count]
    const double* second; // integral of that   [count]
} CnCurve;

// Fills first and second from times and values.
void cn_curve_integrate(int count, const double* times, const double* values, double* first,
                        double* second);

// All exact for straight lines, to round-off. Outside the samples the value is that of the nearest
// one and the slope is 0. At a sample the slope is that of the line that begins there.
double cn_curve_value(const CnCurve* curve, double time);
double cn_curve_slope(const CnCurve* curve, double time);
double cn_curve_integral(const CnCurve* curve, double time); // from the first sample
double cn_curve_second_integral(const CnCurve* curve,
                                double time); // of the integral, from the first sample
