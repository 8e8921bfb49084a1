// contact_clusters.h - solves the blocks around the worst one together, all others held fixed.
//
// Sweeps usually stall in few places: boxes on four points that are close to sliding.
// docs/theory/solvers/nsgs_momentum.md (10), (11).
#pragma once

#include "solvers/solve/solver.h"
#include "solvers/sweep/momentum_sweep.h"

#define CN_CLUSTER_BLOCKS 60 // at most: solved in a millisecond by Newton's method

typedef struct CnClusters {
    const CnProblem* problem;
    int *start, *list;             // blocks on each moving body   [body_count + 1], [start[last]]
    int *block_stamp, *body_stamp; // number of the last cluster that contains them
    int stamp;
    int* rings; // how far the cluster around a block reaches: more each time   [block_count]
    int* done;  // pass in which a block was in a cluster   [block_count]
    int* local; // index of a body in the cluster   [body_count]
    int chosen[CN_CLUSTER_BLOCKS];
    int chosen_count;
    int pass, solved; // so far
} CnClusters;

CnStatus cn_clusters_init(CnClusters* clusters, const CnProblem* problem, CnArena* arena);

// Solves up to four clusters around the worst blocks of the last grade. Updates p but
// not the sweep's y. Adds the work to the report and stops when the budget of def is used up.
CnStatus cn_clusters_solve(CnClusters* clusters, const CnMomentumSweep* momentum,
                           const CnSolverDef* def, CnArena* arena, double* p,
                           CnSolverReport* report);
