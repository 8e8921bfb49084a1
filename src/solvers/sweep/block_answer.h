// block_answer.h - the exact answer of one block to its own law, all others held fixed.
//
//     u_a = W_aa p_a + q_a, with q_a what the block feels of all others: docs/theory/nsgs.md (4)
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "solvers/sweep/one_contact.h"
#include "solvers/sweep/wide_contact.h"

typedef struct CnSweepBlock {
    const CnBlock* block;
    int slot_a, slot_b;    // of its bodies in the sweep; the world has a slot of its own
    bool is_aligned;       // its rows of a response have their numbers in the same columns
    const double* w;       // W_aa, row-major
    double lambda_max;     // of W_aa
    CnDenseLdlt* factor;   // equality: of W_aa; force: of 1 + S W_aa S, S = sqrt(slope)
    CnCholesky* free_rows; // bounds with several rows: of W_aa
    CnWideContact* wide;   // coulomb with more than three rows
    CnOneContact contact;  // coulomb, up to three rows
} CnSweepBlock;

// Factors what the law needs; block and w are set.
CnStatus cn_block_answer_prepare(const CnProblem* problem, CnSweepBlock* item, CnArena* arena);

// p is what the block had on input and its answer on output. Of contacts only those with more than
// three rows can do without a route; TAKE_OFF stands for whatever is ordinary.
CnContactRoute cn_block_answer(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                               double* p);
