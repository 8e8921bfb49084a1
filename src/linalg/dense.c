// dense.c - small dense matrices: products, triangular solves, LU, and pivoted LDL^T.
#include "linalg/dense.h"

#include "base/error.h"
#include "linalg/dense_kernels.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>

// Round-off of a pivot is a small multiple of n epsilon times the original diagonal (linalg.md
// (4)); entries of J M^-1 J^T carry some ten more from being sums of twelve products.
#define ROUND_OFF_FACTOR 16.0

#define LARGEST_LU 32768 // n * n is an int

double cn_dense_dot(int n, const double* a, const double* b) {
    return CN_WIDEST(cn_dense_kernels)->dot(n, a, b);
}

void cn_dense_add_scaled(int n, double scale, const double* x, double* y) {
    CN_WIDEST(cn_dense_kernels)->add_scaled(n, scale, x, y);
}

void cn_dense_solve_lower(int n, const double* l, int stride, double* x) {
    for (int i = 0; i < n; ++i) {
        const double* row = &l[(size_t)i * (size_t)stride];
        x[i] = (x[i] - cn_dense_dot(i, row, x)) / row[i];
    }
}

void cn_dense_solve_lower_transposed(int n, const double* l, int stride, double* x) {
    for (int i = n - 1; i >= 0; --i) {
        const double* row = &l[(size_t)i * (size_t)stride];
        x[i] /= row[i];
        cn_dense_add_scaled(i, -x[i], row, x);
    }
}

static void swap_numbers(int n, double* a, double* b) {
    for (int i = 0; i < n; ++i) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

bool cn_dense_lu_factor(int n, double* a, int* pivot) {
    CN_ASSERT(n <= LARGEST_LU);
    const CnDenseKernels* kernels = CN_WIDEST(cn_dense_kernels);
    double smallest_pivot = n * DBL_EPSILON * kernels->largest(n * n, a);

    for (int k = 0; k < n; ++k) {
        int best = k;
        double largest = fabs(a[k * n + k]);
        for (int i = k + 1; i < n; ++i) {
            double size = fabs(a[i * n + k]);
            if (size > largest) {
                largest = size;
                best = i;
            }
        }
        pivot[k] = best;
        if (!(largest > smallest_pivot)) {
            return false;
        }
        if (best != k) {
            swap_numbers(n, &a[k * n], &a[best * n]);
        }
        kernels->eliminate(n, k, a);
    }
    return true;
}

void cn_dense_lu_solve(int n, const double* lu, const int* pivot, double* x) {
    for (int k = 0; k < n; ++k) {
        swap_numbers(1, &x[k], &x[pivot[k]]);
    }
    for (int i = 0; i < n; ++i) {
        x[i] -= cn_dense_dot(i, &lu[i * n], x);
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] -= cn_dense_dot(n - i - 1, &lu[i * n + i + 1], &x[i + 1]);
        x[i] /= lu[i * n + i];
    }
}

CnStatus cn_dense_ldlt_init(CnDenseLdlt* ldlt, int n, CnArena* arena) {
    *ldlt = (CnDenseLdlt){.n = n};
    ldlt->factor = CN_ARENA_NEW(arena, double, (size_t)n*(size_t)n);
    ldlt->scale = CN_ARENA_NEW(arena, double, n);
    ldlt->order = CN_ARENA_NEW(arena, int, n);
    ldlt->work = CN_ARENA_NEW(arena, double, n);
    bool complete =
        ldlt->factor != NULL && ldlt->scale != NULL && ldlt->order != NULL && ldlt->work != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static double* factor_row(const CnDenseLdlt* ldlt, int row) {
    return &ldlt->factor[(size_t)row * (size_t)ldlt->n];
}

// The pivot of a row after eliminating the rows before it, as a fraction of its original diagonal:
// 1 for a row orthogonal to them, 0 for a dependent one.
static double fraction_left(const CnDenseLdlt* ldlt, int k) {
    return ldlt->scale[k] > 0.0 ? factor_row(ldlt, k)[k] / ldlt->scale[k] : 0.0;
}

// Exchanges rows and columns i < j of the lower triangle.
static void exchange(CnDenseLdlt* ldlt, int i, int j) {
    double* row_i = factor_row(ldlt, i);
    double* row_j = factor_row(ldlt, j);

    swap_numbers(i, row_i, row_j);
    swap_numbers(1, &row_i[i], &row_j[j]);
    for (int k = i + 1; k < j; ++k) {
        swap_numbers(1, &factor_row(ldlt, k)[i], &row_j[k]);
    }
    for (int k = j + 1; k < ldlt->n; ++k) {
        swap_numbers(1, &factor_row(ldlt, k)[i], &factor_row(ldlt, k)[j]);
    }
    swap_numbers(1, &ldlt->scale[i], &ldlt->scale[j]);
    int kept = ldlt->order[i];
    ldlt->order[i] = ldlt->order[j];
    ldlt->order[j] = kept;
}

// The row with the largest such fraction; ties go to the lowest original index.
static int find_pivot(const CnDenseLdlt* ldlt, int k) {
    int best = k;
    double best_fraction = fraction_left(ldlt, k);
    for (int i = k + 1; i < ldlt->n; ++i) {
        double fraction = fraction_left(ldlt, i);
        bool lower = fraction == best_fraction && ldlt->order[i] < ldlt->order[best];
        if (fraction > best_fraction || lower) {
            best = i;
            best_fraction = fraction;
        }
    }
    return best;
}

// linalg.md (3): column k of L, and the update of the remaining matrix.
static void eliminate(CnDenseLdlt* ldlt, int k) {
    double pivot = factor_row(ldlt, k)[k];
    double* column = ldlt->work; // d_k l_ik of the rows below
    for (int i = k + 1; i < ldlt->n; ++i) {
        double* row = factor_row(ldlt, i);
        column[i] = row[k];
        row[k] /= pivot;
        cn_dense_add_scaled(i - k, -row[k], &column[k + 1], &row[k + 1]);
    }
}

void cn_dense_ldlt_factor(CnDenseLdlt* ldlt, const double* a) {
    int n = ldlt->n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            factor_row(ldlt, i)[j] = a[(size_t)i * (size_t)n + (size_t)j];
        }
        ldlt->scale[i] = factor_row(ldlt, i)[i];
        ldlt->order[i] = i;
    }
    double smallest = ROUND_OFF_FACTOR * n * DBL_EPSILON;
    for (ldlt->rank = 0; ldlt->rank < n; ++ldlt->rank) {
        int best = find_pivot(ldlt, ldlt->rank);
        if (!(fraction_left(ldlt, best) > smallest)) {
            return;
        }
        if (best != ldlt->rank) {
            exchange(ldlt, ldlt->rank, best);
        }
        eliminate(ldlt, ldlt->rank);
    }
}

void cn_dense_ldlt_solve(const CnDenseLdlt* ldlt, const double* b, double* x) {
    double* z = ldlt->work;
    for (int k = 0; k < ldlt->rank; ++k) {
        z[k] = b[ldlt->order[k]] - cn_dense_dot(k, factor_row(ldlt, k), z);
    }
    for (int k = 0; k < ldlt->rank; ++k) {
        z[k] /= factor_row(ldlt, k)[k];
    }
    for (int k = ldlt->rank - 1; k > 0; --k) {
        cn_dense_add_scaled(k, -z[k], factor_row(ldlt, k), z);
    }
    for (int k = 0; k < ldlt->n; ++k) {
        x[ldlt->order[k]] = k < ldlt->rank ? z[k] : 0.0;
    }
}
