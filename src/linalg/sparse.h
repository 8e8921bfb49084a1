// sparse.h - a symmetric sparse matrix by compressed columns of its lower triangle.
#pragma once

#include "base/arena.h"

typedef struct CnSparse {
    int n;
    int* start;    // column j: entries start[j] .. start[j+1]   [n + 1]
    int* row;      // >= j; each at most once in a column   [start[n]]
    double* value; // [start[n]]
} CnSparse;

// y = A x
void cn_sparse_multiply(const CnSparse* a, const double* x, double* y);

// diagonal[j] = A_jj, 0 where there is no entry.
void cn_sparse_diagonal(const CnSparse* a, double* diagonal);

// Both triangles, row-major; dense is zeroed by the caller   [n * n]
void cn_sparse_to_dense(const CnSparse* a, double* dense);
