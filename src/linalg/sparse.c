// sparse.c - a symmetric sparse matrix by compressed columns of its lower triangle.
#include "linalg/sparse.h"

void cn_sparse_multiply(const CnSparse* a, const double* x, double* y) {
    for (int i = 0; i < a->n; ++i) {
        y[i] = 0.0;
    }
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            int i = a->row[e];
            y[i] += a->value[e] * x[j];
            if (i != j) {
                y[j] += a->value[e] * x[i];
            }
        }
    }
}

void cn_sparse_diagonal(const CnSparse* a, double* diagonal) {
    for (int j = 0; j < a->n; ++j) {
        diagonal[j] = 0.0;
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            if (a->row[e] == j) {
                diagonal[j] = a->value[e];
            }
        }
    }
}

void cn_sparse_to_dense(const CnSparse* a, double* dense) {
    size_t n = (size_t)a->n;
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            dense[(size_t)a->row[e] * n + (size_t)j] = a->value[e];
            dense[(size_t)j * n + (size_t)a->row[e]] = a->value[e];
        }
    }
}
