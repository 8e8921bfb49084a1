// project_trees.h - position errors of joints, put right along the trees that the joints make.
//
// One factor of the linkage serves all passes (a chord of Newton's method), and no rows are posed.
// docs/theory/mechanisms.md (20)-(22).
#pragma once

#include "world/correct/position_errors.h"

// What is projected, and where it leads.
typedef struct CnTreeProjection {
    CnWorld* world;
    CnInstant instant;
    double tolerance;      // [m or rad]
    CnBodyState* states;   // in and out   [order.count]
    CnBodyState* trial;    // scratch   [order.count]
    CnPositionErrors left; // at the states: constraints have been evaluated there, and are again
    double work;           // multiplications
} CnTreeProjection;

// Moves the states of all trees with errors above the tolerance, as far as passes halve them.
// *moved is false, and nothing has changed but the values of constraints at other states, when
// there are loops, rows that depend on each other, stops that go on changing their mind, or a pass
// that does not gain: the general correction does better there.
CnStatus cn_project_trees(CnTreeProjection* projection, bool* moved);
