// rest_rows.c - impulses that take velocities from rows that hold, by a factor over bodies.
//
// With G = J L and M^-1 = L L^T the matrix of masses is the identity, and the change is
// D^-1 G K^-1 K^-1 G^T D^-1 right with K = G^T D^-1 G.
#include "solvers/rest/rest_rows.h"

#include "constraints/problem/block.h"
#include "linalg/blocks/block_cholesky.h"
#include "linalg/dense.h"
#include "solvers/matrix/body_matrix.h"
#include "solvers/matrix/scaled_jacobian.h"
#include <math.h>
#include <string.h>

// The first correction leaves round-off of what there was; the second, of its own.
#define MAX_ROUNDS 3

// As in rest_factor.c: a motion that nothing resists.
#define LOOSE_PIVOT 0x1p-36

// Multiplications of a correction for each row: seven products with a row of G.
#define WORK_OF_ROW 84.0

typedef struct Work {
    CnBodyMatrix bodies;
    CnBlockCholesky cholesky;
    double* y;        // [6 nodes]
    double *x, *felt; // [row_count]
} Work;

static CnStatus plan(Work* work, const CnRestRows* rows, CnArena* arena) {
    const CnProblem* problem = rows->problem;
    CnStatus status = cn_body_matrix_init(&work->bodies, problem, arena);
    CnBodyPairs pairs;
    if (status != CN_OK || cn_body_pairs_list(problem, work->bodies.node, arena, &pairs) != CN_OK) {
        return CN_NO_MEMORY;
    }
    int nodes = work->bodies.matrix.block_count;
    work->y = CN_ARENA_NEW(arena, double, 6 * (size_t)nodes);
    work->x = CN_ARENA_NEW(arena, double, problem->row_count);
    work->felt = CN_ARENA_NEW(arena, double, problem->row_count);
    if (work->y == NULL || work->x == NULL || work->felt == NULL) {
        return CN_NO_MEMORY;
    }
    return cn_block_cholesky_plan(&work->cholesky, nodes, pairs.count, pairs.first, pairs.second,
                                  rows->limit, arena, arena);
}

static int node_on(const Work* work, const CnBlock* block, int side) {
    int body = cn_block_body(block, side);
    return body < 0 ? -1 : work->bodies.node[body];
}

// K += G^T D^-1 G of the rows of one block that hold, through two of its sides, i <= k.
static void add_sides(Work* work, const CnRestRows* rows, const CnBlock* block, int i, int k) {
    const CnBodyMatrix* bodies = &work->bodies;
    const double(*jacobian)[12] = (const double(*)[12])bodies->jacobian;
    double sum[CN_CHOLESKY_NUMBERS] = {0.0};
    if (node_on(work, block, i) < 0 || node_on(work, block, k) < 0) {
        return;
    }
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        const double* g_i = cn_scaled_side(bodies->problem, jacobian, row, i);
        const double* g_k = cn_scaled_side(bodies->problem, jacobian, row, k);
        for (int c = 0; rows->holds[row] && c < 6; ++c) {
            cn_dense_add_scaled(6, g_k[c] / rows->diagonal[row], g_i, sum + 6 * c);
        }
    }
    cn_block_cholesky_add(&work->cholesky, node_on(work, block, i), node_on(work, block, k), sum);
}

// First each side with itself, then each with those before it.
static void add_block(Work* work, const CnRestRows* rows, const CnBlock* block) {
    int sides = cn_block_sides(block);
    for (int i = 0; i < sides; ++i) {
        add_sides(work, rows, block, i, i);
    }
    for (int k = 1; k < sides; ++k) {
        for (int i = 0; i < k; ++i) {
            add_sides(work, rows, block, i, k);
        }
    }
}

static bool make_factor(Work* work, const CnRestRows* rows) {
    cn_block_cholesky_clear(&work->cholesky);
    for (int i = 0; i < rows->problem->block_count; ++i) {
        add_block(work, rows, &rows->problem->blocks[i]);
    }
    return cn_block_cholesky_factor(&work->cholesky, LOOSE_PIVOT);
}

// x = D^-1 r of the rows that hold
static void divide(const CnRestRows* rows, const double* r, double* x) {
    for (int i = 0; i < rows->problem->row_count; ++i) {
        x[i] = rows->holds[i] ? r[i] / rows->diagonal[i] : 0.0;
    }
}

// G y, and its length over the rows that hold.
static double feel(Work* work, const CnRestRows* rows) {
    double square = 0.0;
    cn_body_matrix_feel(&work->bodies, work->y, work->felt);
    for (int i = 0; i < rows->problem->row_count; ++i) {
        square += rows->holds[i] ? work->felt[i] * work->felt[i] : 0.0;
    }
    return sqrt(square);
}

// Adds one correction to dp; false when nothing is left that one could take away.
static bool correct(Work* work, CnRestRows* rows, double* before, double* dp) {
    divide(rows, rows->right, work->x);
    cn_body_matrix_push(&work->bodies, work->x, work->y);
    cn_block_cholesky_solve(&work->cholesky, work->y);
    double size = feel(work, rows);
    if (size <= rows->goal || !(size < *before)) {
        return false;
    }
    *before = size;
    cn_block_cholesky_solve(&work->cholesky, work->y);
    feel(work, rows);
    divide(rows, work->felt, work->x);
    cn_body_matrix_push(&work->bodies, work->x, work->y);
    feel(work, rows);
    for (int i = 0; i < rows->problem->row_count; ++i) {
        dp[i] += work->x[i];
        rows->right[i] -= rows->holds[i] ? work->felt[i] : 0.0;
    }
    return true;
}

CnStatus cn_rest_rows_solve(CnRestRows* rows, CnArena* arena, double* dp) {
    CnArenaMark mark = cn_arena_mark(arena);
    Work work;
    rows->is_held = false;
    rows->rounds = 0;
    rows->work = 0.0;
    CnStatus status = plan(&work, rows, arena);
    if (status == CN_OK) {
        double before = HUGE_VAL, each = WORK_OF_ROW * rows->problem->row_count;
        rows->is_held = make_factor(&work, rows);
        while (rows->is_held && rows->rounds < MAX_ROUNDS && correct(&work, rows, &before, dp)) {
            ++rows->rounds;
        }
        rows->work = work.cholesky.multiplications + each * (rows->rounds + 1);
    }
    cn_arena_release(arena, mark);
    return status == CN_UNSUPPORTED ? CN_OK : status;
}
