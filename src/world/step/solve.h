// solve.h - solving a problem island by island, on all workers.
#pragma once

#include "world/world.h"

typedef struct CnIslandSummary {
    int island_count;
    int not_converged;     // islands whose certificate missed the tolerance
    int out_of_budget;     // of these: the work budget was used up
    int kept;              // islands whose guess was kept as it was
    int worst;             // the island that the report is of; -1: there is none
    double work;           // multiplications of all islands, as solvers count them
    CnSolverReport report; // of the island with the worst residual
    double spent;          // of the budget of an island: the largest share, of a step's
    double cut_seconds;    // spent on finding the islands
} CnIslandSummary;

// What came of one island: what every summary reads, and the report of those that were solved.
typedef struct CnIslandResult {
    CnStatus status;
    CnOutcome outcome;
    int iterations;
    double work;            // multiplications
    double budget;          // of the whole step, likewise
    double worst;           // residual of its certificate [m/s]
    CnSolverReport* report; // blocks are numbered as in the whole problem; NULL: its guess was kept
} CnIslandResult;

// The result of an island whose report is complete.
void cn_island_result_take(CnIslandResult* result);

// All islands together. Of equal ones the first counts, so that the summary is the same on every
// run. cut_seconds is left alone, and so is the report if the worst island has none.
void cn_islands_summarise(const CnIslandResult* results, int count, CnIslandSummary* summary);

// A problem of explicit blocks, island by island: corrections, relaxations, accelerations. impulse
// is a guess on entry; velocity is overwritten. share: of what a solve of a step may take, for
// schemes that solve several times in a step, docs/theory/budget.md (9). The result does not depend
// on the number of workers: islands are independent, and each is solved by one.
CnStatus cn_world_solve(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                        double share, double* impulse, double (*velocity)[6],
                        CnIslandSummary* summary, CnError* error);
