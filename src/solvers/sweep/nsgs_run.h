// nsgs_run.h - one run of nsgs: sweeps, acceleration and bursts of Newton steps, graded.
//
// On all rows, or on those that remain when joints are eliminated. docs/theory/solvers/nsgs.md.
#pragma once

#include "cairn/solver.h"
#include "solvers/first_order/anderson.h"
#include "solvers/solve/budget.h"
#include "solvers/sweep/block_newton.h"
#include "solvers/sweep/block_sweep.h"

// No Newton steps beyond so many rows: their dense matrix would cost as much as thousands of
// sweeps.
#define CN_NSGS_NEWTON_ROWS 450

typedef struct CnNsgsRun {
    CnBlockSweep sweep;
    const CnBlockSweep* whole; // on all rows: what the certificate grades
    CnArena* arena;            // for grading and for the impulses of eliminated joints
    bool out_of_memory;        // while these were computed
    double* impulse;           // of all rows, when joints are eliminated   [whole row_count]
    CnErrorMeasure measure;
    double tolerance;      // in the unit of the measure
    CnBudget total;        // of the solve; the run ends with it
    double work_of_sweep;  // of the total: multiplications of a sweep ...
    double work_of_grade;  // ... and of grading
    double sweep_cost;     // multiplications, as the alternating runs compare them
    double spent, budget;  // of this phase, likewise; it ends when the budget is spent
    int last_iteration;    // of its last phase
    int patience;          // iterations without progress before it stops
    double (*velocity)[6]; // the solution's, scratch until the end   [body_count]
    double* weight;        // sqrt(W_ii), 1 where that is 0: makes all rows comparable   [row_count]
    double* best;          // impulses with the least residual   [row_count]
    double best_residual;
    int best_iteration;
    int last_grade;     // iteration
    double grade_ratio; // residual at that grade / change made by the sweep before it

    CnAnderson anderson;
    bool is_accelerating;
    double* start;      // impulses before the step   [row_count]
    double* plain;      // impulses before they were combined   [row_count]
    double last_length; // of the step before
    bool was_combined;  // the step started from a combination

    CnBlockNewton newton;
    bool has_newton;
    int next_burst; // iteration
    int newton_steps;
} CnNsgsRun;

// Memory for a run whose sweep is prepared; velocity and total are set afterwards.
CnStatus cn_nsgs_run_begin(CnNsgsRun* run, const CnBlockSweep* whole, const CnSolverDef* def,
                           CnArena* arena);

// Iterates until the run is finished, has spent its budget or has reached the limit of iterations.
// The report gets iterations and outcome, and in the remark why it stopped.
CnStatus cn_nsgs_run_advance(CnNsgsRun* run, int limit, double* p, CnSolverReport* report);

// Grades p with fresh velocities and keeps it if it is the best so far.
double cn_nsgs_run_grade(CnNsgsRun* run, const double* p, int iteration);

// The impulses of all rows, those of the joints recovered, in run->impulse. False: the joints are
// violated.
bool cn_nsgs_run_expand(CnNsgsRun* run, const double* p);

// Multiplications of one Newton step, and of a burst without progress.
double cn_nsgs_newton_cost(double rows);
double cn_nsgs_burst_cost(double rows);
