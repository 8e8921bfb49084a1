// dense.h - the product of a full matrix and a vector, to compare with.
#pragma once

// y = A x for a square matrix, row-major.
static inline void dense_multiply(int n, const double* a, const double* x, double* y) {
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            y[i] += a[i * n + j] * x[j];
        }
    }
}
