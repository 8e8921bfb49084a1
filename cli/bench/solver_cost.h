// solver_cost.h - what an iteration of a solver costs per contact, and how that grows.
//
// Machines differ and are busy, so each time is also given as a ratio to a yardstick taken on the
// same problem in the same run: one pass u = J v over all rows, which reads what every iteration
// must read.
#pragma once

#include "cairn/solver.h"

// Problems grow tenfold from the first to the last.
#define COST_FIRST_SIZE 100   // [contacts]
#define COST_LAST_SIZE 100000 // [contacts]
#define COST_MAX_ROWS 4

typedef struct CostRow {
    const char* solver;
    int contacts, bodies;
    int iterations;     // timed
    double nanoseconds; // per contact and iteration
    double yardstick;   // per contact and pass [ns]
    double ratio;       // nanoseconds / yardstick
} CostRow;

typedef struct SolverCost {
    CostRow rows[COST_MAX_ROWS]; // [row_count]
    int row_count;
    double growth; // exponent of ratio times contacts over contacts, 1 is linear; NaN for one row
} SolverCost;

// Seconds of the yardstick: the fastest of several passes over all rows of a problem with bodies.
double solver_cost_yardstick(const CnProblem* problem);

// Exponent of cost over contacts: the slope of the least-squares line through their logarithms.
// NaN for one point.
double solver_cost_growth(const double* contacts, const double* cost, int count);

// max_contacts: problems above it are left out; at least COST_FIRST_SIZE.
CnStatus solver_cost_measure(const char* solver, int max_contacts, SolverCost* cost,
                             CnError* error);
