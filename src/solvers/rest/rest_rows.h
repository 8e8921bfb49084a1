// rest_rows.h - impulses that take velocities from rows that hold, by a factor over bodies.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// Rows of any kind, none of which yields: W dp = right over those that hold.
typedef struct CnRestRows {
    const CnProblem* problem; // of bodies
    const bool* holds;        // [row_count]
    const double* diagonal;   // D: the metric of dp and of what is left   [row_count]
    double* right;            // what is to be gained; out: what is left of it   [row_count]
    double goal;              // velocity that may be left in all rows together [m/s]
    double limit;             // multiplications that it may take
    bool is_held; // out: false when some motion of the bodies is not resisted, or the limit is too
                  // low: nothing has changed
    int rounds;   // out: corrections made
    double work;  // out: multiplications
} CnRestRows;

// dp, the smallest in the metric of D that leaves least: docs/theory/warm_start.md (14)-(16).
CnStatus cn_rest_rows_solve(CnRestRows* rows, CnArena* arena, double* dp);
