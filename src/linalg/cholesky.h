// cholesky.h - Cholesky factor of selected rows of a matrix, updated as rows are added and removed.
//
// For a symmetric positive semidefinite A and a list of rows F, L L^T = A_FF. A row is added only
// if it is independent of those present. Equations: docs/theory/linalg.md (14)-(16).
#pragma once

#include "base/arena.h"

typedef struct CnCholesky {
    const double* a; // row-major, symmetric   [n * n]
    int n;
    int count; // rows present
    int* row;  // in the order they were added   [count of n]
    double* l; // lower triangular, stride n   [n * n]
} CnCholesky;

CnStatus cn_cholesky_init(CnCholesky* cholesky, const double* a, int n, CnArena* arena);

// The Schur complement of A_ii with respect to the rows present, A_ii - A_iF A_FF^-1 A_Fi (the
// remainder), and the direction A_FF^-1 A_Fi, in the order of `row`   [count]
double cn_cholesky_remainder(const CnCholesky* cholesky, int i, double* direction);

// Adds row i, not yet present, unless its remainder is at most smallest. True when it was added.
bool cn_cholesky_add(CnCholesky* cholesky, int i, double smallest);

// Removes the row at a place in `row`; those after it move up.
void cn_cholesky_remove(CnCholesky* cholesky, int place);

// x = A_FF^-1 x, both in the order of `row`.
void cn_cholesky_solve(const CnCholesky* cholesky, double* x);
