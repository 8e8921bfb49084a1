// extragradient.h - single steps of the extragradient method, for use by other solvers.
#pragma once

#include "solvers/first_order/acceleration.h"
#include "solvers/first_order/iterate.h"
#include "solvers/solve/budget.h"

typedef struct CnExtragradient {
    CnIterate* iterate;
    CnAcceleration acceleration;
    double *p, *u;           // the current point   [row_count]
    double *trial, *trial_u; // after the first projection   [row_count]
    double *dp, *du;         // differences of impulses and of shifted velocities   [row_count]
    double* weight;          // sqrt(lambda_a)   [row_count]
    double step;             // rho_a lambda_a, the same for all blocks
} CnExtragradient;

CnStatus cn_extragradient_init(CnExtragradient* method, CnIterate* iterate, CnArena* arena);

// Sets the current point to p. Keeps the step size, clears the acceleration.
void cn_extragradient_start(CnExtragradient* method, const double* p);

// One iteration from method->p.
void cn_extragradient_advance(CnExtragradient* method, const CnBudget* budget);
