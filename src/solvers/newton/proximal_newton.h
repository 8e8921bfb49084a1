// proximal_newton.h - Newton's method inside a proximal-point loop, for any form of the laws.
//
// Each outer step solves the problem with W + alpha diag(W) around the last impulses: regular for
// any rank of W, and equal to the exact problem at the fixed point of the loop.
// docs/theory/solvers/newton_ac.md.
#pragma once

#include "solvers/first_order/extragradient.h"
#include "solvers/newton/newton.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"

// How a solver uses the loop.
typedef struct CnProximalRules {
    const CnSolver* solver; // the solver that uses it
    CnLinearise* linearise;
    bool searches; // steps are shortened until the merit falls; else they are taken in full
} CnProximalRules;

typedef struct CnProximalNewton {
    CnProximalRules rules;
    CnIterate iterate;
    CnAssembled assembled;
    CnNewtonSystem newton;
    CnExtragradient projections;
    double *p, *candidate;  // [row_count]
    double alpha;           // proximal weight
    int steps, limit;       // Newton steps
    CnBudget budget;        // no step begins that does not fit
    int projected;          // steps of the extragradient method so far ...
    double projecting_work; // ... and their work
    int rest;               // inner problems to solve before the weight may fall
    int outer;              // inner problems so far
} CnProximalNewton;

CnStatus cn_proximal_newton_prepare(CnProximalNewton* loop, CnProximalRules rules,
                                    const CnSolverDef* def, const CnProblem* problem,
                                    CnArena* arena);

// CnSolver.solve of such a family; memory is its CnProximalNewton.
CnStatus cn_proximal_newton_solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                                  CnArena* arena, CnSolution* solution, CnSolverReport* report);
