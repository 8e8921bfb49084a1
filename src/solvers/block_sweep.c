// block_sweep.c - block Gauss-Seidel sweeps: each block in turn gets its exact answer.
#include "solvers/block_sweep.h"

#include "constraints/block.h"
#include "constraints/friction_cone.h"
#include "solvers/root_jacobian.h"
#include <float.h>
#include <math.h>
#include <string.h>

// A pass over a bounds block changes its free set; it has at most 3^6 of them, and in practice two
// or three passes settle it. What remains is left to the next sweep.
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

// What row i of W_aa gives for x beyond the symmetric matrix that has been factored, which is made
// of the lower triangle: nothing for bodies.
static double skew_product(const CnSweepBlock* item, int i, const double* x) {
    int n = item->block->row_count;
    double sum = 0.0;
    for (int j = i + 1; j < n; ++j) {
        sum += (item->w[i * n + j] - item->w[j * n + i]) * x[j];
    }
    return sum;
}

// u = 0: p = -W^-1 q; of redundant rows the first ones carry everything.
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

// One scalar sweep over the rows of a bounds block. A row that nothing can move keeps its impulse.
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

// Solves the rows strictly between their bounds as equalities, all together. True when the answer
// stays between them, so that only signs of the bound rows remain to be checked.
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

// Scalar sweeps find which rows are at a bound; solving the others directly ends them.
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

// Contacts are the many; their solve is called directly.
static const Rule rules[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = {prepare_equality, solve_equality},
    [CN_LAW_BOUNDS] = {prepare_bounds, solve_bounds},
    [CN_LAW_COULOMB] = {prepare_coulomb, NULL},
    [CN_LAW_FORCE] = {prepare_force, solve_force},
};

static CnStatus prepare_block(CnSweep* sweep, int index, double* w, CnArena* arena) {
    const CnProblem* problem = sweep->problem;
    const CnBlock* block = &problem->blocks[index];
    CnSweepBlock* item = &sweep->blocks[index];
    item->block = block;
    item->slot_a = block->body_a >= 0 ? block->body_a : problem->body_count;
    item->slot_b = block->body_b >= 0 ? block->body_b : problem->body_count;
    item->w = w;
    cn_block_delassus(problem, block, w);
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_add_own(sweep->mechanisms, index, w);
    }
    item->lambda_max = cn_block_largest_eigenvalue(w, block->row_count);
    return rules[block->law].prepare(problem, item, arena);
}

// q = J v_free - target, for all rows.
static void free_row_velocity(const CnSweep* sweep) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        cn_block_free_velocity(sweep->problem, block, sweep->q + block->first_row);
    }
}

static CnStatus prepare_response(CnSweep* sweep, CnArena* arena) {
    sweep->assembled = CN_ARENA_NEW(arena, CnAssembled, 1);
    return sweep->assembled == NULL ? CN_NO_MEMORY
                                    : cn_assemble(sweep->problem, arena, sweep->assembled);
}

static void find_size(CnSweep* sweep) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            double q = sweep->q[block->first_row + k];
            sweep->size.trace += sweep->blocks[i].w[k * block->row_count + k];
            sweep->size.q_square += q * q;
        }
    }
}

static CnStatus prepare(CnSweep* sweep, const CnProblem* problem, CnMechanisms* mechanisms,
                        double over_relaxation, CnArena* arena) {
    size_t bodies = (size_t)problem->body_count;
    size_t rows = (size_t)problem->row_count;
    size_t w_size = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        w_size += (size_t)(problem->blocks[i].row_count * problem->blocks[i].row_count);
    }
    *sweep = (CnSweep){
        .problem = problem,
        .mechanisms = mechanisms,
        .blocks = CN_ARENA_NEW(arena, CnSweepBlock, problem->block_count),
        .q = CN_ARENA_NEW(arena, double, rows),
        .y = cn_arena_allocate(arena, bodies + 1, sizeof(double[CN_SWEEP_STRIDE])),
        .over_relaxation = over_relaxation,
    };
    double* w = CN_ARENA_NEW(arena, double, w_size);
    if (sweep->blocks == NULL || sweep->q == NULL || sweep->y == NULL || w == NULL ||
        (problem->response != NULL ? prepare_response(sweep, arena)
                                   : cn_root_jacobian(problem, arena, &sweep->jacobian)) != CN_OK) {
        return CN_NO_MEMORY;
    }
    free_row_velocity(sweep);
    for (int i = 0; i < problem->block_count; ++i) {
        if (prepare_block(sweep, i, w, arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
        w += problem->blocks[i].row_count * problem->blocks[i].row_count;
    }
    find_size(sweep);
    return CN_OK;
}

CnStatus cn_sweep_prepare(CnSweep* sweep, const CnProblem* problem, double over_relaxation,
                          CnArena* arena) {
    return prepare(sweep, problem, NULL, over_relaxation, arena);
}

CnStatus cn_sweep_prepare_mechanisms(CnSweep* sweep, CnMechanisms* mechanisms,
                                     double over_relaxation, CnArena* arena) {
    return prepare(sweep, &mechanisms->problem, mechanisms, over_relaxation, arena);
}

// y += (J L)^T dp. Here and below n is the row_count, written out so that the common case of three
// rows is compiled for three.
static inline void push(CnSweep* sweep, const CnSweepBlock* item, int n, const double* dp) {
    if (sweep->assembled != NULL) {
        return;
    }
    double* ya = sweep->y[item->slot_a];
    double* yb = sweep->y[item->slot_b];
    const double(*j)[12] = (const double(*)[12])sweep->jacobian + item->block->first_row;
    for (int k = 0; k < 6; ++k) {
        double change_a = 0.0, change_b = 0.0;
        for (int i = 0; i < n; ++i) {
            change_a += j[i][k] * dp[i];
            change_b += j[i][6 + k] * dp[i];
        }
        ya[k] += change_a;
        yb[k] += change_b;
    }
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_push(sweep->mechanisms, (int)(item - sweep->blocks), dp);
    }
}

void cn_sweep_set_impulse(CnSweep* sweep, const double* p) {
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_clear(sweep->mechanisms);
    }
    memset(sweep->y, 0, (size_t)(sweep->problem->body_count + 1) * sizeof *sweep->y);
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        push(sweep, item, item->block->row_count, p + item->block->first_row);
    }
}

// u = W p + q of one block, from its block row.
static void feel_response(const CnSweep* sweep, const CnSweepBlock* item, const double* p,
                          double* u) {
    int first = item->block->first_row;
    int block = (int)(item - sweep->blocks);
    cn_block_rows_multiply_block(&sweep->assembled->w, block, p - first, u);
    for (int i = 0; i < item->block->row_count; ++i) {
        u[i] += sweep->q[first + i];
    }
}

static inline void feel(const CnSweep* sweep, const CnSweepBlock* item, int n, const double* p,
                        double* u) {
    if (sweep->assembled != NULL) {
        feel_response(sweep, item, p, u);
        return;
    }
    const double* ya = sweep->y[item->slot_a];
    const double* yb = sweep->y[item->slot_b];
    int first = item->block->first_row;
    for (int i = 0; i < n; ++i) {
        const double* j = sweep->jacobian[first + i];
        double a =
            j[0] * ya[0] + j[1] * ya[1] + j[2] * ya[2] + j[3] * ya[3] + j[4] * ya[4] + j[5] * ya[5];
        double b = j[6] * yb[0] + j[7] * yb[1] + j[8] * yb[2] + j[9] * yb[3] + j[10] * yb[4] +
                   j[11] * yb[5];
        u[i] = sweep->q[first + i] + sweep->problem->compliance[first + i] * p[i] + (a + b);
    }
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_feel(sweep->mechanisms, (int)(item - sweep->blocks), u);
    }
}

void cn_sweep_feel(const CnSweep* sweep, const CnSweepBlock* item, const double* p, double* u) {
    feel(sweep, item, item->block->row_count, p, u);
}

// A step longer or shorter than the block's own answer; one that is longer may leave the set.
static void relax(const CnSweep* sweep, const CnSweepBlock* item, const double* old, double* p) {
    const CnBlock* block = item->block;
    for (int i = 0; i < block->row_count; ++i) {
        p[i] = old[i] + sweep->over_relaxation * (p[i] - old[i]);
    }
    if (block->law == CN_LAW_COULOMB) {
        cn_friction_cone_project(block->friction, block->row_count, p, p);
    } else if (block->law == CN_LAW_BOUNDS) {
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            p[i] = clamp(p[i], sweep->problem->lower[row], sweep->problem->upper[row]);
        }
    }
}

static void solve_contact(CnSweep* sweep, const CnSweepBlock* item, const double* q, double* p) {
    if (item->wide != NULL) {
        sweep->failed += !cn_wide_contact_solve(item->wide, q, p);
        return;
    }
    CnContactRoute route = cn_one_contact_solve(&item->contact, q, p);
    if (route > CN_ROUTE_SLIDE) {
        sweep->enumerated += route == CN_ROUTE_ENUMERATE;
        sweep->projected += route == CN_ROUTE_PROJECT;
        sweep->failed += route == CN_ROUTE_FAILED;
    }
}

static inline void visit(CnSweep* sweep, const CnSweepBlock* item, int n, double* impulse) {
    double* p = impulse + item->block->first_row;
    double q[CN_MAX_ROWS], old[CN_MAX_ROWS], dp[CN_MAX_ROWS];
    feel(sweep, item, n, p, q);
    for (int i = 0; i < n; ++i) { // what the rows would feel without this block's own impulse
        old[i] = p[i];
        for (int j = 0; j < n; ++j) {
            q[i] -= item->w[i * n + j] * p[j];
        }
    }
    if (item->block->law == CN_LAW_COULOMB) {
        solve_contact(sweep, item, q, p);
    } else {
        rules[item->block->law].solve(sweep->problem, item, q, p);
    }
    if (sweep->over_relaxation != 1.0) {
        relax(sweep, item, old, p);
    }
    for (int i = 0; i < n; ++i) {
        dp[i] = p[i] - old[i];
    }
    push(sweep, item, n, dp);
}

void cn_sweep_run(CnSweep* sweep, double* p) {
    int count = sweep->problem->block_count;
    for (int i = 0; i < count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[sweep->is_backward ? count - 1 - i : i];
        if (item->block->row_count == 3) {
            visit(sweep, item, 3, p);
        } else {
            visit(sweep, item, item->block->row_count, p);
        }
    }
    sweep->is_backward = !sweep->is_backward;
}

double cn_sweep_residual(const CnSweep* sweep, const double* p) {
    double worst = 0.0;
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        const double* own = p + item->block->first_row;
        double u[CN_MAX_ROWS];
        cn_sweep_feel(sweep, item, own, u);
        worst = fmax(worst, cn_block_residual(sweep->problem, item->block, item->w,
                                              item->lambda_max, u, own));
    }
    return worst;
}

double cn_sweep_relative_error(CnSweep* sweep, const double* p, CnArena* arena) {
    if (sweep->u == NULL) {
        sweep->u = CN_ARENA_NEW(arena, double, sweep->problem->row_count);
        if (sweep->u == NULL) {
            return HUGE_VAL;
        }
    }
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        int first = sweep->blocks[i].block->first_row;
        cn_sweep_feel(sweep, &sweep->blocks[i], p + first, sweep->u + first);
    }
    return cn_relative_error(sweep->problem, &sweep->size, p, sweep->u);
}

double cn_sweep_noise(const CnSweep* sweep, const double* p) {
    double largest = 0.0;
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        double square = 0.0;
        for (int k = 0; k < item->block->row_count; ++k) {
            square += p[item->block->first_row + k] * p[item->block->first_row + k];
        }
        largest = fmax(largest, item->lambda_max * sqrt(square));
    }
    return DBL_EPSILON * largest;
}
