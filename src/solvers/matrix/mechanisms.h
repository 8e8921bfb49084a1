// mechanisms.h - eliminates joints: the reduced W of the other rows (Schur complement).
//
// With the joint rows (e) eliminated, the other rows (c) are coupled by W_cc - W_ce W_ee^-1 W_ec:
// an impulse then acts through a chain of a hundred joints at once. The matrix is dense for rows on
// the same mechanism (bodies connected by joints), and W itself for bodies without joints.
// docs/theory/solvers/nsgs.md (18)-(22).
#pragma once

#include "constraints/problem/islands.h"
#include "solvers/matrix/joint_split.h"

// The reduced matrix of the rows that act on one mechanism.
typedef struct CnJointIsland {
    int row_count;
    double* w; // nsgs.md (19), symmetric   [row_count * row_count]
    double* u; // w times the impulses of the rows   [row_count]
} CnJointIsland;

// Where the rows of one side of a block are in a mechanism; sides on the same one are one.
typedef struct CnMechanismSide {
    int mechanism; // -1: the side is on a body without joints, or on the world
    int first_row;
} CnMechanismSide;

typedef struct CnMechanisms {
    CnJointSplit split;
    CnMechanismSide (*sides)[4]; // as many as the block has   [split.others.block_count]
    CnIslands islands;           // of the joints, one for each mechanism
    int* mechanism;              // of each body, -1: none   [body_count]
    int* place;                  // of each body in its island's list   [body_count]
    int* row_count;              // of each mechanism   [islands.count]

    CnJointIsland* items; // build: [islands.count]
    CnProblem problem;    // build: the others, with bodies of mechanisms replaced by the world and
                          // their free velocity, joints held, in the target
} CnMechanisms;

// The cost of elimination, in multiplications.
typedef struct CnMechanismCost {
    double set_up;
    double sweep;       // of the others, joints eliminated
    double plain_sweep; // of all blocks
} CnMechanismCost;

// Finds the mechanisms and the cost of eliminating them: infinite without joints.
CnStatus cn_mechanisms_plan(CnMechanisms* mechanisms, const CnProblem* problem, CnArena* arena,
                            CnMechanismCost* cost);

// Fills in the matrices. *found is false when the joints cannot hold to the tolerance [m/s] within
// the budget, or numbers are not finite.
CnStatus cn_mechanisms_build(CnMechanisms* mechanisms, double tolerance, const CnBudget* budget,
                             CnArena* arena, bool* found);

// W_aa += the contribution of a block's mechanisms; w is row-major.
void cn_mechanisms_add_own(const CnMechanisms* mechanisms, int block, double* w);

// Entry (row i of block a, row j of block b) of W that goes through mechanisms.
double cn_mechanisms_coupling(const CnMechanisms* mechanisms, int a, int i, int b, int j);

// u = 0; u += W dp of a block's mechanisms; u of a block += that of its mechanisms.
void cn_mechanisms_clear(CnMechanisms* mechanisms);
void cn_mechanisms_apply(CnMechanisms* mechanisms, int block, const double* dp);
void cn_mechanisms_add_velocity(const CnMechanisms* mechanisms, int block, double* u);
