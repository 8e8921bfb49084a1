// cholesky.c - Cholesky factor of selected rows of a matrix, updated as rows are added and removed.
#include "linalg/cholesky.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

CnStatus cn_cholesky_init(CnCholesky* cholesky, const double* a, int n, CnArena* arena) {
    *cholesky = (CnCholesky){.a = a, .n = n};
    cholesky->row = CN_ARENA_NEW(arena, int, n);
    cholesky->l = CN_ARENA_NEW(arena, double, (size_t)n*(size_t)n);
    bool complete = cholesky->row != NULL && cholesky->l != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static double* l_row(const CnCholesky* cholesky, int place) {
    return &cholesky->l[(size_t)place * (size_t)cholesky->n];
}

// out = L^-1 A_Fi; returns the remainder, linalg.md (14).
static double reduce_row(const CnCholesky* cholesky, int i, double* out) {
    const double* a = &cholesky->a[(size_t)i * (size_t)cholesky->n];
    for (int k = 0; k < cholesky->count; ++k) {
        out[k] = a[cholesky->row[k]];
    }
    cn_dense_solve_lower(cholesky->count, cholesky->l, cholesky->n, out);
    return a[i] - cn_dense_dot(cholesky->count, out, out);
}

double cn_cholesky_remainder(const CnCholesky* cholesky, int i, double* direction) {
    double remainder = reduce_row(cholesky, i, direction);
    cn_dense_solve_lower_transposed(cholesky->count, cholesky->l, cholesky->n, direction);
    return remainder;
}

bool cn_cholesky_add(CnCholesky* cholesky, int i, double smallest) {
    double* out = l_row(cholesky, cholesky->count);
    double remainder = reduce_row(cholesky, i, out);
    if (!(remainder > smallest)) {
        return false;
    }
    out[cholesky->count] = sqrt(remainder);
    cholesky->row[cholesky->count++] = i;
    return true;
}

// A Givens rotation of columns k and k + 1 in the rows from k on, which makes L triangular again.
static void rotate_columns(CnCholesky* cholesky, int k) {
    double* row = l_row(cholesky, k);
    double length = sqrt(row[k] * row[k] + row[k + 1] * row[k + 1]);
    double cosine = row[k] / length;
    double sine = row[k + 1] / length;
    for (int i = k; i < cholesky->count; ++i) {
        row = l_row(cholesky, i);
        double a = row[k];
        double b = row[k + 1];
        row[k] = cosine * a + sine * b;
        row[k + 1] = cosine * b - sine * a;
    }
    row = l_row(cholesky, k);
    row[k] = length;
    row[k + 1] = 0.0;
}

void cn_cholesky_remove(CnCholesky* cholesky, int place) {
    --cholesky->count;
    for (int k = place; k < cholesky->count; ++k) {
        cholesky->row[k] = cholesky->row[k + 1];
        memcpy(l_row(cholesky, k), l_row(cholesky, k + 1), (size_t)(k + 2) * sizeof(double));
    }
    for (int k = place; k < cholesky->count; ++k) { // linalg.md (16)
        rotate_columns(cholesky, k);
    }
}

void cn_cholesky_solve(const CnCholesky* cholesky, double* x) {
    cn_dense_solve_lower(cholesky->count, cholesky->l, cholesky->n, x);
    cn_dense_solve_lower_transposed(cholesky->count, cholesky->l, cholesky->n, x);
}
