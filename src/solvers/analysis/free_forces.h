// free_forces.h - the impulses compatible with a known motion: convex sets for each block.
//
// Given the velocities, a contact that is open or a spring has one impulse, a joint may have any,
// one that slides pushes along a ray, and one that sticks anywhere in its cone. The problem that is
// left has rows y with p = fixed + y / scale, and laws that are sets: equality (any y), bounds, and
// coulomb (the cone alone). docs/theory/least_norm.md (1)-(3).
#pragma once

#include "constraints/problem/owned_problem.h"

typedef struct CnFreeForces {
    CnOwnedProblem reduced; // its rows are in units of the norm: |y|^2 is to be least
    int* from;              // the reduced row that a row follows, -1: its impulse is known
    double* factor;         // p = factor y   [row_count of the problem]
    double* y;              // the impulses given   [reduced.problem.row_count]
} CnFreeForces;

// Speeds up to `slow` [m/s] count as none.
CnStatus cn_free_forces_init(CnFreeForces* forces, const CnProblem* problem, const double* impulse,
                             double slow, CnArena* arena);

// impulse of the rows that are not known already
void cn_free_forces_expand(const CnFreeForces* forces, int row_count, const double* y,
                           double* impulse);
