// joint_split.h - the joints of a problem apart from its other rows, and their answer to them.
//
// Joints are the blocks whose law is linear: equalities and forces. For given impulses of the other
// rows (contacts, limits, motors) theirs follow from one sparse factorisation, by `direct`.
#pragma once

#include "base/arena.h"
#include "solvers/door/budget.h"

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

// v = v_free + M^-1 J^T p of the others' impulses and of the joints' answer to them, which is
// written to `impulse`; redundant joints share what they carry as direct.md (10) says, and are
// named in the report, which may be NULL. *held is false when the joints cannot hold to the
// tolerance [m/s] within the budget; the impulses are then as they were.
CnStatus cn_joint_split_answer(const CnJointSplit* split, double tolerance, const CnBudget* budget,
                               CnArena* arena, double* impulse, double (*velocity)[6],
                               CnSolverReport* report, bool* held);
