// block_matrix.c - a symmetric sparse matrix of small dense blocks.
#include "linalg/blocks/block_matrix.h"

#include <limits.h>

static int rows_of(const CnBlockMatrix* matrix, int block) {
    return matrix->first_row[block + 1] - matrix->first_row[block];
}

static void lay_out(CnBlockMatrix* matrix, const CnBlockGraph* graph, const int* block_rows) {
    int entry = 0;
    for (int b = 0; b < graph->block_count; ++b) {
        matrix->start[b] = entry;
        matrix->first_row[b + 1] = matrix->first_row[b] + block_rows[b];
        matrix->block_row[entry++] = b;
        for (int e = graph->start[b]; e < graph->start[b + 1]; ++e) {
            matrix->block_row[entry++] = graph->neighbor[e];
        }
    }
    matrix->start[graph->block_count] = entry;
    for (int b = 0; b < graph->block_count; ++b) {
        for (int e = matrix->start[b]; e < matrix->start[b + 1]; ++e) {
            int numbers = block_rows[matrix->block_row[e]] * block_rows[b];
            matrix->position[e + 1] = matrix->position[e] + (size_t)numbers;
        }
    }
}

CnStatus cn_block_matrix_init(CnBlockMatrix* matrix, const CnBlockGraph* graph,
                              const int* block_rows, CnArena* arena) {
    int count = graph->block_count;
    size_t entries = (size_t)count + (size_t)graph->start[count];
    *matrix = (CnBlockMatrix){.block_count = count};
    if (entries > INT_MAX) {
        return CN_NO_MEMORY;
    }
    matrix->first_row = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    matrix->start = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    matrix->block_row = CN_ARENA_NEW(arena, int, entries);
    matrix->position = CN_ARENA_NEW(arena, size_t, entries + 1);
    if (matrix->first_row == NULL || matrix->start == NULL || matrix->block_row == NULL ||
        matrix->position == NULL) {
        return CN_NO_MEMORY;
    }
    lay_out(matrix, graph, block_rows);
    matrix->row_count = matrix->first_row[count];
    matrix->value = CN_ARENA_NEW(arena, double, matrix->position[entries]);
    return matrix->value != NULL ? CN_OK : CN_NO_MEMORY;
}

// y_a += A_ab x_b and, below the diagonal, y_b += A_ab^T x_a.
static void multiply_entry(const double* value, int rows, int columns, bool mirrored,
                           const double* x_a, const double* x_b, double* y_a, double* y_b) {
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            y_a[i] += value[i * columns + j] * x_b[j];
            if (mirrored) {
                y_b[j] += value[i * columns + j] * x_a[i];
            }
        }
    }
}

void cn_block_matrix_multiply(const CnBlockMatrix* matrix, const double* x, double* y) {
    for (int i = 0; i < matrix->row_count; ++i) {
        y[i] = 0.0;
    }
    for (int b = 0; b < matrix->block_count; ++b) {
        int column = matrix->first_row[b];
        for (int e = matrix->start[b]; e < matrix->start[b + 1]; ++e) {
            int a = matrix->block_row[e];
            int row = matrix->first_row[a];
            multiply_entry(&matrix->value[matrix->position[e]], rows_of(matrix, a),
                           rows_of(matrix, b), a != b, &x[row], &x[column], &y[row], &y[column]);
        }
    }
}

// Writes the kept elements on and below the diagonal of scalar column j of block column b, and
// returns how many there are. With row NULL it only counts.
static int expand_column(const CnBlockMatrix* matrix, const int* index, int b, int j, int* row,
                         double* value) {
    int columns = rows_of(matrix, b);
    int count = 0;
    for (int e = matrix->start[b]; e < matrix->start[b + 1]; ++e) {
        int a = matrix->block_row[e];
        const double* block = &matrix->value[matrix->position[e]];
        for (int i = a == b ? j : 0; i < rows_of(matrix, a); ++i) {
            int place = index[matrix->first_row[a] + i];
            if (place < 0) {
                continue;
            }
            if (row != NULL) {
                row[count] = place;
                value[count] = block[i * columns + j];
            }
            ++count;
        }
    }
    return count;
}

// Fills start, or (when it is filled) the elements.
static size_t expand(const CnBlockMatrix* matrix, const int* index, CnSparse* sparse) {
    size_t total = 0;
    for (int b = 0; b < matrix->block_count; ++b) {
        for (int j = 0; j < rows_of(matrix, b); ++j) {
            int column = index[matrix->first_row[b] + j];
            if (column < 0) {
                continue;
            }
            bool counting = sparse->row == NULL;
            int at = sparse->start[column];
            total += (size_t)expand_column(matrix, index, b, j, counting ? NULL : &sparse->row[at],
                                           counting ? NULL : &sparse->value[at]);
            if (total > INT_MAX) {
                return total;
            }
            sparse->start[column + 1] = (int)total;
        }
    }
    return total;
}

CnStatus cn_block_matrix_to_sparse(const CnBlockMatrix* matrix, const bool* keep, CnArena* arena,
                                   CnSparse* sparse) {
    *sparse = (CnSparse){0};
    int* index = CN_ARENA_NEW(arena, int, matrix->row_count);
    sparse->start = CN_ARENA_NEW(arena, int, (size_t)matrix->row_count + 1);
    if (index == NULL || sparse->start == NULL) {
        return CN_NO_MEMORY;
    }
    for (int row = 0; row < matrix->row_count; ++row) {
        index[row] = keep == NULL || keep[row] ? sparse->n++ : -1;
    }
    size_t total = expand(matrix, index, sparse);
    if (total > INT_MAX) {
        return CN_NO_MEMORY;
    }
    sparse->row = CN_ARENA_NEW(arena, int, total);
    sparse->value = CN_ARENA_NEW(arena, double, total);
    if (sparse->row == NULL || sparse->value == NULL) {
        return CN_NO_MEMORY;
    }
    expand(matrix, index, sparse);
    return CN_OK;
}
