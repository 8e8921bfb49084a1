// lcp.c - Lemke's method on a dense linear complementarity problem.
//
// Variables are numbered z_i = i, w_i = n + i, and 2 n for the artificial z_0. The tableau says
// basic = constant + sum over columns of coefficient * nonbasic (a dictionary).
#include "solvers/pivot/lcp.h"

#include "base/error.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// Coefficients of a matrix of unit diagonal that are below this are round-off: a basis of condition
// 1e7 amplifies 1e-16 to it. A pivot that small would destroy all digits.
#define SMALLEST_PIVOT 1e-9

// Ratios that differ by less, relative to the largest of q, are a tie; see lemke.md (8).
#define TIE 1e-12

// An artificial variable below this, relative to the largest of q, is zero: when a ray ends the
// method there, the problem is solved to round-off.
#define ARTIFICIAL_ZERO 1e-11

static int artificial(const CnLcp* lcp) {
    return 2 * lcp->n;
}

double* cn_lcp_row(const CnLcp* lcp, int i) {
    return &lcp->tableau[(size_t)i * (size_t)(lcp->n + 2)];
}

static double constant(const CnLcp* lcp, int row) {
    return cn_lcp_row(lcp, row)[0];
}

static double coefficient(const CnLcp* lcp, int row, int column) {
    return cn_lcp_row(lcp, row)[1 + column];
}

static bool is_basic(const CnLcp* lcp, int variable) {
    return lcp->place[variable] >= 0;
}

bool cn_lcp_z_is_basic(const CnLcp* lcp, int i) {
    return is_basic(lcp, i);
}

double cn_lcp_z(const CnLcp* lcp, int i) {
    return is_basic(lcp, i) ? constant(lcp, lcp->place[i]) : 0.0;
}

CnStatus cn_lcp_init(CnLcp* lcp, int n, CnArena* arena) {
    *lcp = (CnLcp){.n = n};
    lcp->tableau = CN_ARENA_NEW(arena, double, (size_t)n*(size_t)(n + 2));
    lcp->basic = CN_ARENA_NEW(arena, int, n);
    lcp->nonbasic = CN_ARENA_NEW(arena, int, (size_t)n + 1);
    lcp->place = CN_ARENA_NEW(arena, int, 2 * (size_t)n + 1);
    lcp->tied = CN_ARENA_NEW(arena, bool, n);
    bool complete = lcp->tableau != NULL && lcp->basic != NULL && lcp->nonbasic != NULL &&
                    lcp->place != NULL && lcp->tied != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

void cn_lcp_clear(CnLcp* lcp) {
    memset(lcp->tableau, 0, (size_t)lcp->n * (size_t)(lcp->n + 2) * sizeof(double));
}

// w is basic, z and z_0 are not: w = q + M z + z_0.
static void start(CnLcp* lcp) {
    for (int i = 0; i < lcp->n; ++i) {
        lcp->basic[i] = lcp->n + i;
        lcp->place[lcp->n + i] = i;
        lcp->nonbasic[i] = i;
        lcp->place[i] = -1 - i;
        cn_lcp_row(lcp, i)[1 + lcp->n] = 1.0;
    }
    lcp->nonbasic[lcp->n] = artificial(lcp);
    lcp->place[artificial(lcp)] = -1 - lcp->n;
}

static void put(CnLcp* lcp, int row, int column, int entering, int leaving) {
    lcp->basic[row] = entering;
    lcp->place[entering] = row;
    lcp->nonbasic[column] = leaving;
    lcp->place[leaving] = -1 - column;
}

// Solves the row's equation for the column's variable and puts it into all others.
static void pivot(CnLcp* lcp, int row, int column) {
    int width = lcp->n + 2;
    double* pivot_row = cn_lcp_row(lcp, row);
    double inverse = 1.0 / pivot_row[1 + column];
    for (int k = 0; k < width; ++k) {
        pivot_row[k] *= -inverse;
    }
    pivot_row[1 + column] = inverse;
    for (int i = 0; i < lcp->n; ++i) {
        double* other = cn_lcp_row(lcp, i);
        double factor = other[1 + column];
        if (i != row && factor != 0.0) {
            other[1 + column] = 0.0;
            cn_dense_add_scaled(width, factor, pivot_row, other);
        }
    }
    put(lcp, row, column, lcp->nonbasic[column], lcp->basic[row]);
    cn_budget_spend(lcp->budget, (double)lcp->n * width);
    ++lcp->pivots;
}

static double largest_constant(const CnLcp* lcp) {
    double largest = 0.0;
    for (int i = 0; i < lcp->n; ++i) {
        largest = fmax(largest, fabs(constant(lcp, i)));
    }
    return largest;
}

// The row with the most negative q; ties go to the highest index, whose perturbation is smallest.
static int find_first_row(const CnLcp* lcp) {
    int lowest = 0;
    for (int i = 1; i < lcp->n; ++i) {
        lowest = constant(lcp, i) <= constant(lcp, lowest) ? i : lowest;
    }
    return lowest;
}

// lemke.md (7): how much the k-th perturbation adds to a row's constant.
static double perturbation(const CnLcp* lcp, int row, int k) {
    int variable = lcp->n + k;
    if (is_basic(lcp, variable)) {
        return lcp->place[variable] == row ? 1.0 : 0.0;
    }
    return -coefficient(lcp, row, -1 - lcp->place[variable]);
}

// Of the tied rows keeps those whose k-th perturbation reaches zero first; returns how many.
static int keep_first(CnLcp* lcp, int column, int k) {
    double least = HUGE_VAL;
    int count = 0;
    for (int i = 0; i < lcp->n; ++i) {
        if (lcp->tied[i]) {
            least = fmin(least, perturbation(lcp, i, k) / -coefficient(lcp, i, column));
        }
    }
    for (int i = 0; i < lcp->n; ++i) {
        if (lcp->tied[i]) {
            double ratio = perturbation(lcp, i, k) / -coefficient(lcp, i, column);
            lcp->tied[i] = ratio <= least + TIE * fmax(1.0, fabs(least));
            count += lcp->tied[i] ? 1 : 0;
        }
    }
    return count;
}

// Marks the rows that reach zero first when the column's variable grows; returns how many.
static int find_ties(CnLcp* lcp, int column, double size) {
    double least = HUGE_VAL;
    int count = 0;
    for (int i = 0; i < lcp->n; ++i) {
        double rate = coefficient(lcp, i, column);
        lcp->tied[i] = rate < -SMALLEST_PIVOT;
        if (lcp->tied[i]) {
            least = fmin(least, fmax(constant(lcp, i), 0.0) / -rate);
        }
    }
    for (int i = 0; i < lcp->n; ++i) {
        if (lcp->tied[i]) {
            double ratio = fmax(constant(lcp, i), 0.0) / -coefficient(lcp, i, column);
            lcp->tied[i] = ratio <= least + TIE * size;
            count += lcp->tied[i] ? 1 : 0;
        }
    }
    return count;
}

// The row that leaves: z_0 if it may, else the first in the order of perturbations. -1: a ray.
static int find_leaving(CnLcp* lcp, int column, double size) {
    int count = find_ties(lcp, column, size);
    int z0_row = lcp->place[artificial(lcp)];
    if (z0_row >= 0 && lcp->tied[z0_row]) {
        return z0_row;
    }
    for (int k = 0; k < lcp->n && count > 1; ++k) {
        count = keep_first(lcp, column, k);
    }
    for (int i = 0; i < lcp->n; ++i) {
        if (lcp->tied[i]) {
            return i;
        }
    }
    return -1;
}

CnLcpEnd cn_lcp_solve(CnLcp* lcp, int max_pivots) {
    start(lcp);
    double size = largest_constant(lcp);
    int row = lcp->n > 0 ? find_first_row(lcp) : -1;
    if (row < 0 || constant(lcp, row) >= 0.0) {
        return CN_LCP_SOLVED;
    }
    int column = lcp->n; // of z_0, which enters first
    for (;;) {
        int leaving = lcp->basic[row];
        pivot(lcp, row, column);
        if (leaving == artificial(lcp)) {
            return CN_LCP_SOLVED;
        }
        if (lcp->pivots >= max_pivots || cn_budget_is_over(lcp->budget)) {
            return CN_LCP_EXHAUSTED;
        }
        int complement = leaving < lcp->n ? leaving + lcp->n : leaving - lcp->n;
        column = -1 - lcp->place[complement];
        row = find_leaving(lcp, column, size);
        if (row < 0) {
            bool zero = constant(lcp, lcp->place[artificial(lcp)]) <= ARTIFICIAL_ZERO * size;
            return zero ? CN_LCP_SOLVED : CN_LCP_RAY;
        }
    }
}

// Row i reads z_i = constant + sum of coefficient * w_k over the nonbasic w_k: nonzero w_k change
// z_i by that sum.
void cn_lcp_correct(CnLcp* lcp, const double* w) {
    for (int i = 0; i < lcp->n; ++i) {
        if (lcp->basic[i] >= lcp->n) { // not a z
            continue;
        }
        for (int column = 0; column <= lcp->n; ++column) {
            int k = lcp->nonbasic[column] - lcp->n;
            if (k >= 0 && k < lcp->n) {
                cn_lcp_row(lcp, i)[0] -= coefficient(lcp, i, column) * w[k];
            }
        }
    }
}
