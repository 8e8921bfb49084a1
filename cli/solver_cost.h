// solver_cost.h - what an iteration of a solver costs per contact, and how that grows.
//
// Machines differ and are busy, so each time is also given as a ratio to a yardstick taken on the
// same problem in the same run: one pass u = J v over all rows, which reads what every iteration
// must read.
#pragma once

#include "cairn/solver.h"

#define COST_SIZE_COUNT 4

typedef struct CostRow {
    const char* solver;
    int contacts, bodies;
    int iterations;     // timed
    double nanoseconds; // per contact and iteration
    double yardstick;   // per contact and pass [ns]
    double ratio;       // nanoseconds / yardstick
} CostRow;

typedef struct SolverCost {
    CostRow rows[COST_SIZE_COUNT];
    double growth; // exponent of ratio times contacts, over contacts: 1 is linear
} SolverCost;

// Fills cost for one solver; sizes are 100, 1000, 10000 and 100000 contacts.
CnStatus solver_cost_measure(const char* solver, SolverCost* cost, CnError* error);
