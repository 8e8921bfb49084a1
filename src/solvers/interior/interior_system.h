// interior_system.h - the linear systems of the interior point, in the sparser of two forms.
//
// Either A + C is factored as it is, with a block for each block of rows, or, where the rows act on
// bodies, the matrix 1 + G^T C^-1 G with a block of six for each body that moves, A = G G^T. With
// masses A is not formed: coordinates and rows are factored together.
// docs/theory/solvers/cone_ip.md (11), (18), (19).
#pragma once

#include "linalg/lu/lu.h"
#include "solvers/interior/interior.h"
#include "solvers/matrix/body_matrix.h"
#include "solvers/matrix/kkt.h"

typedef struct CnInteriorSystem {
    bool by_bodies;
    int determinant_sign;           // factor: of det(A + C)
    double multiplications;         // of one factorisation, about
    bool is_too_large;              // more than allowed: only planned
    double numbers;                 // of the factor
    double factor_work, solve_work; // of one factorisation and one refined solution: lu_plan.h
    int unknowns;                   // rows, bodies, or rows and coordinates ...
    const char* unknown_name;       // ... as remarks call them

    // Private.
    const CnProblem* problem;
    CnBlockRows matrix; // A + C; by bodies: the matrix of bodies
    CnLu lu;
    CnBodyMatrix bodies;                          // by bodies: has the numbers of the matrix
    double (*inverse)[CN_MAX_ROWS * CN_MAX_ROWS]; // by bodies: C^-1 of each item   [item_count]
    double* momentum;                             // by bodies: scratch   [6 for each that moves]
    double *spread, *defect, *correction;         // scratch   [row_count]
    CnKkt* kkt;                                   // with masses; else NULL
} CnInteriorSystem;

// Plans both forms and keeps the one that needs fewer multiplications; masses have their own. If
// they are more than `most`, no memory is taken for the factor and nothing can be factored.
CnStatus cn_interior_system_init(CnInteriorSystem* system, const CnProblem* problem,
                                 const CnInterior* point, double most, CnArena* arena);

// Factors for the current C. False: a pivot is zero or not finite.
bool cn_interior_system_factor(CnInteriorSystem* system, const CnInterior* point);

// (A + C) x = right, with one step of refinement.
void cn_interior_system_solve(CnInteriorSystem* system, const CnInterior* point,
                              const double* right, double* x);

// y = A x of the last solution x.
void cn_interior_system_multiply(const CnInteriorSystem* system, const CnInterior* point,
                                 const double* x, double* y);
