// momentum_sweep.h - Gauss-Seidel sweeps over active blocks, with momentum and a restart per block.
//
// Contacts that carry an impulse, or need one, are visited in groups of four (contact_group.h);
// blocks with other laws one at a time in the same sweep. docs/theory/solvers/nsgs_momentum.md.
#pragma once

#include "solvers/sweep/block_momentum.h"
#include "solvers/sweep/contact_group.h"

// A block that does not fit into a lane.
typedef struct CnOtherBlock {
    int block;
    bool is_active;
    CnBlockMomentum momentum;
} CnOtherBlock;

typedef struct CnMomentumSweep {
    CnBlockSweep sweep; // all blocks; its y belongs to the current impulses
    const CnGroupFunctions* functions;
    CnContactGroups groups;
    CnOtherBlock* others; // [other_count]
    int other_count;
    bool* is_unilateral;   // a contact: p = 0 satisfies its law while u_N >= 0   [block_count]
    bool* takes_part;      // in a group or among the others   [block_count]
    bool* acts;            // grade: has an impulse, or needs one   [block_count]
    double* residual;      // grade: of each block [m/s]   [block_count]
    double* body_residual; // choose: worst residual on each body [m/s]   [body_count + 1]
    double worst, rms;     // grade: of the residuals [m/s]
    int active_groups, active_others;
    int failed; // contacts whose solution was not found, so far
} CnMomentumSweep;

// Multiplications, about: of a visit with its extrapolation, idle lanes included; of grading a
// block.
#define CN_MOMENTUM_VISIT 210.0
#define CN_MOMENTUM_GRADE 60.0

CnStatus cn_momentum_prepare(CnMomentumSweep* momentum, const CnProblem* problem, CnArena* arena);

// Residuals of p; y is computed anew from p.
void cn_momentum_grade(CnMomentumSweep* momentum, const double* p);

// Adds contacts that now have or need an impulse to the groups.
CnStatus cn_momentum_join(CnMomentumSweep* momentum, const double* p, CnArena* arena);

// Takes p as the current impulses and sets the momentum to zero.
void cn_momentum_restart(CnMomentumSweep* momentum, const double* p);

// The next sweeps visit groups and blocks on a body with a residual above the threshold [m/s].
void cn_momentum_choose(CnMomentumSweep* momentum, double threshold, const double* p);

// Number of blocks in groups and among the others.
int cn_momentum_size(const CnMomentumSweep* momentum);

// Multiplications of one sweep over the active groups and blocks.
double cn_momentum_cost(const CnMomentumSweep* momentum);

// One sweep over the active groups and blocks. Impulses of groups stay in their lanes.
void cn_momentum_visit(CnMomentumSweep* momentum, double precision, double* p);

// Extrapolates the impulses of active groups and blocks by at most `most` times their last change.
void cn_momentum_extrapolate(CnMomentumSweep* momentum, double most, double* p);

// Copies impulses from the lanes to p.
void cn_momentum_collect(const CnMomentumSweep* momentum, double* p);
