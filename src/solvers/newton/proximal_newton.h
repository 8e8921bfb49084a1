// proximal_newton.h - Newton's method inside a proximal-point loop, whatever the form of the laws.
//
// Each outer step solves the problem with W + alpha diag(W) around the last impulses: regular for
// any rank of W, and the exact problem again when the loop stands still. docs/theory/newton_ac.md.
#pragma once

#include "solvers/door/budget.h"
#include "solvers/door/solver.h"
#include "solvers/first_order/extragradient.h"
#include "solvers/newton/newton.h"

// How a family uses the loop.
typedef struct CnProximalRules {
    const CnSolver* solver; // whose rules they are
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
    CnBudget budget;        // none begins after it, nor beyond it
    int projected;          // steps of the extragradient method so far ...
    double projecting_work; // ... and what they took
    int rest;               // inner problems to solve before the weight may fall
    int outer;              // inner problems so far
} CnProximalNewton;

CnStatus cn_proximal_newton_prepare(CnProximalNewton* loop, CnProximalRules rules,
                                    const CnSolverDef* def, const CnProblem* problem,
                                    CnArena* arena);

// CnSolver.solve of such a family; memory is its CnProximalNewton.
CnStatus cn_proximal_newton_solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                                  CnArena* arena, CnSolution* solution, CnSolverReport* report);
