// curve.c - a function of time: straight lines between points, maybe repeated, or a sine.
#include "math/curve.h"

#include "cairn/math.h"

void cn_curve_integrate(int count, const double* times, const double* values, double* first,
                        double* second) {
    first[0] = second[0] = 0.0;
    for (int i = 1; i < count; ++i) {
        double h = times[i] - times[i - 1];
        first[i] = first[i - 1] + 0.5 * h * (values[i - 1] + values[i]);
        second[i] =
            second[i - 1] + h * first[i - 1] + h * h * (2.0 * values[i - 1] + values[i]) / 6.0;
    }
}

// The piece a time is in: where it starts, the value and slope there. docs/theory/series.md (1).
typedef struct Piece {
    int start; // sample
    double t;  // since then; before the first sample negative [s]
    double value, slope;
} Piece;

// The sample before a time if the samples are evenly spaced, as most are: a search takes a branch
// for each half of them that no processor predicts. -1: they are not.
static int even_sample(const CnCurve* curve, double time) {
    int last = curve->count - 1;
    double share = (time - curve->times[0]) / (curve->times[last] - curve->times[0]);
    if (!(share >= 0.0 && share < 1.0)) { // or there is one sample
        return -1;
    }
    int guess = (int)(share * last);
    guess += guess + 1 < last && curve->times[guess + 1] <= time; // round-off
    return curve->times[guess] <= time && time < curve->times[guess + 1] ? guess : -1;
}

static int sample_before(const CnCurve* curve, double time) {
    int even = even_sample(curve, time);
    if (even >= 0) {
        return even;
    }
    int low = 0, high = curve->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (curve->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static Piece piece_at(const CnCurve* curve, double time) {
    int i = sample_before(curve, time);
    Piece piece = {.start = i, .t = time - curve->times[i], .value = curve->values[i]};
    if (i + 1 < curve->count && time >= curve->times[i]) {
        piece.slope =
            (curve->values[i + 1] - curve->values[i]) / (curve->times[i + 1] - curve->times[i]);
    }
    return piece;
}

// ---- samples ----

static double line_value(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    return piece.value + piece.slope * piece.t;
}

static double line_integral(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    double t = piece.t;
    return curve->first[piece.start] + t * (piece.value + 0.5 * t * piece.slope);
}

static double line_second_integral(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    double t = piece.t;
    return curve->second[piece.start] +
           t * (curve->first[piece.start] + t * (0.5 * piece.value + t * piece.slope / 6.0));
}

// The number of whole periods before a time, and the time in the period it is in. None before the
// first sample.
static double whole_periods(const CnCurve* curve, double time, double* within) {
    double since = time - curve->times[0];
    double periods = curve->period > 0.0 && since > 0.0 ? floor(since / curve->period) : 0.0;
    *within = periods > 0.0 ? curve->times[0] + fmax(since - periods * curve->period, 0.0) : time;
    return periods;
}

// ---- sines: docs/theory/series.md (6) to (9) ----

static bool is_sine(const CnCurve* curve) {
    return curve->sine.rate != 0.0;
}

static double sine_value(const CnSineWave* wave, double time) {
    return wave->offset + wave->amplitude * cn_sin(wave->rate * time + wave->phase);
}

static double sine_integral(const CnSineWave* wave, double time) {
    double swing = cn_cos(wave->phase) - cn_cos(wave->rate * time + wave->phase);
    return wave->offset * time + wave->amplitude / wave->rate * swing;
}

static double sine_second_integral(const CnSineWave* wave, double time) {
    double swing = cn_sin(wave->rate * time + wave->phase) - cn_sin(wave->phase);
    double straight = wave->rate * time * cn_cos(wave->phase);
    return 0.5 * wave->offset * time * time +
           wave->amplitude / (wave->rate * wave->rate) * (straight - swing);
}

// ---- all ----

double cn_curve_value(const CnCurve* curve, double time) {
    if (is_sine(curve)) {
        return sine_value(&curve->sine, time);
    }
    whole_periods(curve, time, &time);
    return line_value(curve, time);
}

double cn_curve_slope(const CnCurve* curve, double time) {
    const CnSineWave* wave = &curve->sine;
    if (is_sine(curve)) {
        return wave->amplitude * wave->rate * cn_cos(wave->rate * time + wave->phase);
    }
    whole_periods(curve, time, &time);
    return piece_at(curve, time).slope;
}

double cn_curve_integral(const CnCurve* curve, double time) {
    if (is_sine(curve)) {
        return sine_integral(&curve->sine, time);
    }
    double periods = whole_periods(curve, time, &time);
    double inside = line_integral(curve, time);
    return periods > 0.0 ? periods * line_integral(curve, curve->times[0] + curve->period) + inside
                         : inside;
}

// docs/theory/series.md (5)
double cn_curve_second_integral(const CnCurve* curve, double time) {
    if (is_sine(curve)) {
        return sine_second_integral(&curve->sine, time);
    }
    double periods = whole_periods(curve, time, &time);
    double inside = line_second_integral(curve, time);
    if (!(periods > 0.0)) {
        return inside;
    }
    double end = curve->times[0] + curve->period;
    double area = line_integral(curve, end), length = curve->period;
    return periods * line_second_integral(curve, end) +
           area * (0.5 * periods * (periods - 1.0) * length + periods * (time - curve->times[0])) +
           inside;
}

double cn_curve_largest(const CnCurve* curve, double* time) {
    const CnSineWave* wave = &curve->sine;
    double largest = curve->values[0];
    *time = curve->times[0];
    for (int i = 1; i < curve->count; ++i) {
        if (fabs(curve->values[i]) > fabs(largest)) {
            largest = curve->values[i];
            *time = curve->times[i];
        }
    }
    return is_sine(curve) ? fabs(wave->offset) + fabs(wave->amplitude) : largest;
}
