// lu_plan.h - symbolic analysis of a sparse LU: ordering and dense fronts from the pattern.
//
// Multifrontal: blocks are ordered by minimum degree; consecutive ones with the same fill-in are
// eliminated together as one dense front (a supernode), whose Schur complement is added to its
// parent front. docs/theory/linalg.md (17)-(19).
#pragma once

#include "linalg/blocks/block_rows.h"

typedef struct CnLuFront {
    int first, count;     // its pivots are order[first .. first + count)
    int* border;          // blocks that its pivots also touch; all come later   [border_count]
    int border_count;     //
    int pivot_rows, rows; // scalar rows of the pivots; of pivots and border
    int first_pivot;      // scalar pivots before its own
    int receiver;         // its parent front, to which its Schur complement is added, -1: a root
    int child, sibling;   // the latest front that passes its Schur complement on to this one; the
                          // next earlier one with the same receiver; -1: none
    size_t factor;        // where its pivot rows, then its multipliers, start in the factor
    size_t passed;        // where its Schur complement lies on the stack
} CnLuFront;

typedef struct CnLuPlan {
    int front_count;
    CnLuFront* fronts; // in the order of elimination; receivers come after those they receive from
    int* order;        // order[k] is the block eliminated k-th   [block_count]
    int* inverse;      // place of each block   [block_count]
    int* front_of;     // front of each place   [block_count]
    size_t factor_size, stack_size; // numbers
    int largest;                    // rows of the largest front
    double multiplications;         // of one factorisation, about
} CnLuPlan;

// The cost of factoring and of one solve, in multiplications at full speed: entries that are moved
// between fronts, or read to be used once, count as several.
double cn_lu_factor_work(const CnLuPlan* plan);
double cn_lu_solve_work(const CnLuPlan* plan);

CnStatus cn_lu_plan(CnLuPlan* plan, const CnBlockRows* pattern, CnArena* arena);
