// fclib_condense.h - from masses and directions to the response of rows: docs/theory/problem.md.
#pragma once

#include "io/fclib_matrix.h"

// M v = A p + f, u = A^T v + w: columns of A are the rows of a problem.
typedef struct CnFclibGlobal {
    CnFclibMatrix mass;      // M   [n x n]
    CnFclibMatrix direction; // A   [n x rows]
    double* force;           // f   [n]
    double* offset;          // w   [rows]
} CnFclibGlobal;

// u = W p + q and v = v_free + Z p.
typedef struct CnFclibCondensed {
    CnFclibMatrix response;    // W = A^T M^-1 A   [rows x rows]
    CnFclibMatrix motion;      // Z = M^-1 A   [n x rows]
    double* free_velocity;     // M^-1 f   [n]
    double* free_row_velocity; // q = A^T M^-1 f + w   [rows]
} CnFclibCondensed;

// M is cut into parts that share no entry (the bodies, where it is that of rigid bodies), and each
// is factored on its own. CN_INVALID: a part is singular.
CnStatus cn_fclib_condense(const CnFclibGlobal* global, CnArena* arena, CnFclibCondensed* condensed,
                           CnError* error);
