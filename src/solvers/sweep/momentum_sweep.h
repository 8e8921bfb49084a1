// momentum_sweep.h - sweeps over what acts, with momentum that every block restarts on its own.
//
// Contacts that are closed, or would close, are visited in groups of four (contact_group.h); blocks
// of other kinds one at a time in the same sweep. docs/theory/nsgs_momentum.md.
#pragma once

#include "solvers/sweep/contact_group.h"

// A block that lanes do not take.
typedef struct CnOtherBlock {
    int block;
    bool is_awake;
    double agreement, age;     // as those of a lane
    double plain[CN_MAX_ROWS]; // as that of a lane
} CnOtherBlock;

typedef struct CnMomentumSweep {
    CnSweep sweep; // all blocks; its y is that of the impulses at hand
    const CnGroupFunctions* functions;
    CnContactGroups groups;
    CnOtherBlock* others; // [other_count]
    int other_count;
    bool* is_pushing;  // a contact: meets its law without impulse while it opens   [block_count]
    bool* takes_part;  // in a group or among the others   [block_count]
    bool* acts;        // grade: pushes, or would have to   [block_count]
    double* residual;  // grade: of each block [m/s]   [block_count]
    double* heat;      // choose: worst residual on each body [m/s]   [body_count + 1]
    double worst, rms; // grade: of the residuals [m/s]
    int awake_groups, awake_others;
    int failed; // answers that were not found, so far
} CnMomentumSweep;

// Multiplications, about: of a visit with its push, idle lanes too; of grading a block.
#define CN_MOMENTUM_VISIT 210.0
#define CN_MOMENTUM_GRADE 60.0

CnStatus cn_momentum_prepare(CnMomentumSweep* momentum, const CnProblem* problem, CnArena* arena);

// Residuals of p; y is made anew from it.
void cn_momentum_grade(CnMomentumSweep* momentum, const double* p);

// Contacts that have begun to act join the groups.
CnStatus cn_momentum_join(CnMomentumSweep* momentum, const double* p, CnArena* arena);

// From p, without momentum.
void cn_momentum_restart(CnMomentumSweep* momentum, const double* p);

// Groups and blocks on a body with a residual above the threshold [m/s] are visited from now on.
void cn_momentum_choose(CnMomentumSweep* momentum, double threshold, const double* p);

// Blocks that take part.
int cn_momentum_size(const CnMomentumSweep* momentum);

// Multiplications of one sweep over what is awake.
double cn_momentum_cost(const CnMomentumSweep* momentum);

// One sweep over what is awake. Impulses of groups stay in their lanes.
void cn_momentum_visit(CnMomentumSweep* momentum, double precision, double* p);

// Moves all that is awake on, `most` times its last change at most.
void cn_momentum_push(CnMomentumSweep* momentum, double most, double* p);

// Impulses from the lanes.
void cn_momentum_collect(const CnMomentumSweep* momentum, double* p);
