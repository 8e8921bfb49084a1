// block_sweep.h - block Gauss-Seidel sweeps: each block in turn is solved exactly.
//
// Velocities are kept as y with v = v_free + L y, M^-1 = L L^T, so that one array J L serves both
// directions: u = q + J L y reads it, y += (J L)^T dp writes with it. docs/theory/solvers/nsgs.md
// (1)-(4). Where a problem gives W instead of bodies, u = W p + q is read from its block rows, and
// there is nothing to write.
#pragma once

#include "solvers/analysis/relative_error.h"
#include "solvers/matrix/mechanisms.h"
#include "solvers/sweep/block_solve.h"
#include "solvers/sweep/sweep_order.h"

#define CN_SWEEP_STRIDE 8 // doubles from body to body: one cache line each

typedef struct CnBlockSweep {
    const CnProblem* problem;
    const CnResponse* response; // the problem's; NULL: bodies
    CnMechanisms* mechanisms;   // NULL, or the bodies with joints, whose joints are eliminated
    CnSweepBlock* blocks;       // [block_count]
    double (*jacobian)[12];     // J L of body a, then of body b; of second pairs behind: row_count
                                // further on, as of cn_scaled_jacobian()   [row_count]
    double* q;                  // J v_free - target   [row_count]
    double (*y)[CN_SWEEP_STRIDE]; // [body_count + 1]
    CnErrorSize size;             // for relative errors
    double* u;                    // scratch of relative errors; NULL until asked for   [row_count]
    double over_relaxation;
    CnSweepOrder* order;   // NULL: every block, in order of index
    double step_square;    // of the last run: sum of |dp|^2 [(N s)^2] ...
    double largest_square; // ... and largest (lambda_max |dp|)^2 of a block [(m/s)^2]
    double extra_work;     // of wide contacts, beyond what every visit costs, so far
    int enumerated, projected,
        failed; // contacts solved by other routes than take-off, stick and slide, so far
} CnBlockSweep;

CnStatus cn_sweep_prepare(CnBlockSweep* sweep, const CnProblem* problem, double over_relaxation,
                          CnArena* arena);

// The same for the rows that remain when joints are eliminated.
CnStatus cn_sweep_prepare_mechanisms(CnBlockSweep* sweep, CnMechanisms* mechanisms,
                                     double over_relaxation, CnArena* arena);

// From now on in a random order (seed other than 0), and without blocks that have not moved for so
// many runs (freeze_after other than 0).
CnStatus cn_sweep_set_order(CnBlockSweep* sweep, int seed, int freeze_after, CnArena* arena);

// y = (J L)^T p, computed anew: after p was changed from outside, and to drop accumulated
// round-off.
void cn_sweep_set_impulse(CnBlockSweep* sweep, const double* p);

// Visits each block once, in order of index unless set otherwise, and updates p and y. There are no
// symmetric (forward and backward) sweeps: they visit blocks in pairs, where the second visit
// changes little.
void cn_sweep_run(CnBlockSweep* sweep, double* p);

// Solves one block, by its index, and updates p and y. Returns |dp|^2.
double cn_sweep_visit(CnBlockSweep* sweep, int block, double* p);

// y += (J L)^T dp for one block, by its index; dp has its row_count entries.
void cn_sweep_apply(CnBlockSweep* sweep, int block, const double* dp);

// u = q + J L y + compliance p of one block; p points at its rows in the array of all impulses, u
// has its row_count entries.
void cn_sweep_row_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, const double* p,
                           double* u);

// The worst block residual of the certificate, for the current y.
double cn_sweep_residual(const CnBlockSweep* sweep, const double* p);

// The worst block residual exactly as the certificate will compute it. The one above may differ by
// round-off, which matters where impulses are large and tolerances small. velocity is scratch
// [body_count].
double cn_sweep_certified_residual(const CnBlockSweep* sweep, const double* p,
                                   double (*velocity)[6]);

// The larger of the two relative errors, for the current y. Allocates on first use: infinite when
// memory runs out.
double cn_sweep_relative_error(CnBlockSweep* sweep, const double* p, CnArena* arena);

// What round-off leaves of a residual: the largest DBL_EPSILON lambda_max |p| of a block [m/s]. The
// terms that cancel in u are of that size.
double cn_sweep_noise(const CnBlockSweep* sweep, const double* p);
