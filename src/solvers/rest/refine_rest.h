// refine_rest.h - refines the impulses of bodies at rest: contacts that hold go on holding.
#pragma once

#include "base/arena.h"
#include "solvers/solve/budget.h"

typedef struct CnRestRefinement {
    double goal;    // velocity that may be left in all rows together [m/s]
    bool closing;   // contacts that are pressed close their gaps; else they stay where they are
    int held_rows;  // out: rows that hold
    bool by_bodies; // out: by a factor over bodies; else by conjugate residuals
    int iterations; // out: of these, or corrections by the factor
    double work;    // out: multiplications, which the budget got
} CnRestRefinement;

// Changes the impulses of rows that hold until these have no velocity left; all others stay as they
// are. Whether that is an answer is for the certificate to say. Problems of bodies only.
// docs/theory/warm_start.md (6)-(9).
CnStatus cn_refine_rest(const CnProblem* problem, CnRestRefinement* refinement,
                        const CnBudget* budget, CnArena* arena, double* impulse);
