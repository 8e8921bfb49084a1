// block_sweep.h - block Gauss-Seidel sweeps: each block in turn gets its exact answer.
//
// Velocities are kept as y with v = v_free + L y, M^-1 = L L^T, so that one array J L serves both
// directions: u = q + J L y reads it, y += (J L)^T dp writes with it. docs/theory/nsgs.md (1)-(4).
// Where a problem gives W instead of bodies, u = W p + q is read from its block rows, and there is
// nothing to write.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "solvers/assembled.h"
#include "solvers/mechanisms.h"
#include "solvers/one_contact.h"
#include "solvers/wide_contact.h"

#define CN_SWEEP_STRIDE 8 // doubles from body to body: one cache line each

typedef struct CnSweepBlock {
    const CnBlock* block;
    int slot_a, slot_b;    // into y; the world has a slot of its own that rows never move
    double lambda_max;     // of W_aa
    const double* w;       // W_aa, row-major
    CnDenseLdlt* factor;   // equality: of W_aa; force: of 1 + S W_aa S, S = sqrt(slope)
    CnCholesky* free_rows; // bounds with several rows: of W_aa
    CnOneContact contact;  // coulomb, up to three rows
    CnWideContact* wide;   // coulomb with more
} CnSweepBlock;

typedef struct CnSweep {
    const CnProblem* problem;
    CnAssembled* assembled;       // of a problem with a response; NULL: bodies
    CnMechanisms* mechanisms;     // NULL, or what the blocks see of bodies with joints
    CnSweepBlock* blocks;         // [block_count]
    double (*jacobian)[12];       // J L of body a, then of body b   [row_count]
    double* q;                    // J v_free - target   [row_count]
    double (*y)[CN_SWEEP_STRIDE]; // [body_count + 1]
    CnErrorSize size;             // for relative errors
    double* u;                    // scratch of relative errors; NULL until asked for   [row_count]
    double over_relaxation;
    bool is_backward;                  // the next run goes from the last block to the first
    int enumerated, projected, failed; // contacts that needed more than the ordinary routes, so far
} CnSweep;

CnStatus cn_sweep_prepare(CnSweep* sweep, const CnProblem* problem, double over_relaxation,
                          CnArena* arena);

// The same for the rows that are left when joints are eliminated.
CnStatus cn_sweep_prepare_mechanisms(CnSweep* sweep, CnMechanisms* mechanisms,
                                     double over_relaxation, CnArena* arena);

// y = (J L)^T p, from scratch: whenever p was changed from outside, and to shed round-off.
void cn_sweep_set_impulse(CnSweep* sweep, const double* p);

// Each block once, updating p and y: forwards, the next time backwards. Alternating costs nothing
// and carries news down a stack as fast as up.
void cn_sweep_run(CnSweep* sweep, double* p);

// u = q + J L y + compliance p of one block; p points at its part of all impulses, u has its
// row_count entries.
void cn_sweep_feel(const CnSweep* sweep, const CnSweepBlock* item, const double* p, double* u);

// The worst block residual of the certificate, for the y at hand.
double cn_sweep_residual(const CnSweep* sweep, const double* p);

// The larger of the two relative errors, likewise. Needs memory once: infinite when there is none.
double cn_sweep_relative_error(CnSweep* sweep, const double* p, CnArena* arena);

// What round-off leaves of a residual: the largest DBL_EPSILON lambda_max |p| of a block [m/s]. The
// terms that cancel in u are of that size.
double cn_sweep_noise(const CnSweep* sweep, const double* p);
