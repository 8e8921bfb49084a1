// block_newton.c - semismooth Newton on all blocks of a small problem at once.
//
// Every block's law is written as Phi(u, p) = 0 (Alart and Curnier 1991 for contacts); a step
// solves (A W + B) dp = -Phi with A = dPhi/du and B = dPhi/dp. docs/theory/solvers/nsgs.md
// (12)-(16).
#include "solvers/sweep/block_newton.h"

#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "solvers/matrix/scaled_jacobian.h"
#include "solvers/newton/linearised.h"
#include <math.h>
#include <string.h>

// J L of row i times J L of row j, over the bodies they share, plus the terms of mechanisms.
static double coupling(const CnBlockSweep* sweep, const CnSweepBlock* x, int i,
                       const CnSweepBlock* y, int j) {
    const double(*jacobian)[12] = (const double(*)[12])sweep->jacobian;
    const int slots_x[CN_BLOCK_SIDES] = {x->slot_a, x->slot_b, x->slot_c, x->slot_d};
    const int slots_y[CN_BLOCK_SIDES] = {y->slot_a, y->slot_b, y->slot_c, y->slot_d};
    int sides_x = cn_block_sides(x->block), sides_y = cn_block_sides(y->block);
    double sum = 0.0;
    for (int a = 0; a < sides_x; ++a) {
        for (int b = 0; b < sides_y; ++b) {
            if (slots_x[a] == slots_y[b]) { // rows of the world's slot are zero
                sum += cn_dense_dot(6, cn_scaled_side(sweep->problem, jacobian, i, a),
                                    cn_scaled_side(sweep->problem, jacobian, j, b));
            }
        }
    }
    if (sweep->mechanisms != NULL) {
        sum += cn_mechanisms_coupling(sweep->mechanisms, (int)(x - sweep->blocks),
                                      i - x->block->first_row, (int)(y - sweep->blocks),
                                      j - y->block->first_row);
    }
    return sum;
}

// Bodies in mechanisms have the world's slot, so two blocks on one mechanism pass too.
static bool share_body(const CnSweepBlock* x, const CnSweepBlock* y) {
    bool has_second = cn_block_has_second(x->block) || cn_block_has_second(y->block);
    return has_second || x->slot_a == y->slot_a || x->slot_a == y->slot_b ||
           x->slot_b == y->slot_a || x->slot_b == y->slot_b;
}

static void assemble_pair(CnBlockNewton* newton, const CnBlockSweep* sweep, const CnSweepBlock* x,
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
            newton->w[(first + (size_t)i) * (size_t)newton->n + first + (size_t)j] =
                item->w[i * rows + j] / newton->weight[first + (size_t)j];
        }
    }
}

// The numbers of W; its diagonal blocks are overwritten afterwards.
static void copy_response(CnBlockNewton* newton, const CnResponse* response) {
    for (int i = 0; i < newton->n; ++i) {
        double* row = newton->w + (size_t)i * (size_t)newton->n;
        for (int e = response->start[i]; e < response->start[i + 1]; ++e) {
            row[response->column[e]] = response->value[e] / newton->weight[response->column[e]];
        }
    }
}

CnStatus cn_block_newton_init(CnBlockNewton* newton, const CnBlockSweep* sweep,
                              const double* weight, CnArena* arena) {
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
    if (sweep->response != NULL) {
        copy_response(newton, sweep->problem->response);
    }
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        for (int j = 0; sweep->response == NULL && j < sweep->problem->block_count; ++j) {
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
static void fill_row(CnBlockNewton* newton, const CnSweepBlock* item, const CnLinearised* law,
                     double raise, int i) {
    size_t n = (size_t)newton->n;
    size_t first = (size_t)item->block->first_row;
    double* row = newton->matrix + (first + (size_t)i) * n;
    memset(row, 0, n * sizeof(double));
    for (int k = 0; k < item->block->row_count; ++k) {
        if (law->a[i][k] != 0.0) {
            const double* w = newton->w + (first + (size_t)k) * n;
            cn_dense_add_scaled((int)n, law->a[i][k], w, row);
            row[first + (size_t)k] += raise * law->a[i][k] * w[first + (size_t)k];
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
    if (largest == 0.0) { // W_ii = 0: the row keeps its impulse
        row[first + (size_t)i] = 1.0;
    }
}

bool cn_block_newton_step(CnBlockNewton* newton, const CnBlockSweep* sweep, double raise,
                          double* p) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        const double* own = p + item->block->first_row;
        double u[CN_MAX_ROWS];
        CnLinearised law = {0};
        cn_sweep_row_velocity(sweep, item, own, u);
        cn_linearise_alart_curnier(sweep->problem, item->block, item->w, 1.0 / item->lambda_max, u,
                                   own, &law);
        for (int k = 0; k < item->block->row_count; ++k) {
            fill_row(newton, item, &law, raise, k);
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
