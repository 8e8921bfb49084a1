// lu_plan.h - the order and the dense fronts of a sparse LU, known from the pattern alone.
//
// Blocks are ordered by minimum degree. Consecutive ones that fill in alike are eliminated together
// as one dense front, whose Schur complement is passed on to the front that needs it next
// (multifrontal). docs/theory/linalg.md (17)-(19).
#pragma once

#include "linalg/block_rows.h"

typedef struct CnLuFront {
    int first, count;     // its pivots are order[first .. first + count)
    int* border;          // blocks that its pivots also touch; all come later   [border_count]
    int border_count;     //
    int pivot_rows, rows; // scalar rows of the pivots; of pivots and border
    int first_pivot;      // scalar pivots before its own
    int receiver;         // the front that its Schur complement is passed on to, -1: a root
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

// What factoring and what one solution take, in multiplications that run at full speed: numbers
// that are moved between fronts, or read to be used once, take as long as several.
double cn_lu_factor_work(const CnLuPlan* plan);
double cn_lu_solve_work(const CnLuPlan* plan);

CnStatus cn_lu_plan(CnLuPlan* plan, const CnBlockRows* pattern, CnArena* arena);
