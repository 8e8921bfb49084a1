// wide_contact.h - one contact with any number of friction rows, solved by its secular equation.
//
//     find p in K with u = W p + q and u~ = u + mu |u_T| e_N in K*, u~ . p = 0
//
// Components are (normal, friction rows): sliding, torsion and rolling share one cone. For two or
// three rows one_contact.h is faster. docs/theory/friction.md (5)-(9).
#pragma once

#include "cairn/constraint.h"
#include <stdbool.h>

// What does not change while q does: made once for each contact.
typedef struct CnWideContact {
    int tangents;                                   // friction rows, 1 .. CN_MAX_ROWS - 1
    double friction;                                // mu >= 0
    double normal;                                  // W_NN > 0
    double coupling[CN_MAX_ROWS];                   // W_NT / W_NN
    double schur[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1]; // S = W_TT - W_TN W_NT / W_NN, symmetric
    double trace;                                   // of W_TT
} CnWideContact;

// w is row-major, (tangents + 1) squared, symmetric.
void cn_wide_contact_init(CnWideContact* contact, int row_count, double friction, const double* w);

// p: the answer. False when no sliding impulse was found; p then sticks as well as it can.
bool cn_wide_contact_solve(const CnWideContact* contact, const double* q, double* p);
