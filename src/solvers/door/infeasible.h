// infeasible.h - a proof that no velocities at all satisfy a problem, and who asks for too much.
//
// A kinematic body that presses another against a wall, or a motor against a stop, has no answer:
// no solver can find one, however long it works. docs/theory/infeasible.md.
#pragma once

#include "base/arena.h"
#include "solvers/door/budget.h"

typedef struct CnInfeasibility {
    int block_count; // blocks that contradict each other; 0: nothing is proved
    int block;       // of these the one that asks for most of what the others rule out
    double least;    // no velocities leave less than this in their worst row [m/s or rad/s]
} CnInfeasibility;

// Looks for a proof, with speeds that would have to be some thousand times those asked for counting
// as none. Contradictions below the tolerance do not count. Problems that are feasible whatever the
// numbers of their bodies (all immovable bodies at rest, no targets that ask for a motion) are told
// at a glance; the others take a frictionless solve. Only bodies; else nothing is proved.
CnStatus cn_infeasible_find(const CnProblem* problem, double tolerance, const CnBudget* budget,
                            CnArena* arena, CnInfeasibility* found);

// The problem in which those that ask give way, softly: (9). It has an answer; all other rows hold
// in it. Its compliance is from the arena, the rest is shared.
CnStatus cn_infeasible_soften(const CnProblem* problem, CnArena* arena, CnProblem* softened);

// Into a solver's report, with a remark that names the block.
void cn_infeasible_report(const CnProblem* problem, const CnInfeasibility* found,
                          CnSolverReport* report);
