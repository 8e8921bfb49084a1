// solve.h - solving a problem island by island, on all workers.
#pragma once

#include "world/world.h"

typedef struct CnIslandSummary {
    int island_count;
    int not_converged;     // islands whose certificate missed the tolerance
    int out_of_budget;     // of these: the work budget was used up
    int kept;              // islands whose guess was kept as it was
    double work;           // multiplications of all islands, as solvers count them
    CnSolverReport report; // of the island with the worst residual
    double spent;          // of the budget of an island: the largest share, of a step's
    double cut_seconds;    // spent on finding the islands
} CnIslandSummary;

// impulse is a guess on entry; velocity is overwritten. before, the velocities as the step began,
// says that the guess is the last step's answer; NULL: it comes from elsewhere. The
// result does not depend on the number of workers: islands are independent, and each is solved by
// one.
CnStatus cn_world_solve(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                        const double (*before)[6], double* impulse, double (*velocity)[6],
                        CnIslandSummary* summary, CnError* error);

// The same with a share of what a solve of a step may take, for schemes that solve several times in
// a step: docs/theory/budget.md (9).
CnStatus cn_world_solve_within(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                               double share, const double (*before)[6], double* impulse,
                               double (*velocity)[6], CnIslandSummary* summary, CnError* error);

// Into the report of a step with one solve. Cutting counts as a stage of its own.
void cn_world_report_islands(const CnIslandSummary* summary, CnStepReport* report);
