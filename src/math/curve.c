// curve.c - a function of time given at points, straight lines between, constant outside.
#include "math/curve.h"

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

static int sample_before(const CnCurve* curve, double time) {
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

double cn_curve_value(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    return piece.value + piece.slope * piece.t;
}

double cn_curve_slope(const CnCurve* curve, double time) {
    return piece_at(curve, time).slope;
}

double cn_curve_integral(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    double t = piece.t;
    return curve->first[piece.start] + t * (piece.value + 0.5 * t * piece.slope);
}

double cn_curve_second_integral(const CnCurve* curve, double time) {
    Piece piece = piece_at(curve, time);
    double t = piece.t;
    return curve->second[piece.start] +
           t * (curve->first[piece.start] + t * (0.5 * piece.value + t * piece.slope / 6.0));
}
