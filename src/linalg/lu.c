// lu.c - LU of a general dense matrix of any size.
#include "linalg/lu.h"

#include "linalg/dense.h"
#include <math.h>

CnStatus cn_lu_init(CnLu* lu, int n, CnArena* arena) {
    *lu = (CnLu){
        .n = n,
        .a = CN_ARENA_NEW(arena, double, (size_t)n*(size_t)n),
        .pivot = CN_ARENA_NEW(arena, int, n),
    };
    return lu->a == NULL || lu->pivot == NULL ? CN_NO_MEMORY : CN_OK;
}

static double* row_of(const CnLu* lu, int row) {
    return lu->a + (size_t)row * (size_t)lu->n;
}

// The largest entry of a column from the diagonal down; the first of several as large.
static int find_pivot(const CnLu* lu, int k) {
    int pivot = k;
    for (int i = k + 1; i < lu->n; ++i) {
        if (fabs(row_of(lu, i)[k]) > fabs(row_of(lu, pivot)[k])) {
            pivot = i;
        }
    }
    return pivot;
}

static void swap_rows(const CnLu* lu, int i, int k) {
    double *a = row_of(lu, i), *b = row_of(lu, k);
    for (int j = 0; i != k && j < lu->n; ++j) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

bool cn_lu_factor(CnLu* lu) {
    for (int k = 0; k < lu->n; ++k) {
        lu->pivot[k] = find_pivot(lu, k);
        swap_rows(lu, k, lu->pivot[k]);
        const double* top = row_of(lu, k);
        if (!isfinite(top[k]) || top[k] == 0.0) {
            return false;
        }
        for (int i = k + 1; i < lu->n; ++i) {
            double* row = row_of(lu, i);
            if (row[k] != 0.0) { // contacts far apart do not meet: half of the work and more
                row[k] /= top[k];
                cn_dense_add_scaled(lu->n - k - 1, -row[k], top + k + 1, row + k + 1);
            }
        }
    }
    return true;
}

void cn_lu_solve(const CnLu* lu, double* x) {
    for (int k = 0; k < lu->n; ++k) {
        double kept = x[k];
        x[k] = x[lu->pivot[k]];
        x[lu->pivot[k]] = kept;
    }
    for (int i = 1; i < lu->n; ++i) {
        x[i] -= cn_dense_dot(i, row_of(lu, i), x);
    }
    for (int i = lu->n - 1; i >= 0; --i) {
        const double* row = row_of(lu, i);
        x[i] = (x[i] - cn_dense_dot(lu->n - i - 1, row + i + 1, x + i + 1)) / row[i];
    }
}
