// solve.h - solving a problem island by island, on all workers.
#pragma once

#include "world/world.h"

typedef struct CnIslandSummary {
    int island_count;
    int not_converged;     // islands whose certificate missed the tolerance
    CnSolverReport report; // of the island with the worst residual
    double cut_seconds;    // spent on finding the islands
} CnIslandSummary;

// impulse is a guess on entry; velocity is overwritten. The result does not depend on the number of
// workers: islands are independent, and each is solved by one.
CnStatus cn_world_solve(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                        double* impulse, double (*velocity)[6], CnIslandSummary* summary,
                        CnError* error);
