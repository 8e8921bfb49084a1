// infeasible.h - a proof that a problem has no solution, and the blocks in conflict.
//
// A kinematic body that presses another against a wall, or a motor against a stop, has no
// solution, and no solver can find one. docs/theory/infeasible.md.
#pragma once

#include "base/arena.h"
#include "solvers/solve/budget.h"

typedef struct CnInfeasibility {
    int block_count; // blocks that contradict each other; 0: nothing is proved
    int block;       // of these the one with the largest share in the conflict
    double least;    // no velocities leave less than this in their worst row [m/s or rad/s]
} CnInfeasibility;

// Looks for a proof. Solutions with speeds of some thousand times the required ones count as none.
// Contradictions below the tolerance do not count. Problems that are feasible whatever the numbers
// of their bodies (all immovable bodies at rest, no targets that ask for a motion) are recognised
// at once; the others need a frictionless solve. Only bodies; else nothing is proved.
CnStatus cn_infeasible_find(const CnProblem* problem, double tolerance, const CnBudget* budget,
                            CnArena* arena, CnInfeasibility* found);

// The problem with compliance in the conflicting rows: (9). It has a solution in which all other
// rows hold. Its compliance is from the arena, the rest is shared.
CnStatus cn_infeasible_soften(const CnProblem* problem, CnArena* arena, CnProblem* softened);

// Into a solver's report, with a remark that names the block.
void cn_infeasible_report(const CnProblem* problem, const CnInfeasibility* found,
                          CnSolverReport* report);
