// krylov.h - linear systems known by their products with vectors, and conjugate residuals for them.
//
// CR wants a symmetric operator and minimises the residual, which never grows. Where many vectors
// answer it finds the one nearest to the guess; where none does, one that leaves least.
// docs/theory/linalg.md (10)-(13).
#pragma once

#include "base/arena.h"

// y = A x; y and x never overlap.
typedef void CnOperator(const double* x, double* y, void* context);

typedef struct CnLinearSystem {
    int n;
    CnOperator* apply;        // A
    CnOperator* precondition; // approximates A^-1, symmetric positive definite; NULL: identity
    void* context;            // given to both
    const double* right;      // b   [n]
} CnLinearSystem;

// Stops when |r| <= absolute_tolerance + relative_tolerance |b| (2-norms).
typedef struct CnKrylovSettings {
    int max_iterations;
    double relative_tolerance, absolute_tolerance;
} CnKrylovSettings;

typedef enum CnKrylovEnd {
    CN_KRYLOV_CONVERGED,
    CN_KRYLOV_OUT_OF_ITERATIONS,
    CN_KRYLOV_STATIONARY, // no vector leaves less, and it is not enough: the rows contradict
    CN_KRYLOV_BROKE_DOWN, // the operator is not what the method wants, or a number is not finite
} CnKrylovEnd;

typedef struct CnKrylovReport {
    CnKrylovEnd end;
    int iterations;
    double residual; // |b - A x| as the recurrence knows it
} CnKrylovReport;

// x: guess in, answer out. CN_NO_MEMORY or CN_OK; the report tells how it went.
CnStatus cn_krylov_cr(const CnLinearSystem* system, const CnKrylovSettings* settings,
                      CnArena* arena, double* x, CnKrylovReport* report);
