// block_solve.c - solves the law of one block exactly, all other impulses held fixed.
#include "solvers/sweep/block_solve.h"

#include "constraints/problem/block.h"
#include <float.h>
#include <math.h>

// A pass over a bounds block changes its set of free rows. There are at most 3^6 such sets; in
// practice two or three passes find the right one. Otherwise the next sweep goes on from there.
#define BOUNDS_PASSES 30

// A row of a bounds block joins the free set when it is independent of those in it, to round-off.
#define DEPENDENT_ROW 1e-12

static CnStatus prepare_factor(CnSweepBlock* item, const double* matrix, CnArena* arena) {
    item->factor = CN_ARENA_NEW(arena, CnDenseLdlt, 1);
    if (item->factor == NULL ||
        cn_dense_ldlt_init(item->factor, item->block->row_count, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    cn_dense_ldlt_factor(item->factor, matrix);
    return CN_OK;
}

static CnStatus prepare_equality(const CnProblem* problem, CnSweepBlock* item, CnArena* arena) {
    (void)problem;
    return prepare_factor(item, item->w, arena);
}

static CnStatus prepare_bounds(const CnProblem* problem, CnSweepBlock* item, CnArena* arena) {
    (void)problem;
    item->free_rows = CN_ARENA_NEW(arena, CnCholesky, 1);
    return item->free_rows == NULL
               ? CN_NO_MEMORY
               : cn_cholesky_init(item->free_rows, item->w, item->block->row_count, arena);
}

static CnStatus prepare_coulomb(const CnProblem* problem, CnSweepBlock* item, CnArena* arena) {
    (void)problem;
    if (item->block->row_count > 3) {
        item->wide = CN_ARENA_NEW(arena, CnWideContact, 1);
        if (item->wide == NULL) {
            return CN_NO_MEMORY;
        }
        cn_wide_contact_init(item->wide, item->block->row_count, item->block->friction, item->w);
        return CN_OK;
    }
    cn_one_contact_init(&item->contact, item->block->row_count, item->block->friction, item->w,
                        item->lambda_max);
    return CN_OK;
}

static CnStatus prepare_force(const CnProblem* problem, CnSweepBlock* item, CnArena* arena) {
    int n = item->block->row_count;
    const double* slope = problem->slope + item->block->first_row;
    double matrix[CN_MAX_ROWS * CN_MAX_ROWS]; // 1 + S W S
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            matrix[i * n + j] =
                sqrt(slope[i]) * item->w[i * n + j] * sqrt(slope[j]) + (i == j ? 1.0 : 0.0);
        }
    }
    return prepare_factor(item, matrix, arena);
}

// The product of x with row i of W_aa minus its symmetric part, which has been factored from the
// lower triangle. Zero for problems given by bodies, whose W is symmetric.
static double skew_product(const CnSweepBlock* item, int i, const double* x) {
    int n = item->block->row_count;
    double sum = 0.0;
    for (int j = i + 1; j < n; ++j) {
        sum += (item->w[i * n + j] - item->w[j * n + i]) * x[j];
    }
    return sum;
}

// u = 0: p = -W^-1 q. Of redundant rows the first ones carry the whole load.
static void solve_equality(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                           double* p) {
    (void)problem;
    double rhs[CN_MAX_ROWS] = {0.0};
    for (int i = 0; i < item->block->row_count; ++i) {
        rhs[i] = -q[i] - skew_product(item, i, p);
    }
    cn_dense_ldlt_solve(item->factor, rhs, p);
}

// With p = offset + S y the law p = offset - slope (W p + q) reads (1 + S W S) y = -S (W offset +
// q): symmetric, and well posed for any slope >= 0.
static void solve_force(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                        double* p) {
    int n = item->block->row_count;
    const double* offset = problem->offset + item->block->first_row;
    const double* slope = problem->slope + item->block->first_row;
    double y[CN_MAX_ROWS] = {0.0}, change[CN_MAX_ROWS] = {0.0};
    for (int i = 0; i < n; ++i) {
        change[i] = p[i] - offset[i];
    }
    for (int i = 0; i < n; ++i) {
        double sum = q[i] + skew_product(item, i, change);
        for (int j = 0; j < n; ++j) {
            sum += item->w[i * n + j] * offset[j];
        }
        y[i] = -sqrt(slope[i]) * sum;
    }
    cn_dense_ldlt_solve(item->factor, y, y);
    for (int i = 0; i < n; ++i) {
        p[i] = offset[i] + sqrt(slope[i]) * y[i];
    }
}

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

// One scalar sweep over the rows of a bounds block. A row with W_ii = 0 keeps its impulse.
static void sweep_bounds(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                         double* p) {
    int n = item->block->row_count;
    const double* w = item->w;
    for (int i = 0; i < n; ++i) {
        int row = item->block->first_row + i;
        double u = q[i];
        for (int j = 0; j < n; ++j) {
            u += w[i * n + j] * p[j];
        }
        if (w[i * n + i] > 0.0) {
            p[i] = clamp(p[i] - u / w[i * n + i], problem->lower[row], problem->upper[row]);
        }
    }
}

// Solves the rows strictly between their bounds as equalities, all together. True when the solution
// stays between them, so that only the signs of the rows at a bound remain to be checked.
static bool solve_free_rows(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                            double* p) {
    int n = item->block->row_count;
    int first = item->block->first_row;
    CnCholesky* free_rows = item->free_rows;
    free_rows->count = 0;
    for (int i = 0; i < n; ++i) {
        if (p[i] > problem->lower[first + i] && p[i] < problem->upper[first + i]) {
            cn_cholesky_add(free_rows, i, DEPENDENT_ROW * item->w[i * n + i]);
        }
    }
    double change[CN_MAX_ROWS] = {0.0};
    for (int k = 0; k < free_rows->count; ++k) {
        int i = free_rows->row[k];
        change[k] = -q[i];
        for (int j = 0; j < n; ++j) {
            change[k] -= item->w[i * n + j] * p[j];
        }
    }
    cn_cholesky_solve(free_rows, change);
    bool inside = true;
    for (int k = 0; k < free_rows->count; ++k) {
        int row = first + free_rows->row[k];
        double moved = p[free_rows->row[k]] + change[k];
        inside = inside && moved >= problem->lower[row] && moved <= problem->upper[row];
    }
    for (int k = 0; inside && k < free_rows->count; ++k) {
        p[free_rows->row[k]] += change[k];
    }
    return inside;
}

static double bounds_residual(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                              const double* p) {
    int n = item->block->row_count;
    double u[CN_MAX_ROWS];
    for (int i = 0; i < n; ++i) {
        u[i] = q[i];
        for (int j = 0; j < n; ++j) {
            u[i] += item->w[i * n + j] * p[j];
        }
    }
    return cn_block_residual(problem, item->block, item->w, item->lambda_max, u, p);
}

// Scalar sweeps find which rows are at a bound; the free rows are then solved directly.
static void solve_bounds(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                         double* p) {
    int n = item->block->row_count;
    sweep_bounds(problem, item, q, p);
    if (n == 1) {
        return;
    }
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size += fabs(q[i]) + item->lambda_max * fabs(p[i]);
    }
    for (int pass = 0; pass < BOUNDS_PASSES; ++pass) {
        bool inside = solve_free_rows(problem, item, q, p);
        if (inside && bounds_residual(problem, item, q, p) <= 16.0 * DBL_EPSILON * size) {
            return;
        }
        sweep_bounds(problem, item, q, p);
    }
}

typedef struct Rule {
    CnStatus (*prepare)(const CnProblem* problem, CnSweepBlock* item, CnArena* arena);
    void (*solve)(const CnProblem* problem, const CnSweepBlock* item, const double* q, double* p);
} Rule;

static const Rule rules[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = {prepare_equality, solve_equality},
    [CN_LAW_BOUNDS] = {prepare_bounds, solve_bounds},
    [CN_LAW_COULOMB] = {prepare_coulomb, NULL}, // cn_block_solve: it also returns the route
    [CN_LAW_FORCE] = {prepare_force, solve_force},
};

CnStatus cn_block_solve_prepare(const CnProblem* problem, CnSweepBlock* item, CnArena* arena) {
    item->lambda_max = cn_block_largest_eigenvalue(item->w, item->block->row_count);
    return rules[item->block->law].prepare(problem, item, arena);
}

CnContactRoute cn_block_solve(const CnProblem* problem, const CnSweepBlock* item, const double* q,
                              double* p) {
    if (item->block->law != CN_LAW_COULOMB) {
        rules[item->block->law].solve(problem, item, q, p);
        return CN_ROUTE_TAKE_OFF;
    }
    if (item->wide != NULL) {
        return cn_wide_contact_solve(item->wide, q, p) ? CN_ROUTE_SLIDE : CN_ROUTE_FAILED;
    }
    return cn_one_contact_solve(&item->contact, q, p);
}
