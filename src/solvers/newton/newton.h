// newton.h - Newton steps on the laws of all blocks at once, by a sparse factorisation.
//
// The problem may be made regular by a proximal term: u = W p + q + softness (p - center), row by
// row. docs/theory/solvers/newton_ac.md (2)-(4).
#pragma once

#include "linalg/lu/lu.h"
#include "solvers/matrix/assembled.h"
#include "solvers/newton/linearised.h"

typedef struct CnNewtonSystem {
    const CnAssembled* assembled;
    CnLinearise* linearise;     // the form of the laws
    double *softness, *center;  // of the proximal term; zero at first   [row_count]
    CnLinearised* laws;         // evaluate: at the last point   [block_count]
    double *u, *dp;             // evaluate: its velocities; step: the direction   [row_count]
    double* weight;             // sqrt(lambda_max) of each row's block   [row_count]
    double *right, *x, *defect; // of the linear system   [row_count]
    CnBlockRows matrix;         // weight (A (W + softness) + B) / weight
    CnLu lu;
    bool is_too_large;       // a step costs more than allowed: only planned
    double work_to_evaluate; // multiplications: of the laws at a point ...
    double work_to_step;     // ... and of one direction
} CnNewtonSystem;

// If a direction costs more than `most` multiplications, is_too_large is set, no memory is taken
// for the factor and no direction can be computed.
CnStatus cn_newton_init(CnNewtonSystem* newton, const CnAssembled* assembled,
                        CnLinearise* linearise, double most, CnArena* arena);

// Velocities, laws and derivatives at p. Returns |Phi| in the metric of the blocks [J^(1/2)].
double cn_newton_evaluate(CnNewtonSystem* newton, const double* p);

// The direction dp from the laws evaluated last. False when the matrix is singular.
bool cn_newton_direction(CnNewtonSystem* newton);
