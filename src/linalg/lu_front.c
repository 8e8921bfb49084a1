// lu_front.c - the dense part of a sparse LU: some pivots of a small dense matrix.
#include "linalg/lu_front.h"

#include <math.h>
#include <stddef.h>

// The diagonal is kept as pivot unless another candidate is so many times larger: exchanges cost
// time, and entries grow by at most 1 + 10 in a step.
#define PIVOT_THRESHOLD 0.1

// Columns that are eliminated before the rest of the matrix is updated with all of them at once:
// four multipliers and four rows fit the registers of any machine.
#define PANEL 4

static int choose_pivot(const double* a, int n, int pivots, int k) {
    int best = k;
    double largest = fabs(a[(size_t)k * (size_t)n + (size_t)k]);
    double own = largest;
    for (int i = k + 1; i < pivots; ++i) {
        double size = fabs(a[(size_t)i * (size_t)n + (size_t)k]);
        if (size > largest) {
            largest = size;
            best = i;
        }
    }
    return own >= PIVOT_THRESHOLD * largest ? k : best;
}

static void exchange_rows(double* restrict x, double* restrict y, int n) {
    for (int j = 0; j < n; ++j) {
        double kept = x[j];
        x[j] = y[j];
        y[j] = kept;
    }
}

// Eliminates columns first .. last of all rows, within these columns only.
static bool eliminate_panel(double* a, int n, int pivots, int first, int last, int* swap,
                            CnLuPivots* record) {
    size_t stride = (size_t)n;
    for (int k = first; k < last; ++k) {
        int chosen = choose_pivot(a, n, pivots, k);
        double* row = a + (size_t)k * stride;
        swap[k] = chosen;
        if (chosen != k) {
            exchange_rows(row, a + (size_t)chosen * stride, n);
            exchange_rows(record->size + k, record->size + chosen, 1);
            record->sign = -record->sign;
        }
        double pivot = row[k];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot)) {
            return false;
        }
        record->sign = pivot < 0.0 ? -record->sign : record->sign;
        record->least = fmin(record->least, fabs(pivot) / record->size[k]);
        double inverse = 1.0 / pivot;
        for (int i = k + 1; i < n; ++i) {
            double* other = a + (size_t)i * stride;
            double multiplier = other[k] * inverse;
            other[k] = multiplier;
            for (int j = k + 1; j < last; ++j) {
                other[j] -= multiplier * row[j];
            }
        }
    }
    return true;
}

// Carries the elimination of the panel through the columns to its right of its own rows.
static void finish_panel_rows(double* a, int n, int first, int last) {
    size_t stride = (size_t)n;
    for (int k = first; k < last; ++k) {
        const double* restrict row = a + (size_t)k * stride;
        for (int i = k + 1; i < last; ++i) {
            double* restrict other = a + (size_t)i * stride;
            double multiplier = other[k];
            for (int j = last; j < n; ++j) {
                other[j] -= multiplier * row[j];
            }
        }
    }
}

// Two rows at a time, less the four panel rows u times their multipliers l.
static void update_two(double* restrict x, double* restrict y, const double* l, const double* m,
                       const double* restrict u, size_t stride, int count) {
    const double* restrict u0 = u;
    const double* restrict u1 = u + stride;
    const double* restrict u2 = u + 2 * stride;
    const double* restrict u3 = u + 3 * stride;
    double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3];
    double m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3];
    for (int j = 0; j < count; ++j) {
        x[j] -= (l0 * u0[j] + l1 * u1[j]) + (l2 * u2[j] + l3 * u3[j]);
        y[j] -= (m0 * u0[j] + m1 * u1[j]) + (m2 * u2[j] + m3 * u3[j]);
    }
}

static void update_one(double* restrict x, const double* l, const double* restrict u, size_t stride,
                       int width, int count) {
    for (int k = 0; k < width; ++k) {
        const double* restrict row = u + (size_t)k * stride;
        double multiplier = l[k];
        for (int j = 0; j < count; ++j) {
            x[j] -= multiplier * row[j];
        }
    }
}

// The rows below the panel, right of it.
static void update_rest(double* a, int n, int first, int last) {
    size_t stride = (size_t)n;
    const double* u = a + (size_t)first * stride + last;
    int i = last;
    for (; last - first == PANEL && i + 1 < n; i += 2) {
        double* x = a + (size_t)i * stride;
        update_two(x + last, x + stride + last, x + first, x + stride + first, u, stride, n - last);
    }
    for (; i < n; ++i) {
        double* x = a + (size_t)i * stride;
        update_one(x + last, x + first, u, stride, last - first, n - last);
    }
}

bool cn_lu_front_eliminate(double* a, int n, int pivots, int* swap, CnLuPivots* record) {
    for (int first = 0; first < pivots; first += PANEL) {
        int last = first + PANEL < pivots ? first + PANEL : pivots;
        if (!eliminate_panel(a, n, pivots, first, last, swap, record)) {
            return false;
        }
        finish_panel_rows(a, n, first, last);
        update_rest(a, n, first, last);
    }
    return true;
}
