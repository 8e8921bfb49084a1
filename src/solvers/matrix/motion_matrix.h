// motion_matrix.h - what rows do to the motion: G with W = G G^T, and sums of G^T X G.
//
// With bodies G = J L of body_matrix.h, sparse. Where W itself is given, G is its factor: dense, a
// column for each independent motion. docs/theory/least_norm.md (3), (8).
#pragma once

#include "linalg/dense.h"
#include "linalg/lu/lu.h"
#include "solvers/matrix/body_matrix.h"

typedef struct CnMotionMatrix {
    int motion_count; // entries of a motion z
    int row_count;    // rows of G

    CnBodyMatrix bodies; // with bodies
    CnLu lu;             // of G^T X G, likewise

    double* g;      // without: [row_count * motion_count]; NULL: there are bodies
    double* matrix; // G^T X G   [motion_count^2]
    double* factor; // of it   [motion_count^2]
    int* pivot;     // [motion_count]
} CnMotionMatrix;

// Of the rows of a problem with bodies, which must outlive it.
CnStatus cn_motion_matrix_of_bodies(CnMotionMatrix* motions, const CnProblem* problem,
                                    CnArena* arena);

// Of combined rows of a problem that gives W, of which the symmetric part counts: row from[i] of G
// gets factor[i] times that of row i, -1: none does.
CnStatus cn_motion_matrix_of_response(CnMotionMatrix* motions, const CnProblem* problem,
                                      int row_count, const int* from, const double* factor,
                                      CnArena* arena);

double cn_motion_matrix_row_length(const CnMotionMatrix* motions, int row);

// z = G^T p   [motion_count]
void cn_motion_matrix_push(const CnMotionMatrix* motions, const double* p, double* z);

// u = G z   [row_count]
void cn_motion_matrix_feel(const CnMotionMatrix* motions, const double* z, double* u);

// The sum of G^T X G: set to zero; plus that of n rows of a block from `row` on; raised by `share`
// of its largest diagonal entry and factored. False: it is singular.
void cn_motion_matrix_reset(CnMotionMatrix* motions);
void cn_motion_matrix_add(CnMotionMatrix* motions, int block, int row, int n, const double* x);
bool cn_motion_matrix_factor(CnMotionMatrix* motions, double share);

// z = (sum)^-1 b, refined once; scratch   [motion_count]
void cn_motion_matrix_solve(CnMotionMatrix* motions, const double* b, double* z, double* scratch);

// Multiplications of resetting, factoring and solving, without cn_motion_matrix_add(), and of one
// push and one feel.
double cn_motion_matrix_step_work(const CnMotionMatrix* motions);
double cn_motion_matrix_product_work(const CnMotionMatrix* motions);
