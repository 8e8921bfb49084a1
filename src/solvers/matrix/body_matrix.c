// body_matrix.c - a matrix with a block of six rows for each body that moves: sums of G^T X G.
#include "solvers/matrix/body_matrix.h"

#include "constraints/problem/block.h"
#include "linalg/block_graph.h"
#include "linalg/dense.h"
#include "solvers/matrix/scaled_jacobian.h"
#include <string.h>

#define BODY_ROWS 6

static int node_of(const CnBodyMatrix* bodies, int body) {
    return body < 0 ? -1 : bodies->node[body];
}

CnStatus cn_body_matrix_lay_out(CnBodyMatrix* bodies, const CnProblem* problem, CnArena* arena) {
    *bodies =
        (CnBodyMatrix){.problem = problem, .node = CN_ARENA_NEW(arena, int, problem->body_count)};
    int* first = CN_ARENA_NEW(arena, int, problem->block_count);
    int* second = CN_ARENA_NEW(arena, int, problem->block_count);
    int* rows = CN_ARENA_NEW(arena, int, problem->body_count);
    int count = 0, pairs = 0;
    if (bodies->node == NULL || first == NULL || second == NULL || rows == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        bodies->node[i] = cn_body_moves(problem, i) ? count++ : -1;
        rows[i] = BODY_ROWS;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        int a = node_of(bodies, problem->blocks[i].body_a);
        int b = node_of(bodies, problem->blocks[i].body_b);
        if (a >= 0 && b >= 0) {
            first[pairs] = a;
            second[pairs++] = b;
        }
    }
    CnBlockGraph graph;
    CnStatus status = cn_block_graph_from_pairs(count, pairs, first, second, arena, &graph);
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

// value += G_a^T X G_b for the sides a and b of n rows.
static void add_sides(int n, const double (*g)[12], const double* x, int side_a, int side_b,
                      double* value) {
    for (int i = 0; i < n; ++i) {
        double row[BODY_ROWS] = {0.0}; // of X G_b
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < BODY_ROWS; ++j) {
                row[j] += x[i * n + k] * g[k][BODY_ROWS * side_b + j];
            }
        }
        for (int k = 0; k < BODY_ROWS; ++k) {
            double factor = g[i][BODY_ROWS * side_a + k];
            for (int j = 0; j < BODY_ROWS; ++j) {
                value[k * BODY_ROWS + j] += factor * row[j];
            }
        }
    }
}

void cn_body_matrix_add(CnBodyMatrix* bodies, int block, int row, int n, const double* x) {
    const CnBlock* rows = &bodies->problem->blocks[block];
    const double(*g)[12] = (const double(*)[12])bodies->jacobian + row;
    const int node[2] = {node_of(bodies, rows->body_a), node_of(bodies, rows->body_b)};
    CnBlockRows* matrix = &bodies->matrix;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
            if (node[a] >= 0 && node[b] >= 0) {
                int entry = cn_block_rows_find(matrix, node[a], node[b]);
                add_sides(n, g, x, a, b, matrix->value + matrix->position[entry]);
            }
        }
    }
}

void cn_body_matrix_push(const CnBodyMatrix* bodies, const double* p, double* z) {
    const CnProblem* problem = bodies->problem;
    memset(z, 0, (size_t)bodies->matrix.row_count * sizeof(double));
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        const int node[2] = {node_of(bodies, block->body_a), node_of(bodies, block->body_b)};
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; node[side] >= 0 && k < block->row_count; ++k) {
                int row = block->first_row + k;
                cn_dense_add_scaled(BODY_ROWS, p[row], bodies->jacobian[row] + BODY_ROWS * side,
                                    z + BODY_ROWS * node[side]);
            }
        }
    }
}

void cn_body_matrix_feel(const CnBodyMatrix* bodies, const double* z, double* u) {
    const CnProblem* problem = bodies->problem;
    memset(u, 0, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        const int node[2] = {node_of(bodies, block->body_a), node_of(bodies, block->body_b)};
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; node[side] >= 0 && k < block->row_count; ++k) {
                int row = block->first_row + k;
                u[row] += cn_dense_dot(BODY_ROWS, bodies->jacobian[row] + BODY_ROWS * side,
                                       z + BODY_ROWS * node[side]);
            }
        }
    }
}
