// krylov.h - matrix-free linear systems, and conjugate residuals (CR) for symmetric ones.
//
// CR needs a symmetric operator and minimises the residual, which never grows. If there are many
// solutions it finds the one nearest to the guess; if there is none, a least-squares solution.
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
    CN_KRYLOV_STATIONARY, // the minimum of the residual is above the tolerance: no solution
    CN_KRYLOV_BROKE_DOWN, // the operator is not as required, or a number is not finite
} CnKrylovEnd;

typedef struct CnKrylovReport {
    CnKrylovEnd end;
    int iterations;
    double residual; // |b - A x| by the recurrence
} CnKrylovReport;

// x: guess in, solution out. Returns CN_NO_MEMORY or CN_OK; the outcome is in the report.
CnStatus cn_krylov_cr(const CnLinearSystem* system, const CnKrylovSettings* settings,
                      CnArena* arena, double* x, CnKrylovReport* report);
