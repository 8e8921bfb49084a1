// block_sweep.c - block Gauss-Seidel sweeps: each block in turn is solved exactly.
#include "solvers/sweep/block_sweep.h"

#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "math/simd.h"
#include "solvers/matrix/scaled_jacobian.h"
#include <float.h>
#include <math.h>
#include <string.h>

static bool rows_are_aligned(const CnResponse* response, const CnBlock* block) {
    const int* start = response->start + block->first_row;
    int count = start[1] - start[0];
    bool aligned = true;
    for (int i = 1; i < block->row_count && aligned; ++i) {
        aligned = start[i + 1] - start[i] == count &&
                  memcmp(response->column + start[0], response->column + start[i],
                         (size_t)count * sizeof(int)) == 0;
    }
    return aligned;
}

static CnStatus prepare_block(CnBlockSweep* sweep, int index, double* w, CnArena* arena) {
    const CnProblem* problem = sweep->problem;
    const CnBlock* block = &problem->blocks[index];
    CnSweepBlock* item = &sweep->blocks[index];
    item->block = block;
    item->slot_a = block->body_a >= 0 ? block->body_a : problem->body_count;
    item->slot_b = block->body_b >= 0 ? block->body_b : problem->body_count;
    item->slot_c = block->second[0] > 0 ? block->second[0] - 1 : problem->body_count;
    item->slot_d = block->second[1] > 0 ? block->second[1] - 1 : problem->body_count;
    item->w = w;
    cn_block_delassus(problem, block, w);
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_add_own(sweep->mechanisms, index, w);
    }
    item->is_aligned = sweep->response != NULL && rows_are_aligned(sweep->response, block);
    return cn_block_solve_prepare(problem, item, arena);
}

// q = J v_free - target, for all rows.
static void free_row_velocity(const CnBlockSweep* sweep) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        cn_block_free_velocity(sweep->problem, block, sweep->q + block->first_row);
    }
}

static void find_size(CnBlockSweep* sweep) {
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            double q = sweep->q[block->first_row + k];
            sweep->size.trace += sweep->blocks[i].w[k * block->row_count + k];
            sweep->size.q_square += q * q;
        }
    }
}

static CnStatus prepare(CnBlockSweep* sweep, const CnProblem* problem, CnMechanisms* mechanisms,
                        double over_relaxation, CnArena* arena) {
    size_t bodies = (size_t)problem->body_count;
    size_t rows = (size_t)problem->row_count;
    size_t w_size = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        w_size += (size_t)(problem->blocks[i].row_count * problem->blocks[i].row_count);
    }
    *sweep = (CnBlockSweep){
        .problem = problem,
        .response = problem->response,
        .mechanisms = mechanisms,
        .blocks = CN_ARENA_NEW(arena, CnSweepBlock, problem->block_count),
        .q = CN_ARENA_NEW(arena, double, rows),
        .y = cn_arena_allocate(arena, bodies + 1, sizeof(double[CN_SWEEP_STRIDE])),
        .over_relaxation = over_relaxation,
    };
    double* w = CN_ARENA_NEW(arena, double, w_size);
    if (sweep->blocks == NULL || sweep->q == NULL || sweep->y == NULL || w == NULL ||
        (problem->response == NULL &&
         cn_scaled_jacobian(problem, arena, &sweep->jacobian) != CN_OK)) {
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

CnStatus cn_sweep_prepare(CnBlockSweep* sweep, const CnProblem* problem, double over_relaxation,
                          CnArena* arena) {
    return prepare(sweep, problem, NULL, over_relaxation, arena);
}

CnStatus cn_sweep_prepare_mechanisms(CnBlockSweep* sweep, CnMechanisms* mechanisms,
                                     double over_relaxation, CnArena* arena) {
    return prepare(sweep, &mechanisms->problem, mechanisms, over_relaxation, arena);
}

CnStatus cn_sweep_set_order(CnBlockSweep* sweep, int seed, int freeze_after, CnArena* arena) {
    sweep->order = CN_ARENA_NEW(arena, CnSweepOrder, 1);
    return sweep->order == NULL ? CN_NO_MEMORY
                                : cn_sweep_order_init(sweep->order, sweep->problem->block_count,
                                                      seed, freeze_after, arena);
}

// y += (J L)^T dp of a second pair.
static void apply_second(CnBlockSweep* sweep, const CnSweepBlock* item, const double* dp) {
    const double(*j)[12] =
        (const double(*)[12])sweep->jacobian + sweep->problem->row_count + item->block->first_row;
    for (int i = 0; i < item->block->row_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            sweep->y[item->slot_c][k] += j[i][k] * dp[i];
            sweep->y[item->slot_d][k] += j[i][6 + k] * dp[i];
        }
    }
}

// y += (J L)^T dp. Here and below n is the row_count, an argument so that the common case of three
// rows is compiled for three.
static inline void apply(CnBlockSweep* sweep, const CnSweepBlock* item, int n, const double* dp) {
    if (sweep->response != NULL) { // rows read p itself
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
    if (cn_block_has_second(item->block)) {
        apply_second(sweep, item, dp);
    }
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_apply(sweep->mechanisms, (int)(item - sweep->blocks), dp);
    }
}

void cn_sweep_set_impulse(CnBlockSweep* sweep, const double* p) {
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_clear(sweep->mechanisms);
    }
    memset(sweep->y, 0, (size_t)(sweep->problem->body_count + 1) * sizeof *sweep->y);
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        apply(sweep, item, item->block->row_count, p + item->block->first_row);
    }
}

// u += J L y of a second pair.
static void add_second_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, double* u) {
    const double(*j)[12] =
        (const double(*)[12])sweep->jacobian + sweep->problem->row_count + item->block->first_row;
    for (int i = 0; i < item->block->row_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            u[i] += j[i][k] * sweep->y[item->slot_c][k];
            u[i] += j[i][6 + k] * sweep->y[item->slot_d][k];
        }
    }
}

// u of a block from the velocities of its bodies, its own impulse p included.
static inline void add_bodies_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, int n,
                                       const double* p, double* u) {
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
    if (cn_block_has_second(item->block)) {
        add_second_velocity(sweep, item, u);
    }
    if (sweep->mechanisms != NULL) {
        cn_mechanisms_add_velocity(sweep->mechanisms, (int)(item - sweep->blocks), u);
    }
}

static inline CnDouble2 pair_at(const double* x) {
    CnDouble2 pair;
    memcpy(&pair, x, sizeof pair);
    return pair;
}

// u += W p for three rows with entries in the same columns. Even and odd columns have separate
// sums, which shortens the chain of additions; the order is written out, so that all compilers
// agree.
static inline void multiply_aligned(const CnResponse* response, int row, const double* impulse,
                                    double* u) {
    int count = response->start[row + 1] - response->start[row];
    const int* column = response->column + response->start[row];
    const double* w0 = response->value + response->start[row];
    const double* w1 = response->value + response->start[row + 1];
    const double* w2 = response->value + response->start[row + 2];
    CnDouble2 sum0 = {0.0, 0.0}, sum1 = {0.0, 0.0}, sum2 = {0.0, 0.0};
    for (int k = 0; k + 1 < count; k += 2) {
        const CnDouble2 p = {impulse[column[k]], impulse[column[k + 1]]};
        sum0 += pair_at(w0 + k) * p;
        sum1 += pair_at(w1 + k) * p;
        sum2 += pair_at(w2 + k) * p;
    }
    if (count % 2 == 1) {
        double last = impulse[column[count - 1]];
        sum0[0] += w0[count - 1] * last;
        sum1[0] += w1[count - 1] * last;
        sum2[0] += w2[count - 1] * last;
    }
    u[0] += sum0[0] + sum0[1];
    u[1] += sum1[0] + sum1[1];
    u[2] += sum2[0] + sum2[1];
}

// u of a block from the matrix W of a response, its own impulse included.
static inline void add_response_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, int n,
                                         const double* impulse, double* u) {
    const CnResponse* response = sweep->response;
    int first = item->block->first_row;
    for (int i = 0; i < n; ++i) {
        u[i] = sweep->q[first + i] + sweep->problem->compliance[first + i] * impulse[first + i];
    }
    if (n == 3 && item->is_aligned) {
        multiply_aligned(response, first, impulse, u);
        return;
    }
    for (int i = 0; i < n; ++i) {
        for (int e = response->start[first + i]; e < response->start[first + i + 1]; ++e) {
            u[i] += response->value[e] * impulse[response->column[e]];
        }
    }
}

static inline void row_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, int n,
                                const double* p, double* u) {
    if (sweep->response != NULL) {
        add_response_velocity(sweep, item, n, p - item->block->first_row, u);
    } else {
        add_bodies_velocity(sweep, item, n, p, u);
    }
}

void cn_sweep_row_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item, const double* p,
                           double* u) {
    if (item->block->row_count == 3) {
        row_velocity(sweep, item, 3, p, u);
    } else {
        row_velocity(sweep, item, item->block->row_count, p, u);
    }
}

// Over- or under-relaxation of the block's step, projected back onto its admissible set.
static void relax(const CnBlockSweep* sweep, const CnSweepBlock* item, const double* old,
                  double* p) {
    const CnBlock* block = item->block;
    for (int i = 0; i < block->row_count; ++i) {
        p[i] = old[i] + sweep->over_relaxation * (p[i] - old[i]);
    }
    if (block->law == CN_LAW_COULOMB) {
        cn_friction_cone_project(block->friction, block->row_count, p, p);
    } else if (block->law == CN_LAW_BOUNDS) {
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            p[i] = fmin(fmax(p[i], sweep->problem->lower[row]), sweep->problem->upper[row]);
        }
    }
}

static void count_route(CnBlockSweep* sweep, CnContactRoute route) {
    sweep->enumerated += route == CN_ROUTE_ENUMERATE;
    sweep->projected += route == CN_ROUTE_PROJECT;
    sweep->failed += route == CN_ROUTE_FAILED;
}

// Returns |dp|^2.
static inline double visit(CnBlockSweep* sweep, const CnSweepBlock* item, int n, double* impulse) {
    double* p = impulse + item->block->first_row;
    double q[CN_MAX_ROWS], old[CN_MAX_ROWS], dp[CN_MAX_ROWS];
    row_velocity(sweep, item, n, p, q);
    for (int i = 0; i < n; ++i) { // u without this block's own impulse
        old[i] = p[i];
        for (int j = 0; j < n; ++j) {
            q[i] -= item->w[i * n + j] * p[j];
        }
    }
    double work_before = item->wide == NULL ? 0.0 : item->wide->work;
    CnContactRoute route = cn_block_solve(sweep->problem, item, q, p);
    if (route > CN_ROUTE_SLIDE) {
        count_route(sweep, route);
    }
    if (item->wide != NULL) {
        sweep->extra_work += item->wide->work - work_before;
    }
    if (sweep->over_relaxation != 1.0) {
        relax(sweep, item, old, p);
    }
    double square = 0.0;
    for (int i = 0; i < n; ++i) {
        dp[i] = p[i] - old[i];
        square += dp[i] * dp[i];
    }
    double scaled = item->lambda_max * item->lambda_max * square;
    sweep->step_square += square;
    sweep->largest_square = scaled > sweep->largest_square ? scaled : sweep->largest_square;
    apply(sweep, item, n, dp);
    return square;
}

static inline double visit_block(CnBlockSweep* sweep, int block, double* p) {
    const CnSweepBlock* item = &sweep->blocks[block];
    return item->block->row_count == 3 ? visit(sweep, item, 3, p)
                                       : visit(sweep, item, item->block->row_count, p);
}

double cn_sweep_visit(CnBlockSweep* sweep, int block, double* p) {
    return visit_block(sweep, block, p);
}

void cn_sweep_apply(CnBlockSweep* sweep, int block, const double* dp) {
    apply(sweep, &sweep->blocks[block], sweep->problem->blocks[block].row_count, dp);
}

static void run_in_order(CnBlockSweep* sweep, CnSweepOrder* order, double* p) {
    for (int i = 0; i < order->block_count; ++i) {
        int block = order->order[i];
        if (!cn_sweep_order_skips(order, block)) {
            cn_sweep_order_note(order, block, visit_block(sweep, block, p));
        }
    }
}

void cn_sweep_run(CnBlockSweep* sweep, double* p) {
    if (sweep->order != NULL) {
        cn_sweep_order_begin(sweep->order, sweep->step_square);
    }
    sweep->step_square = 0.0;
    sweep->largest_square = 0.0;
    if (sweep->order != NULL) {
        run_in_order(sweep, sweep->order, p);
        return;
    }
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        visit_block(sweep, i, p);
    }
}

double cn_sweep_residual(const CnBlockSweep* sweep, const double* p) {
    double worst = 0.0;
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        const double* own = p + item->block->first_row;
        double u[CN_MAX_ROWS];
        cn_sweep_row_velocity(sweep, item, own, u);
        worst = fmax(worst, cn_block_residual(sweep->problem, item->block, item->w,
                                              item->lambda_max, u, own));
    }
    return worst;
}

double cn_sweep_certified_residual(const CnBlockSweep* sweep, const double* p,
                                   double (*velocity)[6]) {
    const CnProblem* problem = sweep->problem;
    double worst = 0.0;
    cn_problem_velocity(problem, p, velocity);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnSweepBlock* item = &sweep->blocks[i];
        double u[CN_MAX_ROWS];
        cn_block_velocity(problem, item->block, (const double(*)[6])velocity, p, u);
        worst = fmax(worst, cn_block_residual(problem, item->block, item->w, item->lambda_max, u,
                                              p + item->block->first_row));
    }
    return worst;
}

double cn_sweep_relative_error(CnBlockSweep* sweep, const double* p, CnArena* arena) {
    if (sweep->u == NULL) {
        sweep->u = CN_ARENA_NEW(arena, double, sweep->problem->row_count);
        if (sweep->u == NULL) {
            return HUGE_VAL;
        }
    }
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        int first = sweep->blocks[i].block->first_row;
        cn_sweep_row_velocity(sweep, &sweep->blocks[i], p + first, sweep->u + first);
    }
    return cn_relative_error(sweep->problem, &sweep->size, p, sweep->u);
}

double cn_sweep_noise(const CnBlockSweep* sweep, const double* p) {
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
