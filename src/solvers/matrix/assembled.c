// assembled.c - a problem as one matrix: u = W p + q for all rows, from bodies or from a response.
#include "solvers/matrix/assembled.h"

#include "constraints/problem/block.h"
#include "constraints/problem/masses.h"
#include "linalg/blocks/block_graph.h"
#include "solvers/matrix/delassus.h"
#include "solvers/solve/budget.h"
#include <math.h>
#include <string.h>

// The cost of an entry of W, in multiplications: of finding its place and its value, and of the
// symbolic analysis.
#define WORK_OF_NUMBER 30.0

// The pairs of blocks that are coupled in W, each once for a row of blocks; with pairs NULL they
// are only counted. block_of tells a row's block; mark is scratch, -1 at first and afterwards.
static int list_pairs(const CnProblem* problem, const int* block_of, int* mark, int* pairs[2]) {
    const CnResponse* response = problem->response;
    int count = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        int first = problem->blocks[b].first_row;
        int last = first + problem->blocks[b].row_count;
        for (int e = response->start[first]; e < response->start[last]; ++e) {
            int other = block_of[response->column[e]];
            if (response->value[e] == 0.0 || other == b || mark[other] == b) {
                continue;
            }
            mark[other] = b;
            if (pairs != NULL) {
                pairs[0][count] = b;
                pairs[1][count] = other;
            }
            ++count;
        }
    }
    memset(mark, -1, (size_t)problem->block_count * sizeof(int));
    return count;
}

static CnStatus response_graph(const CnProblem* problem, const int* block_of, CnArena* arena,
                               CnBlockGraph* graph) {
    int* mark = CN_ARENA_NEW(arena, int, problem->block_count);
    if (mark == NULL) {
        return CN_NO_MEMORY;
    }
    memset(mark, -1, (size_t)problem->block_count * sizeof(int));
    int count = list_pairs(problem, block_of, mark, NULL);
    int* pairs[2] = {CN_ARENA_NEW(arena, int, count), CN_ARENA_NEW(arena, int, count)};
    if (pairs[0] == NULL || pairs[1] == NULL) {
        return CN_NO_MEMORY;
    }
    list_pairs(problem, block_of, mark, pairs);
    return cn_block_graph_from_pairs(problem->block_count, count, pairs[0], pairs[1], arena, graph);
}

// Copies the numbers of W into their blocks. entry_of is scratch: the entry of each block column.
static void copy_response(const CnProblem* problem, const int* block_of, int* entry_of,
                          CnBlockRows* w) {
    const CnResponse* response = problem->response;
    for (int a = 0; a < w->block_count; ++a) {
        for (int e = w->start[a]; e < w->start[a + 1]; ++e) {
            entry_of[w->column[e]] = e;
        }
        for (int row = w->first_row[a]; row < w->first_row[a + 1]; ++row) {
            for (int e = response->start[row]; e < response->start[row + 1]; ++e) {
                if (response->value[e] == 0.0) {
                    continue;
                }
                int b = block_of[response->column[e]];
                int columns = w->first_row[b + 1] - w->first_row[b];
                w->value[w->position[entry_of[b]] +
                         (size_t)((row - w->first_row[a]) * columns + response->column[e] -
                                  w->first_row[b])] = response->value[e];
            }
        }
    }
}

static CnStatus assemble_response(const CnProblem* problem, CnArena* arena, CnBlockRows* w) {
    int* block_of = CN_ARENA_NEW(arena, int, problem->row_count);
    int* block_rows = CN_ARENA_NEW(arena, int, problem->block_count);
    int* entry_of = CN_ARENA_NEW(arena, int, problem->block_count);
    if (block_of == NULL || block_rows == NULL || entry_of == NULL) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        block_rows[b] = problem->blocks[b].row_count;
        for (int i = 0; i < block_rows[b]; ++i) {
            block_of[problem->blocks[b].first_row + i] = b;
        }
    }
    CnBlockGraph graph;
    if (response_graph(problem, block_of, arena, &graph) != CN_OK ||
        cn_block_rows_init(w, &graph, block_rows, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    copy_response(problem, block_of, entry_of, w);
    for (int b = 0; b < problem->block_count; ++b) {
        double* own = cn_block_rows_diagonal(w, b);
        for (int i = 0; i < block_rows[b]; ++i) {
            own[i * block_rows[b] + i] += problem->compliance[w->first_row[b] + i];
        }
    }
    return CN_OK;
}

static CnStatus assemble_bodies(const CnProblem* problem, CnArena* arena, CnBlockRows* w) {
    CnBlockMatrix symmetric;
    CnStatus status = cn_delassus_assemble(problem, arena, &symmetric);
    return status == CN_OK ? cn_block_rows_from_symmetric(&symmetric, arena, w) : status;
}

// The diagonal blocks alone.
static CnStatus assemble_masses(const CnProblem* problem, CnArena* arena, CnBlockRows* w) {
    int* block_rows = CN_ARENA_NEW(arena, int, problem->block_count);
    CnBlockGraph graph;
    if (block_rows == NULL ||
        cn_block_graph_from_pairs(problem->block_count, 0, NULL, NULL, arena, &graph) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        block_rows[b] = problem->blocks[b].row_count;
    }
    CnStatus status = cn_block_rows_init(w, &graph, block_rows, arena);
    for (int b = 0; status == CN_OK && b < problem->block_count; ++b) {
        cn_block_delassus(problem, &problem->blocks[b], cn_block_rows_diagonal(w, b));
    }
    return status;
}

static CnStatus assemble_matrix(const CnProblem* problem, CnArena* arena, CnBlockRows* w) {
    return problem->response != NULL ? assemble_response(problem, arena, w)
           : problem->masses != NULL ? assemble_masses(problem, arena, w)
                                     : assemble_bodies(problem, arena, w);
}

CnStatus cn_assemble(const CnProblem* problem, CnArena* arena, CnAssembled* assembled) {
    *assembled = (CnAssembled){
        .problem = problem,
        .q = CN_ARENA_NEW(arena, double, problem->row_count),
        .lambda_max = CN_ARENA_NEW(arena, double, problem->block_count),
    };
    if (assembled->q == NULL || assembled->lambda_max == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = assemble_matrix(problem, arena, &assembled->w);
    if (status == CN_OK && problem->masses != NULL) {
        assembled->motion = CN_ARENA_NEW(arena, double, problem->masses->coordinate_count);
        status = assembled->motion == NULL ? CN_NO_MEMORY : CN_OK;
    }
    for (int b = 0; status == CN_OK && b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        const double* own = cn_block_rows_diagonal(&assembled->w, b);
        double* q = assembled->q + block->first_row;
        cn_block_free_velocity(problem, block, q);
        assembled->lambda_max[b] = cn_block_largest_eigenvalue(own, block->row_count);
        for (int i = 0; i < block->row_count; ++i) {
            assembled->size.trace += own[i * block->row_count + i];
            assembled->size.q_square += q[i] * q[i];
        }
    }
    if (status == CN_OK) {
        assembled->work = WORK_OF_NUMBER * (double)cn_block_rows_numbers(&assembled->w) +
                          cn_cost_of_certificate(problem);
    }
    return status;
}

void cn_assembled_multiply(const CnAssembled* assembled, const double* x, double* y) {
    const CnProblem* problem = assembled->problem;
    if (problem->masses == NULL) {
        cn_block_rows_multiply(&assembled->w, x, y);
        return;
    }
    cn_masses_multiply(problem->masses, x, assembled->motion, y);
    for (int i = 0; i < problem->row_count; ++i) {
        y[i] += problem->compliance[i] * x[i];
    }
}

void cn_assembled_velocity(const CnAssembled* assembled, const double* p, double* u) {
    cn_assembled_multiply(assembled, p, u);
    for (int i = 0; i < assembled->w.row_count; ++i) {
        u[i] += assembled->q[i];
    }
}

static double worst_residual(const CnAssembled* assembled, const double* p, const double* u) {
    const CnProblem* problem = assembled->problem;
    double worst = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        worst =
            fmax(worst, cn_block_residual(problem, block, cn_block_rows_diagonal(&assembled->w, b),
                                          assembled->lambda_max[b], u + block->first_row,
                                          p + block->first_row));
    }
    return worst;
}

double cn_assembled_error(const CnAssembled* assembled, CnErrorMeasure measure, const double* p,
                          const double* u) {
    return measure == CN_ERROR_VELOCITY
               ? worst_residual(assembled, p, u)
               : cn_relative_error(assembled->problem, &assembled->size, p, u);
}

// Rows of a contact share one scale, which keeps its cone circular; other rows have their own.
static void find_scale(const CnBlock* block, const double* own, double* scale) {
    int n = block->row_count;
    double trace = 0.0;
    for (int i = 0; i < n; ++i) {
        trace += own[i * n + i];
    }
    double common = 1.0 / sqrt(trace / n);
    for (int i = 0; i < n; ++i) {
        double diagonal = own[i * n + i];
        scale[i] =
            block->law == CN_LAW_COULOMB || !(diagonal > 0.0) ? common : 1.0 / sqrt(diagonal);
    }
    if (block->law == CN_LAW_COULOMB && block->friction > 0.0) {
        scale[0] /= block->friction;
    }
}

CnStatus cn_assembled_scale(const CnAssembled* assembled, CnArena* arena, CnScaled* scaled) {
    const CnProblem* problem = assembled->problem;
    *scaled = (CnScaled){
        .q = CN_ARENA_NEW(arena, double, problem->row_count),
        .scale = CN_ARENA_NEW(arena, double, problem->row_count),
        .masses = problem->masses,
        .extra = CN_ARENA_NEW(arena, double, problem->row_count),
        .spread = CN_ARENA_NEW(arena, double, problem->row_count),
        .motion = assembled->motion,
    };
    if (scaled->q == NULL || scaled->scale == NULL || scaled->extra == NULL ||
        scaled->spread == NULL || cn_block_rows_copy(&assembled->w, arena, &scaled->w) != CN_OK) {
        return CN_NO_MEMORY;
    }
    double square = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        find_scale(&problem->blocks[b], cn_block_rows_diagonal(&assembled->w, b),
                   scaled->scale + problem->blocks[b].first_row);
    }
    for (int i = 0; i < problem->row_count; ++i) {
        scaled->q[i] = scaled->scale[i] * assembled->q[i];
        square += scaled->q[i] * scaled->q[i];
    }
    scaled->unit = square > 0.0 ? sqrt(square / problem->block_count) : 1.0;
    for (int i = 0; i < problem->row_count; ++i) {
        scaled->q[i] /= scaled->unit;
        scaled->extra[i] = scaled->scale[i] * scaled->scale[i] * problem->compliance[i];
    }
    cn_block_rows_scale(&scaled->w, scaled->scale, scaled->scale);
    return CN_OK;
}

void cn_scaled_multiply(const CnScaled* scaled, const double* x, double* y) {
    int rows = scaled->w.row_count;
    if (scaled->masses == NULL) {
        cn_block_rows_multiply(&scaled->w, x, y);
        return;
    }
    for (int i = 0; i < rows; ++i) {
        scaled->spread[i] = scaled->scale[i] * x[i];
    }
    cn_masses_multiply(scaled->masses, scaled->spread, scaled->motion, y);
    for (int i = 0; i < rows; ++i) {
        y[i] = scaled->scale[i] * y[i] + scaled->extra[i] * x[i];
    }
}

void cn_scaled_add(CnScaled* scaled, int block, int row, double value) {
    int first = scaled->w.first_row[block];
    int rows = scaled->w.first_row[block + 1] - first;
    cn_block_rows_diagonal(&scaled->w, block)[(row - first) * (rows + 1)] += value;
    scaled->extra[row] += value;
}
