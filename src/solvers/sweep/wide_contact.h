// wide_contact.h - one contact with torsion or rolling besides sliding, solved exactly.
//
//     find p in K with u = W p + q and u~ = u + mu sum_g |u_g| e_N in K*, u~ . p = 0
//
// Rows are those of friction_cone.h. For two or three rows one_contact.h is faster.
// docs/theory/friction.md (7)-(13).
#pragma once

#include "cairn/constraint.h"
#include "constraints/problem/friction_cone.h"
#include <stdbool.h>

// Everything that does not depend on q: prepared once for each contact.
typedef struct CnWideContact {
    int tangents;                                   // friction rows, 1 .. CN_MAX_ROWS - 1
    int group_count;                                // of them
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS]; // rows from 1
    double friction;                                // mu >= 0
    double normal;                                  // W_NN > 0
    double coupling[CN_MAX_ROWS - 1];               // W_NT / W_NN
    double schur[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1]; // S = W_TT - W_TN W_NT / W_NN, symmetric
    double trace;                                   // of W_TT
    double work; // multiplications of all answers so far: 10 to 100,000 times those of a visit
} CnWideContact;

// w is row-major, row_count squared, symmetric, with W_NN > 0.
void cn_wide_contact_init(CnWideContact* contact, int row_count, double friction, const double* w);

// p: the solution. False when the slips of its groups were not found; p is then the best candidate.
bool cn_wide_contact_solve(CnWideContact* contact, const double* q, double* p);
