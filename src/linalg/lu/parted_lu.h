// parted_lu.h - LU of any regular sparse matrix, cut into parts that share no entry.
//
// Parts are factored each by itself: small ones as dense LU with any exchange of rows, large ones
// by the sparse LU. docs/theory/linalg.md, docs/theory/problem.md.
#pragma once

#include "linalg/lu/lu.h"
#include "linalg/sparse_rows.h"

typedef struct CnLuPart {
    int n;
    double* dense; // LU with row exchanges, of small ones; NULL: sparse   [n * n]
    int* pivot;    // [n]
    CnBlockRows rows;
    CnLu lu;
    double *right, *defect; // scratch of the sparse one   [n]
} CnLuPart;

typedef struct CnPartedLu {
    int n, part_count;
    int* start;           // coordinates of part k: coordinate[start[k] .. start[k+1])
    int* coordinate;      // ascending in a part   [n]
    int* part_of;         // of each coordinate   [n]
    int* place;           // of each coordinate inside its part   [n]
    CnLuPart* parts;      // [part_count]
    int determinant_sign; // of the whole, +1 or -1
    int singular_at;      // where factoring failed: the first coordinate of a singular part, or -1
    double* local;        // scratch   [n]
    int* wanted;          // scratch   [n]
} CnPartedLu;

// CN_INVALID: a part is singular, and singular_at tells which.
CnStatus cn_parted_lu_factor(CnPartedLu* lu, const CnSparseRows* matrix, CnArena* arena);

// Numbers of the factor of a part: multiplications of a solution.
size_t cn_parted_lu_numbers(const CnPartedLu* lu, int part);

// x = A^-1 b, refined while that can help; x may be b.
void cn_parted_lu_solve(CnPartedLu* lu, const double* b, double* x);

// The same for one part; x has its coordinates only.
void cn_parted_lu_solve_part(CnPartedLu* lu, int part, double* x);

// What of the solutions of several right sides lies at some coordinates, all of one part, for right
// sides that are zero elsewhere: value[i * columns + c] is that of coordinate[i] in column c, right
// side in, solution out. Without refinement. scratch has cn_parted_lu_scratch() numbers, zero
// before and after.
void cn_parted_lu_solve_among(CnPartedLu* lu, int count, const int* coordinate, int columns,
                              double* value, double* scratch);
size_t cn_parted_lu_scratch(const CnPartedLu* lu, int columns);
