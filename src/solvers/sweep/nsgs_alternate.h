// nsgs_alternate.h - alternates sweeps on all rows with sweeps whose joints are eliminated.
#pragma once

#include "solvers/matrix/mechanisms.h"
#include "solvers/sweep/nsgs_run.h"

// The run on the rows that remain when joints are eliminated.
typedef struct CnElimination {
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    CnNsgsRun run;
    double* p;     // [row_count of the others]
    bool is_built; // in its first phase
    bool is_over;  // not possible, or stopped without converging
} CnElimination;

// Alternates both runs until one of them converges or both have stalled. The plain run has done
// report->iterations already; its best solution is the best of both.
CnStatus cn_nsgs_alternate(CnNsgsRun* plain, CnElimination* other, const CnSolverDef* def,
                           int limit, double* p, CnSolverReport* report);
