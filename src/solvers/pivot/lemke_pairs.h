// lemke_pairs.h - the rows of a problem as the complementary pairs that Lemke's method works on.
//
// Rows without limits are eliminated; a limit becomes a pair, and so does every corner of a
// friction pyramid: docs/theory/solvers/lemke.md (1)-(4), docs/theory/pyramid.md (4)-(7).
#pragma once

#include "solvers/pivot/lcp.h"
#include "solvers/pivot/pivoting.h"
#include "solvers/pivot/pyramids.h"

// The pairs that a row depends on: x = base + sum of weight * z.
typedef struct CnRowPairs {
    int first, count;     // count 0: none does
    const double* weight; // [count]
} CnRowPairs;

typedef struct CnPairs {
    CnPivoting pivoting;
    CnPyramids pyramids;
    bool is_asymmetric; // pivoting.w is W as it was given, not its symmetric part
    CnCholesky free;    // the independent rows without limits; at the end also those between limits
    CnLcp lcp;
    CnRowPairs*
        rows; // of its lower limit (upper, if it has no other), or its pyramid's corners  [n]
    int* upper_pair; // pair of the upper limit of a row that has both, -1: none   [n]
    int count;       // of pairs
    double *z, *w;   // of all pairs, while correcting   [count]
    double* reduced; // L^-1 W_Fi of each row, and of b   [(n + 1) * n]
} CnPairs;

// How many pairs there are at most. The pivoting and the pyramids must be ready.
int cn_pairs_bound(const CnPairs* pairs);

CnStatus cn_pairs_allocate(CnPairs* pairs, CnArena* arena);

// Replaces the symmetric part of a response by the unsymmetric response itself. False when that is
// not possible: the elimination of rows without limits and of known impulses uses the symmetric
// part.
bool cn_pairs_take_response(CnPairs* pairs, const CnProblem* problem);

// Eliminates rows and numbers the pairs. Rows whose u no impulse can change are set to a limit.
CnStatus cn_pairs_make(CnPairs* pairs, CnArena* arena);

// Multiplications of making the pairs, of filling the complementarity problem, and of reading and
// correcting its solution.
double cn_pairs_making_work(const CnPairs* pairs);
double cn_pairs_filling_work(const CnPairs* pairs);
double cn_pairs_reading_work(const CnPairs* pairs);

// The complementarity problem, with a proximal term around the current x: pyramid.md (11), 0 for
// none.
void cn_pairs_fill(CnPairs* pairs, double proximity);

// x = 0 for the rows that have pairs.
void cn_pairs_clear_x(CnPairs* pairs);

// x of all rows from the current z: those with pairs, then the others so that their u is 0.
void cn_pairs_read(CnPairs* pairs);

// Corrects z for the x that was read: pyramid.md (10).
void cn_pairs_correct(CnPairs* pairs);

// Whether pairs make the row strictly between its limits. For problems without pyramids.
bool cn_pairs_is_between(const CnPairs* pairs, int row);
