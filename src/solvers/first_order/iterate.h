// iterate.h - shared by solvers that update all impulses at once: scales, velocities, grades.
//
// Uses only u = W p + q, so it works for bodies and for problems given by a response.
#pragma once

#include "base/arena.h"
#include "cairn/solver.h"

typedef struct CnIterate {
    const CnProblem* problem;
    CnProblem homogeneous;  // the problem with q = 0: its velocities are W p
    CnErrorMeasure measure; // of errors
    double tolerance;       // in that measure
    double** w;             // W_aa of each block, row-major   [block_count]
    double* lambda;         // the largest eigenvalue of each W_aa, > 0   [block_count]
    double* best;           // the best impulses graded so far   [row_count]
    double best_error;      // theirs; infinite at first
    double renewed_error;   // the best error when it last halved ...
    int renewed_at;         // ... and the iteration
    double (*velocity)[6];  // [body_count]
    double (*scratch)[6];   // of the certificate   [body_count]
    double work_to_grade;   // multiplications: of a certificate ...
    double work_to_respond; // ... and of u = W p + q
} CnIterate;

CnStatus cn_iterate_init(CnIterate* iterate, const CnProblem* problem, const CnSolverDef* def,
                         CnArena* arena);

// u = W p + q of all rows, compliance included   [row_count]
void cn_iterate_velocity(CnIterate* iterate, const double* p, double* u);

// y = W x of all rows, compliance included   [row_count]
void cn_iterate_multiply(CnIterate* iterate, const double* x, double* y);

// p - P(p - rho_a u~) of all rows with rho_a = step / lambda_a: docs/theory/certificate.md (3)-(6).
// out may be u or p.
void cn_iterate_natural_map(const CnIterate* iterate, double step, const double* u, const double* p,
                            double* out);

// The error of p in the measure, infinite if p is not finite; keeps p if it is the best so far.
double cn_iterate_grade(CnIterate* iterate, const double* p);

bool cn_iterate_is_solved(const CnIterate* iterate);

// True when the best error has not halved for `patience` iterations.
bool cn_iterate_is_idle(CnIterate* iterate, int iteration, int patience);

// Returns the best impulses and sets the outcome: broken down if none could be graded, out of
// iterations if the limit was reached, else stalled or converged.
void cn_iterate_conclude(const CnIterate* iterate, int iterations, int limit, CnSolution* solution,
                         CnSolverReport* report);

// Products in the metric of the blocks, sum lambda_a x_a . y_a for impulses and sum x_a . y_a /
// lambda_a for velocities: both are energies [J], whatever the masses.
double cn_iterate_impulse_dot(const CnIterate* iterate, const double* x, const double* y);
double cn_iterate_velocity_dot(const CnIterate* iterate, const double* x, const double* y);
