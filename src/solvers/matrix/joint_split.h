// joint_split.h - splits joints from other rows, and solves for their impulses.
//
// Joints are the blocks whose law is linear: equalities and forces. For given impulses of the other
// rows (contacts, limits, motors) the joint impulses follow from one sparse factorisation, by
// `direct`.
#pragma once

#include "base/arena.h"
#include "solvers/solve/budget.h"

typedef struct CnJointSplit {
    const CnProblem* problem;
    CnProblem joints, others; // both with all bodies of the problem
    int *joint_row, *row;     // rows of the problem   [joints.row_count], [others.row_count]
} CnJointSplit;

bool cn_is_joint(const CnBlock* block);

CnStatus cn_joint_split(const CnProblem* problem, CnArena* arena, CnJointSplit* split);

// Whether rows of joints may imply each other: equalities that tie bodies into loops, the immovable
// world counting as one body.
CnStatus cn_joints_have_loops(const CnProblem* problem, CnArena* arena, bool* loops);

// Solves for the joint impulses, given those of the others in `impulse`, and sets v = v_free +
// M^-1 J^T p of all rows. Redundant joints share their load as in direct.md (10) and are reported
// in the report, which may be NULL. *held is false when the joints cannot hold to the tolerance
// [m/s] within the budget; the impulses are then unchanged.
CnStatus cn_joint_split_solve(const CnJointSplit* split, double tolerance, const CnBudget* budget,
                              CnArena* arena, double* impulse, double (*velocity)[6],
                              CnSolverReport* report, bool* held);
