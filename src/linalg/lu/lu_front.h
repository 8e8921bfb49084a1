// lu_front.h - the dense part of a sparse LU: some pivots of a small dense matrix.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Statistics of the pivots.
typedef struct CnLuPivots {
    int sign;     // of the product of the pivots and of the row exchanges so far
    double least; // the smallest |pivot| relative to the size of its row, so far
    double* size; // the caller's measure of each row, exchanged with the rows   [pivots]
} CnLuPivots;

// Numbers from one row of a front of n rows to the next.
size_t cn_lu_front_stride(int n);

// Eliminates the first `pivots` columns of the row-major n x n matrix a, in place: U on and above
// the diagonal of the first rows, the multipliers L (unit diagonal) below, and the Schur complement
// in the remaining square. The padding behind its rows, up to the stride, must be finite and is
// overwritten. Row k was exchanged with row swap[k] in k .. pivots - 1, which happens when its own
// entry is below a tenth of the largest there: linalg.md (18). False: a pivot is zero or not
// finite.
bool cn_lu_front_eliminate(double* a, int n, int pivots, int* swap, CnLuPivots* record);
