// lcp.h - Lemke's method on a dense linear complementarity problem.
//
// Find z >= 0 with w = M z + q >= 0 and z . w = 0. docs/theory/solvers/lemke.md (5)-(9).
#pragma once

#include "base/arena.h"
#include "solvers/solve/budget.h"

typedef struct CnLcp {
    int n;
    double* tableau; // each basic variable in terms of the nonbasic ones   [n * (n + 2)]
    int* basic;      // variable of each row   [n]
    int* nonbasic;   // variable of each column   [n + 1]
    int* place;      // of each variable: row r as r, column c as -1 - c   [2 n + 1]
    bool* tied;      // rows that leave equally early   [n]
    int pivots;
    const CnBudget* budget; // no pivot after it
} CnLcp;

typedef enum CnLcpEnd {
    CN_LCP_SOLVED,
    CN_LCP_RAY,       // no solution, when M is positive semidefinite
    CN_LCP_EXHAUSTED, // out of pivots, of budget or of time
} CnLcpEnd;

// All numbers are 0 at first. The budget is set before solving.
CnStatus cn_lcp_init(CnLcp* lcp, int n, CnArena* arena);

// All 0 again; the count of pivots is kept.
void cn_lcp_clear(CnLcp* lcp);

// Row i before solving: [0] is q_i, [1 + j] is M_ij.
double* cn_lcp_row(const CnLcp* lcp, int i);

// M should be scaled to a diagonal of about 1 (or 0).
CnLcpEnd cn_lcp_solve(CnLcp* lcp, int max_pivots);

// Iterative refinement after solving: w is M z + q of the current z, computed by the caller. Where
// it should be 0 and is not, z is corrected with the inverse in the tableau   [n]
void cn_lcp_correct(CnLcp* lcp, const double* w);

// After solving; 0 for variables that are not basic.
double cn_lcp_z(const CnLcp* lcp, int i);
bool cn_lcp_z_is_basic(const CnLcp* lcp, int i);
