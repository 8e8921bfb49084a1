// alart_curnier.h - the laws of blocks as equations F(p, u) = 0, with their generalised
// derivatives.
//
// docs/theory/newton_ac.md (1)-(7). F is an impulse; F / rho is a velocity.
#pragma once

#include "cairn/problem.h"

// F and the matrices of dF = A du + B dp, row-major row_count x row_count.
typedef struct CnAlartCurnier {
    double f[CN_MAX_ROWS];
    double a[CN_MAX_ROWS * CN_MAX_ROWS];
    double b[CN_MAX_ROWS * CN_MAX_ROWS];
} CnAlartCurnier;

// rho > 0 [N s per m/s]; u and p are those of the block's rows.
void cn_alart_curnier(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                      const double* p, CnAlartCurnier* out);
