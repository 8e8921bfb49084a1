// lu_front.c - the dense part of a sparse LU: some pivots of a small dense matrix.
#include "linalg/lu/lu_front.h"

#include "linalg/lu/front_update.h"
#include "math/simd.h"
#include <math.h>
#include <stddef.h>

// The diagonal is kept as pivot unless another candidate is so many times larger: exchanges cost
// time, and entries grow by at most 1 + 10 in a step.
#define PIVOT_THRESHOLD 0.1

size_t cn_lu_front_stride(int n) {
    return (size_t)n + CN_FRONT_PADDING;
}

static int choose_pivot(const double* a, size_t stride, int pivots, int k) {
    int best = k;
    double largest = fabs(a[(size_t)k * stride + (size_t)k]);
    double own = largest;
    for (int i = k + 1; i < pivots; ++i) {
        double size = fabs(a[(size_t)i * stride + (size_t)k]);
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

// Columns first .. last of a front while they are eliminated.
typedef struct Panel {
    int first, last;
    double inverse[CN_FRONT_PANEL]; // of the pivots
} Panel;

// Eliminates column k from one row within the panel; the multiplier is stored in its place.
static inline void reduce_row(const Panel* panel, const double* pivot_row, int k, double* row) {
    double multiplier = row[k] * panel->inverse[k - panel->first];
    row[k] = multiplier;
    for (int j = k + 1; j < panel->last; ++j) {
        row[j] -= multiplier * pivot_row[j];
    }
}

// Eliminates the panel's columns in the rows that may be pivots, within these columns only.
static bool eliminate_panel(double* a, int n, int pivots, Panel* panel, int* swap,
                            CnLuPivots* record) {
    size_t stride = cn_lu_front_stride(n);
    for (int k = panel->first; k < panel->last; ++k) {
        int chosen = choose_pivot(a, stride, pivots, k);
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
        panel->inverse[k - panel->first] = 1.0 / pivot;
        for (int i = k + 1; i < pivots; ++i) {
            reduce_row(panel, row, k, a + (size_t)i * stride);
        }
    }
    return true;
}

// Applies the panel to the rest of the front: the multipliers of border rows, which are never
// pivots; the columns to the right of the panel in its own rows, one by one; and all rows below,
// with all columns of the panel at once.
static void carry_through(double* a, int n, int pivots, const Panel* panel,
                          const CnFrontFunctions* functions) {
    size_t stride = cn_lu_front_stride(n);
    int first = panel->first, last = panel->last;
    double* own = a + (size_t)first * stride;
    double* below = a + (size_t)last * stride;
    functions->reduce(a + (size_t)pivots * stride + first, own + first, panel->inverse, stride,
                      n - pivots, last - first);
    for (int k = 1; k < last - first; ++k) {
        double* row = own + (size_t)k * stride;
        functions->update(row + last, row + first, own + last, stride, 1, n - last, k);
    }
    functions->update(below + last, below + first, own + last, stride, n - last, n - last,
                      last - first);
}

bool cn_lu_front_eliminate(double* a, int n, int pivots, int* swap, CnLuPivots* record) {
    const CnFrontFunctions* functions = CN_WIDEST(cn_front_functions);
    for (int first = 0; first < pivots; first += CN_FRONT_PANEL) {
        Panel panel = {.first = first, .last = first + CN_FRONT_PANEL};
        panel.last = panel.last < pivots ? panel.last : pivots;
        if (!eliminate_panel(a, n, pivots, &panel, swap, record)) {
            return false;
        }
        carry_through(a, n, pivots, &panel, functions);
    }
    return true;
}
