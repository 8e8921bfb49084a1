// assembled.h - a problem as one matrix: u = W p + q for all rows, from bodies or from a response.
//
// For solvers that treat all rows at once. W has compliance in it and need not be
// symmetric. With masses only its diagonal blocks are stored; products go through M^-1.
// docs/theory/problem.md; scaling: docs/theory/solvers/cone_ip.md (1)-(3).
#pragma once

#include "cairn/solver.h"
#include "linalg/blocks/block_rows.h"
#include "solvers/analysis/relative_error.h"

typedef struct CnAssembled {
    const CnProblem* problem;
    CnBlockRows w;      // blocks as in the problem; with masses those of the diagonal only
    double* q;          // velocities of the rows without impulses [m/s]   [row_count]
    double* lambda_max; // largest eigenvalue of each W_aa   [block_count]
    CnErrorSize size;   // scale of its relative errors
    double work;        // cost of assembling it, in multiplications
    double* motion;     // scratch with masses   [coordinate_count]
} CnAssembled;

CnStatus cn_assemble(const CnProblem* problem, CnArena* arena, CnAssembled* assembled);

// y = W x   [row_count]
void cn_assembled_multiply(const CnAssembled* assembled, const double* x, double* y);

// u = W p + q   [row_count]
void cn_assembled_velocity(const CnAssembled* assembled, const double* p, double* u);

// The error of the certificate for p, whose u = W p + q is given, up to round-off.
double cn_assembled_error(const CnAssembled* assembled, CnErrorMeasure measure, const double* p,
                          const double* u);

// The same problem with all rows of like size: with p = unit D p' and u = unit D^-1 u',
// u' = (D W D) p' + D q / unit. Cones of contacts with friction become {|x_T| <= x_N}.
typedef struct CnScaled {
    CnBlockRows w; // D W D; with masses its diagonal blocks
    double* q;     // D q / unit   [row_count]
    double* scale; // D   [row_count]
    double unit;   // rms length of the blocks' D q, or 1

    const CnMasses* masses;  // NULL: w is all of D W D
    double* extra;           // diagonal of D W D - D J M^-1 J^T D   [row_count]
    double *spread, *motion; // scratch with masses   [row_count], [coordinate_count]
} CnScaled;

CnStatus cn_assembled_scale(const CnAssembled* assembled, CnArena* arena, CnScaled* scaled);

// y = D W D x, additions to the diagonal included   [row_count]
void cn_scaled_multiply(const CnScaled* scaled, const double* x, double* y);

// Adds to the diagonal, in a row of a block.
void cn_scaled_add(CnScaled* scaled, int block, int row, double value);
