// assembled.h - a problem as one matrix: u = W p + q for all rows, from bodies or from a response.
//
// What solvers that look at all rows at once work on. W has compliance in it and need not be
// symmetric. docs/theory/problem.md; scaling: docs/theory/cone_ip.md (1)-(3).
#pragma once

#include "cairn/solver.h"
#include "linalg/block_rows.h"
#include "solvers/relative_error.h"

typedef struct CnAssembled {
    const CnProblem* problem;
    CnBlockRows w;      // blocks as in the problem
    double* q;          // what the rows feel without impulses [m/s]   [row_count]
    double* lambda_max; // largest eigenvalue of each W_aa   [block_count]
    CnErrorSize size;   // what its relative errors are held against
} CnAssembled;

CnStatus cn_assemble(const CnProblem* problem, CnArena* arena, CnAssembled* assembled);

// u = W p + q   [row_count]
void cn_assembled_velocity(const CnAssembled* assembled, const double* p, double* u);

// What the certificate will say of p, whose u = W p + q is given, up to round-off.
double cn_assembled_error(const CnAssembled* assembled, CnErrorMeasure measure, const double* p,
                          const double* u);

// The same problem with all rows of like size: with p = unit D p' and u = unit D^-1 u',
// u' = (D W D) p' + D q / unit. Cones of contacts with friction become {|x_T| <= x_N}.
typedef struct CnScaled {
    CnBlockRows w; // D W D
    double* q;     // D q / unit   [row_count]
    double* scale; // D   [row_count]
    double unit;   // rms length of the blocks' D q, or 1
} CnScaled;

CnStatus cn_assembled_scale(const CnAssembled* assembled, CnArena* arena, CnScaled* scaled);
