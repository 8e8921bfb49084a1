// project_trees.h - position errors of joints, put right along the trees that the joints make.
//
// One factor of a tree serves all passes (a chord of Newton's method), and no rows are posed.
// docs/theory/mechanisms.md (20)-(22).
#pragma once

#include "world/correct/position_errors.h"

// What is projected, and where it leads.
typedef struct CnTreeProjection {
    CnWorld* world;
    CnInstant instant;
    double tolerance;      // [m or rad]
    CnBodyState* states;   // in and out   [order.count]
    CnPositionErrors left; // of constraints, at the states; ahead of a step none
    bool moved;            // states of some tree have changed
    double work;           // multiplications
} CnTreeProjection;

// Measures all constraints and moves the states of trees with errors above the tolerance, as far as
// passes halve them. *serves is false, and the states are as they were, when the constraints make
// many loops, rows depend on each other, stops go on changing their mind, or a pass does not gain:
// the general correction does better there. Else, at the end of a step, the values of constraints
// are those at the states.
CnStatus cn_project_trees(CnTreeProjection* projection, bool* serves);
