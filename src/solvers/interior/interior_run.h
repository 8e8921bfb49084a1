// interior_run.h - one run of the interior point: predictor, corrector, step, until it stops.
//
// docs/theory/cone_ip.md (10)-(15).
#pragma once

#include "solvers/door/budget.h"
#include "solvers/interior/interior_system.h"

// How a run goes about it.
typedef struct CnInteriorPlan {
    double centring;  // the gap aimed at is at least this share of the defect; 0: no such floor
    bool is_guarded;  // hold the friction coupling back where the determinant turns negative
    int limit;        // iterations
    int patience;     // iterations without halving the error or the gap
    double tolerance; // of the error on the problem at hand
} CnInteriorPlan;

typedef struct CnInteriorRun {
    CnAssembled assembled;
    CnInterior point;
    CnErrorMeasure measure;
    double tolerance;      // of the error on the problem as posed
    int iterations, limit; // factorisations so far, and allowed
    CnBudget budget;       // no iteration begins after it, nor a factorisation beyond it
    double work_to_set_up; // multiplications: of W and the plan of its factorisation ...
    double work_to_grade;  // ... of grading and linearising a point ...
    double work_to_solve;  // ... and of finding one direction
    double* best;          // impulses with the least error   [row_count]
    double best_error;     // on the problem as posed; infinite at first

    // Private.
    CnInteriorSystem system;
    bool has_force;                       // force rows: their u is not that of the interior point
    double coupling;                      // to be used while hold > 0
    int hold;                             // iterations
    double *right, *moved;                // [row_count]
    double *kept_r, *kept_y, *kept_z;     // the best direction of an iteration   [row_count]
    double *p, *u;                        // unscaled   [row_count]
    double (*velocity)[6], (*scratch)[6]; // of the certificate   [body_count]
} CnInteriorRun;

// A factorisation of more than `most` multiplications is planned, not prepared: no run begins.
CnStatus cn_interior_run_init(CnInteriorRun* run, const CnProblem* problem, double most,
                              CnArena* arena);

// Multiplications of one iteration, about; the arena is used and left to the caller. Finding out
// takes *work of them.
CnStatus cn_interior_cost(const CnProblem* problem, CnArena* arena, double* multiplications,
                          double* work);

// Whether another iteration fits into the budget and the limit.
bool cn_interior_may_go_on(const CnInteriorRun* run);

// The error of impulses by the certificate itself; they become the best if they are.
double cn_interior_offer(CnInteriorRun* run, const double* p);

// From the point at hand. True when the error on the problem at hand (with the proximal term, where
// there is one) is below the plan's tolerance, or that on the problem as posed below its own.
bool cn_interior_run(CnInteriorRun* run, const CnInteriorPlan* plan);
