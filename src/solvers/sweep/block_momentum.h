// block_momentum.h - the momentum of one block in sweeps: extrapolation with its own restart.
//
// docs/theory/solvers/nsgs_momentum.md (7), (8).
#pragma once

#include "cairn/problem.h"

typedef struct CnBlockMomentum {
    double agreement; // of the last visit with the change since the one before; < 0: it turned back
    double age;       // t of (7)
    double plain[CN_MAX_ROWS]; // impulse after the visit before, without extrapolation
} CnBlockMomentum;

// p: the impulse of the block   [block->row_count]
void cn_block_momentum_restart(CnBlockMomentum* momentum, const CnBlock* block, const double* p);

// After a visit that led from `before` to p. Rows are weighted by the diagonal of W_aa (row-major),
// since lengths and angles have different units.
void cn_block_momentum_note(CnBlockMomentum* momentum, const CnBlock* block, const double* w,
                            const double* before, const double* p);

// Extrapolates p by at most `most` times its last change, within the law's admissible set; change:
// what was added   [block->row_count]
void cn_block_momentum_extrapolate(CnBlockMomentum* momentum, const CnProblem* problem,
                                   const CnBlock* block, double most, double* p, double* change);

// Projects an extrapolated impulse onto the admissible set of the block's law.
void cn_block_keep_in_set(const CnProblem* problem, const CnBlock* block, double* p);
