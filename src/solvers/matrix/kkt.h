// kkt.h - linear systems with W = J M^-1 J^T that never form W.
//
// (D W D + C) x = right with small blocks C on the rows is solved together with the motion
// z = S^-1 M^-1 J^T D x of the coordinates, from one sparse matrix
//
//     [ S M S      -S J^T D ] [z]   [  0  ]
//     [ D J S         C     ] [x] = [right]          docs/theory/problem.md (15), (16)
//
// S gives every coordinate a unit mass. A row whose C may be zero cannot be a pivot before the
// coordinates it acts on: it is put into the block of one of them, where rows may be exchanged.
#pragma once

#include "constraints/problem/masses.h"

typedef enum CnKktRow {
    CN_KKT_PLAIN, // its C is regular
    CN_KKT_BARE,  // its C may be zero
    CN_KKT_HELD,  // x = right: its impulse does not change
} CnKktRow;

typedef struct CnKkt {
    CnLu lu;
    int determinant_sign; // factor: of det(D W D + C)

    // Private.
    const CnMasses* masses;
    CnBlockRows matrix;
    double* fixed;          // the matrix without C   [numbers of matrix]
    int* coordinate_place;  // of each coordinate among the unknowns   [coordinate_count]
    int* row_place;         // of each row, likewise   [row_count]
    int* node;              // block of each unknown   [unknowns]
    double* size;           // S   [coordinate_count]
    const double* scale;    // D, NULL: 1   [row_count]
    double *b, *x, *defect; // of the system   [unknowns]
} CnKkt;

// Builds the pattern and plans the factorisation. kind is the kind of each row [row_count], scale
// is D (NULL: 1).
CnStatus cn_kkt_init(CnKkt* kkt, const CnProblem* problem, const CnKktRow* kind,
                     const double* scale, CnArena* arena);

// Only plans it: multiplications of one factorisation, about.
CnStatus cn_kkt_cost(const CnProblem* problem, CnArena* arena, double* multiplications);

// All C become zero; then each is added, n x n on the rows from `row` on: those of a contact
// together, others one by one. Then the matrix is factored; false: a pivot is zero or not finite.
void cn_kkt_begin(CnKkt* kkt);
void cn_kkt_add(CnKkt* kkt, int row, int n, const double* c);
bool cn_kkt_factor(CnKkt* kkt);

// x = (D W D + C)^-1 right, with one step of refinement. x may be right.
void cn_kkt_solve(CnKkt* kkt, const double* right, double* x);

// y = D W D x of the last solution x, from the motion of the coordinates.
void cn_kkt_response(const CnKkt* kkt, double* y);
