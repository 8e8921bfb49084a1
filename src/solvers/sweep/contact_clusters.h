// contact_clusters.h - the blocks around the worst one solved exactly, all others held as they are.
//
// Where sweeps stall it is mostly in few places: boxes on four points between sticking and sliding.
// docs/theory/nsgs_momentum.md (10), (11).
#pragma once

#include "solvers/door/solver.h"
#include "solvers/sweep/momentum_sweep.h"

#define CN_CLUSTER_BLOCKS 60 // at most: solved in a millisecond by Newton's method

typedef struct CnClusters {
    const CnProblem* problem;
    int *start, *list;             // blocks on each moving body   [body_count + 1], [start[last]]
    int *block_stamp, *body_stamp; // of the cluster that took them last
    int stamp;
    int* rings; // how far the cluster around a block reaches: more each time   [block_count]
    int* done;  // pass in which a block was in a cluster   [block_count]
    int* local; // index of a body in the cluster   [body_count]
    int chosen[CN_CLUSTER_BLOCKS];
    int chosen_count;
    int pass, solved; // so far
} CnClusters;

CnStatus cn_clusters_init(CnClusters* clusters, const CnProblem* problem, CnArena* arena);

// Solves up to four clusters around the worst blocks of the last grade; p follows, the sweep's y
// does not. Adds the work to the report and stops with the budget of def.
CnStatus cn_clusters_solve(CnClusters* clusters, const CnMomentumSweep* momentum,
                           const CnSolverDef* def, CnArena* arena, double* p,
                           CnSolverReport* report);
