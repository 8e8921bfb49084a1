// body_matrix.h - a matrix with a block of six rows for each body that moves: sums of G^T X G.
//
// G = J L with M^-1 = L L^T, so that all bodies have unit mass and moments of inertia. Two bodies
// are coupled when a block of rows acts on both.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "linalg/blocks/block_rows.h"

typedef struct CnBodyMatrix {
    const CnProblem* problem;
    CnBlockRows matrix;
    double (*jacobian)[12]; // G, as of cn_scaled_jacobian()
    int* node;              // the block of each body, -1: cannot move   [body_count]
} CnBodyMatrix;

// Pairs of nodes that a block of rows acts on, in the order of the blocks.
typedef struct CnBodyPairs {
    int count;
    int *first, *second; // [count]
} CnBodyPairs;
CnStatus cn_body_pairs_list(const CnProblem* problem, const int* node, CnArena* arena,
                            CnBodyPairs* pairs);

// The pattern alone, without G. The problem has bodies and must outlive the matrix.
CnStatus cn_body_matrix_lay_out(CnBodyMatrix* bodies, const CnProblem* problem, CnArena* arena);

CnStatus cn_body_matrix_init(CnBodyMatrix* bodies, const CnProblem* problem, CnArena* arena);

// The diagonal of every block becomes `diagonal`, all else zero.
void cn_body_matrix_reset(CnBodyMatrix* bodies, double diagonal);

// Adds G^T X G for n rows of one block from `row` on; x is row-major, n squared.
void cn_body_matrix_add(CnBodyMatrix* bodies, int block, int row, int n, const double* x);

// z = G^T p   [matrix.row_count]
void cn_body_matrix_push(const CnBodyMatrix* bodies, const double* p, double* z);

// u = G z   [problem->row_count]
void cn_body_matrix_feel(const CnBodyMatrix* bodies, const double* z, double* u);
