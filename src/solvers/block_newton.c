// block_newton.c - semismooth Newton on all blocks of a small problem at once.
//
// Every block's law is written as Phi(u, p) = 0 (Alart and Curnier 1991 for contacts); a step
// solves (A W + B) dp = -Phi with A = dPhi/du and B = dPhi/dp. docs/theory/nsgs.md (11)-(15).
#include "solvers/block_newton.h"

#include "constraints/friction_cone.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// Four contact points under one box make W singular. Raising its diagonal by this fraction picks
// one of the many answers; it is far above round-off and far below any eigenvalue that matters (a
// mass ratio of 1e6 makes eigenvalues of 1e-6). The equation solved stays the exact one.
#define DIAGONAL_RAISE 1e-12

// A block's law and its derivatives at one point.
typedef struct Linearised {
    double phi[CN_MAX_ROWS];
    double a[CN_MAX_ROWS][CN_MAX_ROWS]; // dPhi/du
    double b[CN_MAX_ROWS][CN_MAX_ROWS]; // dPhi/dp
} Linearised;

static void row_is_velocity(Linearised* law, int row, double u) { // Phi = u
    law->phi[row] = u;
    law->a[row][row] = 1.0;
}

static void row_is_impulse(Linearised* law, int row, double distance) { // Phi = p - given
    law->phi[row] = distance;
    law->b[row][row] = 1.0;
}

static void linearise_equality(const CnProblem* problem, const CnSweepBlock* item, const double* u,
                               const double* p, Linearised* law) {
    (void)problem;
    (void)p;
    for (int i = 0; i < item->block->row_count; ++i) {
        row_is_velocity(law, i, u[i]);
    }
}

static void linearise_bounds(const CnProblem* problem, const CnSweepBlock* item, const double* u,
                             const double* p, Linearised* law) {
    int n = item->block->row_count;
    for (int i = 0; i < n; ++i) {
        double lower = problem->lower[item->block->first_row + i];
        double upper = problem->upper[item->block->first_row + i];
        double k = item->w[i * n + i];
        double wanted = k > 0.0 ? p[i] - u[i] / k : p[i];
        if (wanted <= lower) {
            row_is_impulse(law, i, p[i] - lower);
        } else if (wanted >= upper) {
            row_is_impulse(law, i, p[i] - upper);
        } else {
            row_is_velocity(law, i, u[i]);
        }
    }
}

static void linearise_force(const CnProblem* problem, const CnSweepBlock* item, const double* u,
                            const double* p, Linearised* law) {
    for (int i = 0; i < item->block->row_count; ++i) {
        double slope = problem->slope[item->block->first_row + i];
        row_is_impulse(law, i, p[i] - problem->offset[item->block->first_row + i] + slope * u[i]);
        law->a[i][i] = slope;
    }
}

// Rows of a group that slides: Phi_g = p_g - mu d_N e with e = d_g / |d_g|, d = p - rho u.
static void linearise_slide(const CnSweepBlock* item, CnFrictionGroup group, double normal,
                            const double* d, double length, const double* p, Linearised* law) {
    double mu = item->block->friction;
    double turn = length > 0.0 ? mu * normal / length : 0.0; // how e turns with d_g
    for (int i = group.first; i < group.first + group.count; ++i) {
        double e = length > 0.0 ? d[i] / length : 0.0;
        law->phi[i] = p[i] - mu * normal * e;
        law->b[i][0] = -mu * e;
        law->a[i][0] = mu * e / item->w[0];
        for (int j = group.first; j < group.first + group.count; ++j) {
            double across = (i == j ? 1.0 : 0.0) - (length > 0.0 ? e * d[j] / length : 0.0);
            law->b[i][j] = (i == j ? 1.0 : 0.0) - turn * across;
            law->a[i][j] = turn * across / item->lambda_max;
        }
    }
}

static void linearise_group(const CnSweepBlock* item, CnFrictionGroup group, double normal,
                            const double* u, const double* p, Linearised* law) {
    double mu = item->block->friction;
    double d[CN_MAX_ROWS] = {0.0};
    for (int i = group.first; i < group.first + group.count; ++i) {
        d[i] = p[i] - u[i] / item->lambda_max;
    }
    double length = cn_friction_group_length(group, d);
    if (mu > 0.0 && length <= mu * normal) { // sticks
        for (int i = group.first; i < group.first + group.count; ++i) {
            row_is_velocity(law, i, u[i]);
        }
    } else {
        linearise_slide(item, group, normal, d, length, p, law);
    }
}

static void linearise_coulomb(const CnProblem* problem, const CnSweepBlock* item, const double* u,
                              const double* p, Linearised* law) {
    (void)problem;
    int n = item->block->row_count;
    double normal = p[0] - u[0] / item->w[0]; // d_N
    if (normal <= 0.0) {                      // open
        for (int i = 0; i < n; ++i) {
            row_is_impulse(law, i, p[i]);
        }
        return;
    }
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(n, groups);
    row_is_velocity(law, 0, u[0]);
    for (int g = 0; g < count; ++g) {
        linearise_group(item, groups[g], normal, u, p, law);
    }
}

typedef void Linearise(const CnProblem* problem, const CnSweepBlock* item, const double* u,
                       const double* p, Linearised* law);

static Linearise* const linearise[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = linearise_equality,
    [CN_LAW_BOUNDS] = linearise_bounds,
    [CN_LAW_COULOMB] = linearise_coulomb,
    [CN_LAW_FORCE] = linearise_force,
};

// J L of row i against J L of row j, over the bodies they share.
static double coupling(const CnSweep* sweep, const CnSweepBlock* x, int i, const CnSweepBlock* y,
                       int j) {
    const double* row_i = sweep->jacobian[i];
    const double* row_j = sweep->jacobian[j];
    const int slots_x[2] = {x->slot_a, x->slot_b};
    const int slots_y[2] = {y->slot_a, y->slot_b};
    double sum = 0.0;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
            if (slots_x[a] == slots_y[b]) { // rows of the world are zero
                sum += cn_dense_dot(6, row_i + 6 * a, row_j + 6 * b);
            }
        }
    }
    return sum;
}

static bool share_body(const CnSweepBlock* x, const CnSweepBlock* y) {
    return x->slot_a == y->slot_a || x->slot_a == y->slot_b || x->slot_b == y->slot_a ||
           x->slot_b == y->slot_b;
}

static void assemble_pair(CnBlockNewton* newton, const CnSweep* sweep, const CnSweepBlock* x,
                          const CnSweepBlock* y) {
    size_t n = (size_t)newton->n;
    for (int i = x->block->first_row; i < x->block->first_row + x->block->row_count; ++i) {
        for (int j = y->block->first_row; j < y->block->first_row + y->block->row_count; ++j) {
            newton->w[(size_t)i * n + (size_t)j] = coupling(sweep, x, i, y, j) / newton->weight[j];
        }
    }
}

// Blocks on the diagonal come from the sweep: they carry compliance.
static void assemble_own(CnBlockNewton* newton, const CnSweepBlock* item) {
    int rows = item->block->row_count;
    size_t first = (size_t)item->block->first_row;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            double raise = i == j ? 1.0 + DIAGONAL_RAISE : 1.0;
            newton->w[(first + (size_t)i) * (size_t)newton->n + first + (size_t)j] =
                raise * item->w[i * rows + j] / newton->weight[first + (size_t)j];
        }
    }
}

// The numbers of W beside its diagonal blocks, from block rows.
static void copy_response(CnBlockNewton* newton, const CnBlockRows* w) {
    for (int a = 0; a < w->block_count; ++a) {
        for (int e = w->start[a]; e < w->start[a + 1]; ++e) {
            int b = w->column[e];
            int columns = w->first_row[b + 1] - w->first_row[b];
            const double* value = &w->value[w->position[e]];
            for (int i = w->first_row[a]; b != a && i < w->first_row[a + 1]; ++i) {
                for (int j = 0; j < columns; ++j) {
                    size_t at = (size_t)i * (size_t)newton->n + (size_t)(w->first_row[b] + j);
                    newton->w[at] = *value++ / newton->weight[w->first_row[b] + j];
                }
            }
        }
    }
}

CnStatus cn_block_newton_init(CnBlockNewton* newton, const CnSweep* sweep, const double* weight,
                              CnArena* arena) {
    size_t n = (size_t)sweep->problem->row_count;
    *newton = (CnBlockNewton){
        .n = (int)n,
        .weight = weight,
        .w = CN_ARENA_NEW(arena, double, n* n),
        .matrix = CN_ARENA_NEW(arena, double, n* n),
        .step = CN_ARENA_NEW(arena, double, n),
        .pivot = CN_ARENA_NEW(arena, int, n),
    };
    if (newton->w == NULL || newton->matrix == NULL || newton->step == NULL ||
        newton->pivot == NULL) {
        return CN_NO_MEMORY;
    }
    if (sweep->assembled != NULL) {
        copy_response(newton, &sweep->assembled->w);
    }
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        for (int j = 0; sweep->assembled == NULL && j < sweep->problem->block_count; ++j) {
            if (i != j && share_body(&sweep->blocks[i], &sweep->blocks[j])) {
                assemble_pair(newton, sweep, &sweep->blocks[i], &sweep->blocks[j]);
            }
        }
        assemble_own(newton, &sweep->blocks[i]);
    }
    return CN_OK;
}

// Row i of A W + B for the scaled unknown weight * dp. Rows differ in unit, so each is divided by
// its largest entry: the pivots of different laws can then be compared.
static void fill_row(CnBlockNewton* newton, const CnSweepBlock* item, const Linearised* law,
                     int i) {
    size_t n = (size_t)newton->n;
    size_t first = (size_t)item->block->first_row;
    double* row = newton->matrix + (first + (size_t)i) * n;
    memset(row, 0, n * sizeof(double));
    for (int k = 0; k < item->block->row_count; ++k) {
        if (law->a[i][k] != 0.0) {
            cn_dense_add_scaled((int)n, law->a[i][k], newton->w + (first + (size_t)k) * n, row);
        }
        row[first + (size_t)k] += law->b[i][k] / newton->weight[first + (size_t)k];
    }
    double largest = 0.0;
    for (size_t j = 0; j < n; ++j) {
        largest = fmax(largest, fabs(row[j]));
    }
    double scale = largest > 0.0 ? 1.0 / largest : 0.0;
    for (size_t j = 0; j < n; ++j) {
        row[j] *= scale;
    }
    newton->step[first + (size_t)i] = -law->phi[i] * scale;
    if (largest == 0.0) { // nothing moves this row: it keeps its impulse
        row[first + (size_t)i] = 1.0;
    }
}

bool cn_block_newton_step(CnBlockNewton* newton, const CnSweep* sweep, double* p) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        const double* own = p + item->block->first_row;
        double u[CN_MAX_ROWS];
        Linearised law = {0};
        cn_sweep_feel(sweep, item, own, u);
        linearise[item->block->law](sweep->problem, item, u, own, &law);
        for (int k = 0; k < item->block->row_count; ++k) {
            fill_row(newton, item, &law, k);
        }
    }
    if (!cn_dense_lu_factor(newton->n, newton->matrix, newton->pivot)) {
        return false;
    }
    cn_dense_lu_solve(newton->n, newton->matrix, newton->pivot, newton->step);
    for (int i = 0; i < newton->n; ++i) {
        p[i] += newton->step[i] / newton->weight[i];
    }
    return true;
}
