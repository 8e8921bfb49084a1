// linearised.h - the law of a block as an equation Phi(u, p) = 0, with its derivatives.
//
// Each form is a function of the block's own velocity and impulse; Newton then solves
// (A W + B) dp = -Phi with A = dPhi/du and B = dPhi/dp, block by block in A and B.
#pragma once

#include "cairn/problem.h"

typedef struct CnLinearised {
    double phi[CN_MAX_ROWS];            // [N s]
    double a[CN_MAX_ROWS][CN_MAX_ROWS]; // dPhi/du
    double b[CN_MAX_ROWS][CN_MAX_ROWS]; // dPhi/dp
} CnLinearised;

// w is W_aa, rho a step [kg]; the roots of Phi do not depend on either. law is zeroed by the
// caller.
typedef void CnLinearise(const CnProblem* problem, const CnBlock* block, const double* w,
                         double rho, const double* u, const double* p, CnLinearised* law);

// The natural map of the certificate, Phi = p - P(p - rho u~); w is not used:
// docs/theory/solvers/newton_projected.md (2)-(5).
void cn_linearise_natural(const CnProblem* problem, const CnBlock* block, const double* w,
                          double rho, const double* u, const double* p, CnLinearised* law);

// Fischer and Burmeister's function, of the Jordan algebra of the second-order cone for friction
// and of numbers for bounds and normals: docs/theory/solvers/newton_fb.md (3)-(11).
void cn_linearise_fischer_burmeister(const CnProblem* problem, const CnBlock* block,
                                     const double* w, double rho, const double* u, const double* p,
                                     CnLinearised* law);

// Alart and Curnier's equations, which state Coulomb's law without the shift u~ and without a cone:
// docs/theory/solvers/newton_ac.md (1).
void cn_linearise_alart_curnier(const CnProblem* problem, const CnBlock* block, const double* w,
                                double rho, const double* u, const double* p, CnLinearised* law);
