// fclib_global.h - problems as masses and directions: docs/theory/problem.md (11).
#pragma once

#include "cairn/problem.h"
#include "linalg/sparse_rows.h"

// M v = A p + f, u = A^T v + w: columns of A are the rows of a problem.
typedef struct CnFclibGlobal {
    CnSparseRows mass;      // M   [n x n]
    CnSparseRows direction; // A   [n x rows]
    double* force;          // f   [n]
    double* offset;         // w   [rows]
} CnFclibGlobal;

// For rigid bodies: the coordinates that can move, with rows in the order of `row`: row[i] is the
// place of the problem's row i. CN_UNSUPPORTED: a body can turn about some axes only.
CnStatus cn_fclib_from_bodies(const CnProblem* problem, const int* row, CnArena* arena,
                              CnFclibGlobal* global, CnError* error);

// The same for a problem with masses.
CnStatus cn_fclib_from_masses(const CnProblem* problem, const int* row, CnArena* arena,
                              CnFclibGlobal* global, CnError* error);

// The velocities of the same coordinates in a solution, at most 6 per body. Returns their number.
int cn_fclib_gather_velocity(const CnProblem* problem, const double (*velocity)[6], double* out);
