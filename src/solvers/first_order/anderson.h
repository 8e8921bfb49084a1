// anderson.h - Anderson acceleration (type II) of a fixed-point iteration x <- G(x).
//
// The last few steps span the directions in which G is slow; the next x is the combination of them
// whose residual G(x) - x would vanish as far as possible if G were linear.
// docs/theory/solvers/nsgs.md.
#pragma once

#include "base/arena.h"
#include "linalg/dense.h"

#define CN_ANDERSON_WINDOW 20 // steps remembered

typedef struct CnAnderson {
    int n;           // size of x
    int count;       // differences in the window
    int next;        // slot of the next one
    bool has_last;   // last_f and last_g are set
    double* last_f;  // residual of the last step, weighted   [n]
    double* last_g;  // G of the last step   [n]
    double* delta_f; // differences of residuals, weighted   [window * n]
    double* delta_g; // differences of G   [window * n]
    double* gram;    // delta_f . delta_f, kept up to date   [window * window]
    double* system;  // the Gram matrix scaled to a unit diagonal   [window * window]
    double* rhs;     // [window]
    CnDenseLdlt ldlt;
} CnAnderson;

CnStatus cn_anderson_init(CnAnderson* anderson, int n, CnArena* arena);

// Clears the window: after a change of the map, or after a bad combination.
void cn_anderson_reset(CnAnderson* anderson);

// Takes x and g = G(x), returns the length of weight * (g - x), and writes the next x to `next`
// (which may be x). The weights make entries of different units comparable.
double cn_anderson_step(CnAnderson* anderson, const double* x, const double* g,
                        const double* weight, double* next);
