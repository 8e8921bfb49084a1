// solve.h - solving a problem island by island, on all workers.
#pragma once

#include "world/world.h"

typedef struct CnIslandSummary {
    int island_count;
    int not_converged;     // islands whose certificate missed the tolerance
    int kept;              // islands whose guess was kept as it was
    double work;           // multiplications of all islands, as solvers count them
    CnSolverReport report; // of the island with the worst residual
    double cut_seconds;    // spent on finding the islands
} CnIslandSummary;

// impulse is a guess on entry; velocity is overwritten. before, the velocities as the step began,
// says that the guess is the last step's answer; NULL: it comes from elsewhere. The
// result does not depend on the number of workers: islands are independent, and each is solved by
// one.
CnStatus cn_world_solve(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                        const double (*before)[6], double* impulse, double (*velocity)[6],
                        CnIslandSummary* summary, CnError* error);

// Into the report of a step with one solve. Cutting counts as a stage of its own.
void cn_world_report_islands(const CnIslandSummary* summary, CnStepReport* report);
