// pivoting.h - shared by the pivoting solvers: a dense box LCP and its refinement.
#pragma once

#include "linalg/cholesky.h"
#include "solvers/pivot/box_lcp.h"
#include "solvers/solve/solver.h"

// Dense matrices of this many rows take 128 MB each; pivoting needs two or three.
#define CN_PIVOTING_MAX_ROWS 4000

// A given W counts as symmetric up to this: some digits above the precision of other codes' files.
#define CN_SYMMETRIC 1e-9

typedef struct CnPivoting {
    CnBoxLcp box;        // unit diagonal
    double* w;           // box.w, dense, both triangles   [n * n]
    double* x;           // scaled impulses   [n]
    double* u;           // W x - b   [n]
    double *step, *kept; // [n]
} CnPivoting;

typedef enum CnPivotingEnd {
    CN_PIVOTING_SOLVED,
    CN_PIVOTING_CONTRADICTION, // no impulse, however large, satisfies all rows
    CN_PIVOTING_EXHAUSTED,     // out of pivots
} CnPivotingEnd;

// Refuses other laws, and more rows than fit.
CnStatus cn_pivoting_prepare(CnPivoting* pivoting, const CnSolverInfo* solver,
                             const CnProblem* problem, CnArena* arena, CnError* error);

// CN_UNSUPPORTED where a given W is not symmetric; `unless` names the exception, or is empty.
CnStatus cn_pivoting_refuse_asymmetry(const CnPivoting* pivoting, const char* solver,
                                      const char* unless, CnError* error);

// Whether row i depends on the free rows up to round-off: linalg.md (15). *remainder
// and direction (W_FF^-1 W_Fi, in the order of the free rows) are filled in.
bool cn_pivoting_depends(const CnCholesky* free, int i, double* remainder, double* direction);

// Adds row i to `free` unless it depends on them. True when it was added.
bool cn_pivoting_add(CnPivoting* pivoting, CnCholesky* free, int i);

// Multiplications of making W dense and of cn_pivoting_free_rows(), were all rows free.
double cn_pivoting_placing_work(const CnPivoting* pivoting);

// Adds rows to `free` from the most independent to the least, leaving out those that depend on the
// others: in this order the skipped rows follow from the others without amplifying errors.
CnStatus cn_pivoting_free_rows(CnPivoting* pivoting, const int* rows, int count, CnArena* arena,
                               CnCholesky* free);

// One Newton step on the rows in `free`, whose u should be 0: x_F -= W_FF^-1 u_F, within the
// limits. u must be up to date, and is not afterwards.
void cn_pivoting_correct(CnPivoting* pivoting, const CnCholesky* free);

// Polishes x with Newton steps on the rows in `free`, then writes the solution, the outcome and,
// if it failed, a remark that names the worst block.
void cn_pivoting_finish(CnPivoting* pivoting, const CnCholesky* free, CnPivotingEnd end,
                        const CnSolverDef* def, const CnProblem* problem, CnSolution* solution,
                        CnSolverReport* report);
