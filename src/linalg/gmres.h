// gmres.h - generalised minimal residuals, for systems without symmetry.
//
// Preconditioned from the right, so the residual it minimises is that of the system itself.
// Equations: docs/theory/gmres.md.
#pragma once

#include "linalg/krylov.h"

typedef struct CnGmres {
    int n, size;        // unknowns; the largest number of steps
    double* basis;      // orthonormal directions   [(size + 1) * n]
    double* hessenberg; // A V = V H, upper triangular after rotations   [size * (size + 1)]
    double* cosine;     // the rotations   [size]
    double* sine;       // [size]
    double* right;      // rotated right side, then the coefficients   [size + 1]
    double* work;       // [2 * n]
} CnGmres;

CnStatus cn_gmres_init(CnGmres* gmres, int n, int size, CnArena* arena);

// x: the solution; the guess is 0. One cycle of at most min(size, max_iterations) steps, no
// restart. It minimises |b - A x| over the Krylov space, also when it misses the tolerance.
void cn_gmres_solve(CnGmres* gmres, const CnLinearSystem* system, const CnKrylovSettings* settings,
                    double* x, CnKrylovReport* report);
