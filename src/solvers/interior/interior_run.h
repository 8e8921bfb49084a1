// interior_run.h - one run of the interior point: predictor, corrector, step, until it stops.
//
// docs/theory/solvers/cone_ip.md (10)-(15).
#pragma once

#include "solvers/interior/interior_system.h"
#include "solvers/solve/budget.h"

// Settings of a run.
typedef struct CnInteriorPlan {
    double centring;  // the gap aimed at is at least this share of the defect; 0: no such floor
    bool is_guarded;  // reduce the friction coupling where the determinant is negative
    int limit;        // iterations
    int patience;     // iterations without halving the error or the gap
    double tolerance; // of the error on the current problem
} CnInteriorPlan;

typedef struct CnInteriorRun {
    CnAssembled assembled;
    CnInterior point;
    CnErrorMeasure measure;
    double tolerance;      // of the error on the original problem
    int iterations, limit; // factorisations so far, and allowed
    CnBudget budget;       // no iteration or factorisation begins that does not fit
    double work_to_set_up; // multiplications: of W and the plan of its factorisation ...
    double work_to_grade;  // ... of grading and linearising a point ...
    double work_to_solve;  // ... and of finding one direction
    double* best;          // impulses with the least error   [row_count]
    double best_error;     // on the original problem; infinite at first

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

// Multiplications of one iteration, about; the arena is used and left to the caller. Computing
// this costs *work.
CnStatus cn_interior_cost(const CnProblem* problem, CnArena* arena, double* multiplications,
                          double* work);

// Whether another iteration fits into the budget and the limit.
bool cn_interior_may_go_on(const CnInteriorRun* run);

// The error of impulses by the certificate; keeps them if they are the best so far.
double cn_interior_offer(CnInteriorRun* run, const double* p);

// Runs from the current point. True when the error on the current problem (proximal term included)
// is below the tolerance of the plan, or the error on the original problem below its own.
bool cn_interior_run(CnInteriorRun* run, const CnInteriorPlan* plan);
