// block_newton.h - semismooth Newton on all blocks of a small problem at once.
//
// Solves for all impulses together with a dense matrix: for problems of some hundred rows on which
// sweeps converge slowly. docs/theory/solvers/nsgs.md.
#pragma once

#include "base/arena.h"
#include "solvers/sweep/block_sweep.h"

typedef struct CnBlockNewton {
    int n;                // rows
    const double* weight; // sqrt(W_ii) > 0, or 1 where W_ii = 0   [n]
    double* w;            // W, columns divided by weight   [n * n]
    double* matrix;       // of one step   [n * n]
    double* step;         // [n]
    int* pivot;           // [n]
} CnBlockNewton;

// Assembles W. The weights stay the caller's.
CnStatus cn_block_newton_init(CnBlockNewton* newton, const CnBlockSweep* sweep,
                              const double* weight, CnArena* arena);

// One full step from p, whose y the sweep must hold, with W's diagonal raised by a fraction of it:
// (16), which selects one of the many solutions of a singular W. False: the matrix is still
// singular; p is unchanged.
bool cn_block_newton_step(CnBlockNewton* newton, const CnBlockSweep* sweep, double raise,
                          double* p);
