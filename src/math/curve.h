// curve.h - a function of time: straight lines between points, maybe repeated, or a sine.
#pragma once

#include "cairn/base.h"

typedef struct CnSineWave {
    double amplitude, offset;
    double rate;  // [rad/s]; 0: the curve is no sine
    double phase; // [rad]
} CnSineWave;

// Samples and, at each of them, the integrals from the first one on. docs/theory/series.md.
typedef struct CnCurve {
    int count;            // at least 1; 0: there is no curve
    const double* times;  // increasing; two equal ones are a jump [s]   [count]
    const double* values; // [count]
    const double* first;  // integral of the values up to here   [count]
    const double* second; // integral of that   [count]
    double period;        // the samples repeat from the first on [s]; 0: they do not
    CnSineWave sine;      // in place of the samples; integrals from time 0
} CnCurve;

// The sample of largest absolute value, factor included; of a sine its largest value, at time 0.
double cn_curve_largest(const CnCurve* curve, double* time);

// Fills first and second from times and values.
void cn_curve_integrate(int count, const double* times, const double* values, double* first,
                        double* second);

// All exact to round-off. Outside the samples the value is that of the nearest
// one and the slope is 0. At a sample the slope is that of the line that begins there.
double cn_curve_value(const CnCurve* curve, double time);
double cn_curve_slope(const CnCurve* curve, double time);

// Whether two curves have the same samples, or are the same sine: copies of one series.
static inline bool cn_curve_is_same(const CnCurve* curve, const CnCurve* other) {
    const CnSineWave *own = &curve->sine, *its = &other->sine;
    bool is_same_sine =
        own->amplitude == its->amplitude && own->offset == its->offset && own->phase == its->phase;
    return curve->times == other->times && curve->values == other->values &&
           curve->count == other->count && curve->period == other->period &&
           own->rate == its->rate && (own->rate == 0.0 || is_same_sine);
}

// The value that was looked up last, for curves that share samples and are asked for one time after
// each other. Good while these curves stay where they are.
typedef struct CnCurveLook {
    const CnCurve* curve; // NULL: none
    double time, value;
} CnCurveLook;
static inline double cn_curve_value_again(const CnCurve* curve, double time, CnCurveLook* last) {
    if (last->curve == NULL || last->time != time || !cn_curve_is_same(curve, last->curve)) {
        *last = (CnCurveLook){curve, time, cn_curve_value(curve, time)};
    }
    return last->value;
}

double cn_curve_integral(const CnCurve* curve, double time); // from the first sample
double cn_curve_second_integral(const CnCurve* curve,
                                double time); // of the integral, from the first sample
