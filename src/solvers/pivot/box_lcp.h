// box_lcp.h - frictionless problems as a box LCP: every impulse lies between two limits.
//
// Find p with lower <= p <= upper, u = W p - b, u = 0 strictly between the limits, u >= 0 at lower,
// u <= 0 at upper. Equality rows have no limits; a force row of slope s is an equality row with
// an extra compliance 1 / s; rows with a given impulse are eliminated.
// docs/theory/solvers/direct.md (1)-(5).
#pragma once

#include "cairn/solver.h"
#include "linalg/sparse.h"

typedef struct CnBoxLcp {
    int n;                 // unknown impulses
    CnSparse w;            // S W S
    double* right;         // S b
    double *lower, *upper; // of S^-1 p, lower < upper   [n]
    double* scale;         // S: 1 / sqrt(W_ii), or 1   [n]
    double* softness;      // compliance that a force law adds to its row [1/kg]   [n]
    double* shift;         // target that a force law adds to its row [m/s]   [n]
    int* row;              // of the problem   [n]
    int* block;            // of the problem   [n]
    double asymmetry;      // of W, where it was given: w is its symmetric part
    double* impulse;       // given impulses, 0 where unknown   [problem rows]
} CnBoxLcp;

// Contacts count as bounds on their normal row; tangents with friction have no limits here; the
// caller adds them. With unit_diagonal false S is 1.
CnStatus cn_box_lcp_build(const CnProblem* problem, bool unit_diagonal, CnArena* arena,
                          CnBoxLcp* box);

// x = S^-1 p from the impulses of the problem, moved into the limits; and back, with velocities.
// Rows of the box beyond those of the problem (the welds of split_bodies.h) are skipped.
void cn_box_lcp_read_guess(const CnBoxLcp* box, const CnSolution* solution, double* x);
void cn_box_lcp_impulse(const CnBoxLcp* box, const CnProblem* problem, const double* x,
                        double* impulse);
void cn_box_lcp_write(const CnBoxLcp* box, const CnProblem* problem, const double* x,
                      CnSolution* solution);

// u = W x - b, scaled as the box is, for all rows.
void cn_box_lcp_velocity(const CnBoxLcp* box, const double* x, double* u);

// The largest natural-map residual |x - P(x - u)| over rows, back in row units [m/s or rad/s];
// *worst is its row, -1 when there is none.
double cn_box_lcp_residual(const CnBoxLcp* box, const double* x, const double* u, int* worst);
