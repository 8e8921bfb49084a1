// body_matrix.c - a matrix with a block of six rows for each body that moves: sums of G^T X G.
#include "solvers/matrix/body_matrix.h"

#include "constraints/problem/block.h"
#include "linalg/blocks/block_graph.h"
#include "linalg/dense.h"
#include "solvers/matrix/scaled_jacobian.h"
#include <string.h>

#define BODY_ROWS 6

static int node_of(const CnBodyMatrix* bodies, int body) {
    return body < 0 ? -1 : bodies->node[body];
}

// G of a row on one side.
static const double* side_of(const CnBodyMatrix* bodies, int row, int side) {
    return cn_scaled_side(bodies->problem, (const double(*)[12])bodies->jacobian, row, side);
}

CnStatus cn_body_pairs_list(const CnProblem* problem, const int* node, CnArena* arena,
                            CnBodyPairs* pairs) {
    size_t most = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        int sides = cn_block_sides(&problem->blocks[i]);
        most += (size_t)(sides * (sides - 1) / 2);
    }
    *pairs = (CnBodyPairs){0, CN_ARENA_NEW(arena, int, most), CN_ARENA_NEW(arena, int, most)};
    if (pairs->first == NULL || pairs->second == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int b = 1; b < cn_block_sides(block); ++b) {
            for (int a = 0; a < b; ++a) {
                int body_a = cn_block_body(block, a), body_b = cn_block_body(block, b);
                if (body_a >= 0 && body_b >= 0 && node[body_a] >= 0 && node[body_b] >= 0) {
                    pairs->first[pairs->count] = node[body_a];
                    pairs->second[pairs->count++] = node[body_b];
                }
            }
        }
    }
    return CN_OK;
}

CnStatus cn_body_matrix_lay_out(CnBodyMatrix* bodies, const CnProblem* problem, CnArena* arena) {
    *bodies =
        (CnBodyMatrix){.problem = problem, .node = CN_ARENA_NEW(arena, int, problem->body_count)};
    int* rows = CN_ARENA_NEW(arena, int, problem->body_count);
    CnBodyPairs pairs;
    int count = 0;
    if (bodies->node == NULL || rows == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        bodies->node[i] = cn_body_moves(problem, i) ? count++ : -1;
        rows[i] = BODY_ROWS;
    }
    CnBlockGraph graph;
    CnStatus status = cn_body_pairs_list(problem, bodies->node, arena, &pairs);
    if (status == CN_OK) {
        status =
            cn_block_graph_from_pairs(count, pairs.count, pairs.first, pairs.second, arena, &graph);
    }
    return status == CN_OK ? cn_block_rows_init(&bodies->matrix, &graph, rows, arena) : status;
}

CnStatus cn_body_matrix_init(CnBodyMatrix* bodies, const CnProblem* problem, CnArena* arena) {
    CnStatus status = cn_body_matrix_lay_out(bodies, problem, arena);
    return status == CN_OK ? cn_scaled_jacobian(problem, arena, &bodies->jacobian) : status;
}

void cn_body_matrix_reset(CnBodyMatrix* bodies, double diagonal) {
    CnBlockRows* matrix = &bodies->matrix;
    memset(matrix->value, 0, matrix->position[matrix->start[matrix->block_count]] * sizeof(double));
    for (int b = 0; b < matrix->block_count; ++b) {
        for (int i = 0; i < BODY_ROWS; ++i) {
            cn_block_rows_diagonal(matrix, b)[i * (BODY_ROWS + 1)] = diagonal;
        }
    }
}

// value += G_a^T X G_b for the parts of n rows on two sides; those of the next row are 12 on.
static void add_sides(int n, const double* g_a, const double* x, const double* g_b, double* value) {
    for (int i = 0; i < n; ++i) {
        double row[BODY_ROWS] = {0.0}; // of X G_b
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < BODY_ROWS; ++j) {
                row[j] += x[i * n + k] * g_b[2 * BODY_ROWS * k + j];
            }
        }
        for (int k = 0; k < BODY_ROWS; ++k) {
            double factor = g_a[2 * BODY_ROWS * i + k];
            for (int j = 0; j < BODY_ROWS; ++j) {
                value[k * BODY_ROWS + j] += factor * row[j];
            }
        }
    }
}

void cn_body_matrix_add(CnBodyMatrix* bodies, int block, int row, int n, const double* x) {
    const CnBlock* rows = &bodies->problem->blocks[block];
    int sides = cn_block_sides(rows);
    CnBlockRows* matrix = &bodies->matrix;
    for (int a = 0; a < sides; ++a) {
        for (int b = 0; b < sides; ++b) {
            int node_a = node_of(bodies, cn_block_body(rows, a));
            int node_b = node_of(bodies, cn_block_body(rows, b));
            if (node_a >= 0 && node_b >= 0) {
                int entry = cn_block_rows_find(matrix, node_a, node_b);
                add_sides(n, side_of(bodies, row, a), x, side_of(bodies, row, b),
                          matrix->value + matrix->position[entry]);
            }
        }
    }
}

void cn_body_matrix_push(const CnBodyMatrix* bodies, const double* p, double* z) {
    const CnProblem* problem = bodies->problem;
    memset(z, 0, (size_t)bodies->matrix.row_count * sizeof(double));
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int node = node_of(bodies, cn_block_body(block, side));
            for (int k = 0; node >= 0 && k < block->row_count; ++k) {
                int row = block->first_row + k;
                cn_dense_add_scaled(BODY_ROWS, p[row], side_of(bodies, row, side),
                                    z + BODY_ROWS * node);
            }
        }
    }
}

void cn_body_matrix_feel(const CnBodyMatrix* bodies, const double* z, double* u) {
    const CnProblem* problem = bodies->problem;
    memset(u, 0, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int node = node_of(bodies, cn_block_body(block, side));
            for (int k = 0; node >= 0 && k < block->row_count; ++k) {
                int row = block->first_row + k;
                u[row] += cn_dense_dot(BODY_ROWS, side_of(bodies, row, side), z + BODY_ROWS * node);
            }
        }
    }
}
