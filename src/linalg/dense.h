// dense.h - small dense matrices: products, triangular solves, LU, and pivoted LDL^T.
//
// Matrices are row-major. Sums are taken in a fixed order, so results have the same bits on every
// machine. Equations: docs/theory/linalg.md.
#pragma once

#include "base/arena.h"

// sum a_i b_i, in four interleaved partial sums.
double cn_dense_dot(int n, const double* a, const double* b);

// y += scale x
void cn_dense_add_scaled(int n, double scale, const double* x, double* y);

// x = L^-1 x and x = L^-T x; L is lower triangular with `stride` numbers from row to row, and its
// diagonal is not zero.
void cn_dense_solve_lower(int n, const double* l, int stride, double* x);
void cn_dense_solve_lower_transposed(int n, const double* l, int stride, double* x);

// A = P^T L U in place, with partial pivoting; row k was exchanged with row pivot[k] >= k. False
// when A is singular to working precision; a and pivot are then undefined.
bool cn_dense_lu_factor(int n, double* a, int* pivot);
void cn_dense_lu_solve(int n, const double* lu, const int* pivot,
                       double* x); // x: b in, solution out

// P A P^T = L D L^T of a symmetric positive semidefinite matrix, any rank.
typedef struct CnDenseLdlt {
    int n, rank;
    double*
        factor;    // L below the diagonal (unit), D on it; the upper triangle is not used   [n * n]
    double* scale; // diagonal of A in the order of elimination   [n]
    int* order;    // order[k] is the row eliminated k-th; those from rank on depend on others  [n]
    double* work;  // [n]
} CnDenseLdlt;

CnStatus cn_dense_ldlt_init(CnDenseLdlt* ldlt, int n, CnArena* arena);

// Only the lower triangle of a is read. Pivots are the largest in relation to their own original
// diagonal; rows whose pivots are below round-off are dependent.
void cn_dense_ldlt_factor(CnDenseLdlt* ldlt, const double* a);

// The basic solution: entries of dependent rows are 0. It solves A x = b when b is in A's range.
// x may be b.
void cn_dense_ldlt_solve(const CnDenseLdlt* ldlt, const double* b, double* x);
