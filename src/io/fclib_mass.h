// fclib_mass.h - a part of a general mass matrix, factored: docs/theory/problem.md.
#pragma once

#include "io/fclib_matrix.h"
#include "linalg/lu.h"

typedef struct CnFclibMass {
    int n;
    double* dense; // LU with row exchanges, of small ones; NULL: sparse   [n * n]
    int* pivot;    // [n]
    CnBlockRows rows;
    CnLu lu;
    double *right, *defect; // scratch of the sparse one   [n]
} CnFclibMass;

// `part` is square. CN_INVALID: it is singular; the sentence lacks its subject.
CnStatus cn_fclib_mass_factor(CnFclibMass* mass, const CnFclibMatrix* part, CnArena* arena,
                              CnError* error);

// x = M^-1 x
void cn_fclib_mass_solve(CnFclibMass* mass, double* x);
