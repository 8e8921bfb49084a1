// lu.h - sparse LU of a matrix of small blocks whose pattern, but not values, is symmetric.
//
//     cn_lu_analyze(&lu, &a, arena);  ordering, pattern, memory: once per pattern
//     cn_lu_factor(&lu, &a);          numbers: once per matrix
//     cn_lu_solve(&lu, b, x);         as often as wanted
//
// Rows are exchanged only among those of a dense front, so the pattern planned for always holds. A
// matrix that would need other exchanges loses digits, which cn_lu_refine() restores. For the
// matrices of the solvers (a semidefinite W plus small blocks) exchanges within fronts suffice.
#pragma once

#include "linalg/lu/lu_plan.h"

typedef struct CnLu {
    CnLuPlan plan;
    int row_count;
    int determinant_sign; // factor: of det A, +1 or -1
    double least_pivot;   // factor: the smallest |pivot| relative to the largest entry of its row

    // Private.
    const int* first_row; // of the matrix analyzed   [block_count + 1]
    double* factor;       // [plan.factor_size]
    double* stack;        // Schur complements not yet assembled   [plan.stack_size]
    double* front;        // the current one, with its stride   [plan.largest rows]
    int* offset;          // of each block in the current front   [block_count]
    int* swap;            // of each pivot, within its front   [row_count]
    double* size;         // largest entry of each row   [row_count]
    double* work;         // [2 * plan.largest, at least row_count]
    int* path;            // fronts to visit, of lu_partial_solve   [plan.front_count]
    bool* is_on_path;     // false between calls   [plan.front_count]
} CnLu;

// The matrix must stay where it is: its sizes are used until the last solve.
CnStatus cn_lu_analyze(CnLu* lu, const CnBlockRows* a, CnArena* arena);

// cn_lu_analyze() in two halves: the symbolic plan, with the cost of factoring, and the memory.
CnStatus cn_lu_begin(CnLu* lu, const CnBlockRows* a, CnArena* arena);
CnStatus cn_lu_allocate(CnLu* lu, const CnBlockRows* a, CnArena* arena);

// `a` has the pattern that was analyzed. False when a pivot is zero or not finite.
bool cn_lu_factor(CnLu* lu, const CnBlockRows* a);

// x may be b.
void cn_lu_solve(CnLu* lu, const double* b, double* x);

// x += A^-1 (b - A x): one step of iterative refinement. defect is scratch   [row_count]
void cn_lu_refine(CnLu* lu, const CnBlockRows* a, const double* b, double* x, double* defect);
