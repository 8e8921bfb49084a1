// component_lu.h - LU of any regular sparse matrix, one factor per connected component.
//
// Components (parts) share no entry and are factored separately: small ones as dense LU with any
// exchange of rows, large ones by the sparse LU. docs/theory/linalg.md, docs/theory/problem.md.
#pragma once

#include "linalg/lu/lu.h"
#include "linalg/sparse_rows.h"

typedef struct CnLuComponent {
    int n;
    double* dense; // LU with row exchanges, of small ones; NULL: sparse   [n * n]
    int* pivot;    // [n]
    CnBlockRows rows;
    CnLu lu;
    double *right, *defect; // scratch of the sparse one   [n]
} CnLuComponent;

typedef struct CnComponentLu {
    int n, part_count;
    int* start;           // coordinates of part k: coordinate[start[k] .. start[k+1])
    int* coordinate;      // ascending in a part   [n]
    int* part_of;         // of each coordinate   [n]
    int* place;           // of each coordinate inside its part   [n]
    CnLuComponent* parts; // [part_count]
    int determinant_sign; // of the whole, +1 or -1
    int singular_at;      // where factoring failed: the first coordinate of a singular part, or -1
    double* local;        // scratch   [n]
    int* wanted;          // scratch   [n]
} CnComponentLu;

// CN_INVALID: a part is singular, and singular_at tells which.
CnStatus cn_component_lu_factor(CnComponentLu* lu, const CnSparseRows* matrix, CnArena* arena);

// Number of entries in the factor of a part, which is the multiplications of a solve.
size_t cn_component_lu_numbers(const CnComponentLu* lu, int part);

// x = A^-1 b, with iterative refinement while it helps; x may be b.
void cn_component_lu_solve(CnComponentLu* lu, const double* b, double* x);

// The same for one part; x has its coordinates only.
void cn_component_lu_solve_one(CnComponentLu* lu, int part, double* x);

// Entries at some coordinates, all of one part, of the solutions for several right-hand sides that
// are zero elsewhere: value[i * columns + c] belongs to coordinate[i] and column c, right-hand side
// in, solution out. Without refinement. scratch has cn_component_lu_scratch() numbers, zero before
// and after.
void cn_component_lu_solve_partial(CnComponentLu* lu, int count, const int* coordinate, int columns,
                                   double* value, double* scratch);
size_t cn_component_lu_scratch(const CnComponentLu* lu, int columns);
