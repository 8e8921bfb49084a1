// block_solve.h - solves the law of one block exactly, all other impulses held fixed.
//
//     u_a = W_aa p_a + q_a, q_a the velocity due to all other blocks: docs/theory/solvers/nsgs.md
//     (4)
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
    int slot_c, slot_d;    // of a second pair, the world's where there is none
    bool is_aligned;       // its rows of a response have their entries in the same columns
    const double* w;       // W_aa, row-major
    double lambda_max;     // of W_aa
    CnDenseLdlt* factor;   // equality: of W_aa; force: of 1 + S W_aa S, S = sqrt(slope)
    CnCholesky* free_rows; // bounds with several rows: of W_aa
    CnWideContact* wide;   // coulomb with more than three rows
    CnOneContact contact;  // coulomb, up to three rows
} CnSweepBlock;

// Factors what the law needs; block and w are set.
CnStatus cn_block_solve_prepare(const CnProblem* problem, CnSweepBlock* item, CnArena* arena);

// p is the old impulse on input and the solution on output. Returns how a contact was solved;
// TAKE_OFF for other laws, SLIDE or FAILED for contacts with more than three rows.
CnContactRoute cn_block_solve(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                              double* p);
