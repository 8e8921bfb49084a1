// sparse_rows.h - any sparse matrix by compressed rows.
#pragma once

#include "base/arena.h"

typedef struct CnSparseRows {
    int rows, columns;
    int* start;    // entries of row i: start[i] .. start[i+1]   [rows + 1]
    int* column;   // ascending in a row   [start[rows]]
    double* value; // [start[rows]]
} CnSparseRows;

// Entries in any order.
typedef struct CnSparseEntries {
    int count;
    const int *row, *column;
    const double* value;
} CnSparseEntries;

// Sorts, adds up duplicates and drops zeros. False: no memory.
bool cn_sparse_rows_gather(int rows, int columns, const CnSparseEntries* entries, CnArena* arena,
                           CnSparseRows* matrix);

// False: no memory.
bool cn_sparse_rows_transpose(const CnSparseRows* a, CnArena* arena, CnSparseRows* transposed);

// sum A_ij x_j of one row i.
double cn_sparse_rows_dot(const CnSparseRows* a, int row, const double* x);

// y += A^T x
void cn_sparse_rows_add_transposed(const CnSparseRows* a, const double* x, double* y);
