// lu.h - LU of a general dense matrix of any size.
#pragma once

#include "base/arena.h"

typedef struct CnLu {
    int n;
    double* a;  // row-major: the matrix in, its factors out   [n * n]
    int* pivot; // row k was exchanged with row pivot[k] >= k   [n]
} CnLu;

CnStatus cn_lu_init(CnLu* lu, int n, CnArena* arena);

// P A = L U in place, with partial pivoting. False when a pivot is zero or not finite.
bool cn_lu_factor(CnLu* lu);
void cn_lu_solve(const CnLu* lu, double* x); // x: b in, answer out
