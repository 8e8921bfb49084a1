// block_rows.c - a square matrix of small blocks by block rows; values need not be symmetric.
#include "linalg/blocks/block_rows.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int rows_of(const CnBlockRows* matrix, int block) {
    return matrix->first_row[block + 1] - matrix->first_row[block];
}

static void count_entries(CnBlockRows* matrix, const CnBlockGraph* graph) {
    int* length = matrix->start + 1;
    for (int a = 0; a < graph->block_count; ++a) {
        length[a] += 1 + graph->start[a + 1] - graph->start[a];
        for (int e = graph->start[a]; e < graph->start[a + 1]; ++e) {
            ++length[graph->neighbor[e]];
        }
    }
    for (int a = 0; a < graph->block_count; ++a) {
        matrix->start[a + 1] += matrix->start[a];
    }
}

// Going through the rows in order, the mirrors (b, a) of row a's entries reach every row b with
// ascending columns, before its own diagonal and what follows. next[b] is where the next one goes.
static void place_entries(CnBlockRows* matrix, const CnBlockGraph* graph, int* next) {
    memcpy(next, matrix->start, (size_t)graph->block_count * sizeof(int));
    for (int a = 0; a < graph->block_count; ++a) {
        int own = next[a]++;
        matrix->diagonal[a] = own;
        matrix->column[own] = a;
        matrix->mirror[own] = own;
        for (int e = graph->start[a]; e < graph->start[a + 1]; ++e) {
            int b = graph->neighbor[e];
            int entry = next[a]++;
            int mirror = next[b]++;
            matrix->column[entry] = b;
            matrix->column[mirror] = a;
            matrix->mirror[entry] = mirror;
            matrix->mirror[mirror] = entry;
        }
    }
}

static void place_numbers(CnBlockRows* matrix) {
    for (int a = 0; a < matrix->block_count; ++a) {
        for (int e = matrix->start[a]; e < matrix->start[a + 1]; ++e) {
            int numbers = rows_of(matrix, a) * rows_of(matrix, matrix->column[e]);
            matrix->position[e + 1] = matrix->position[e] + (size_t)numbers;
        }
    }
}

CnStatus cn_block_rows_init(CnBlockRows* matrix, const CnBlockGraph* graph, const int* block_rows,
                            CnArena* arena) {
    int count = graph->block_count;
    size_t entries = (size_t)count + 2 * (size_t)graph->start[count];
    *matrix = (CnBlockRows){.block_count = count};
    if (entries > INT_MAX) {
        return CN_NO_MEMORY;
    }
    matrix->first_row = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    matrix->start = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    matrix->column = CN_ARENA_NEW(arena, int, entries);
    matrix->diagonal = CN_ARENA_NEW(arena, int, count);
    matrix->mirror = CN_ARENA_NEW(arena, int, entries);
    matrix->position = CN_ARENA_NEW(arena, size_t, entries + 1);
    int* next = CN_ARENA_NEW(arena, int, count);
    if (matrix->first_row == NULL || matrix->start == NULL || matrix->column == NULL ||
        matrix->diagonal == NULL || matrix->mirror == NULL || matrix->position == NULL ||
        next == NULL) {
        return CN_NO_MEMORY;
    }
    for (int a = 0; a < count; ++a) {
        matrix->first_row[a + 1] = matrix->first_row[a] + block_rows[a];
    }
    matrix->row_count = matrix->first_row[count];
    count_entries(matrix, graph);
    place_entries(matrix, graph, next);
    place_numbers(matrix);
    matrix->value = CN_ARENA_NEW(arena, double, matrix->position[entries]);
    return matrix->value != NULL ? CN_OK : CN_NO_MEMORY;
}

CnStatus cn_block_rows_copy(const CnBlockRows* matrix, CnArena* arena, CnBlockRows* copy) {
    size_t count = matrix->position[matrix->start[matrix->block_count]];
    *copy = *matrix;
    copy->value = CN_ARENA_NEW(arena, double, count);
    if (copy->value == NULL) {
        return CN_NO_MEMORY;
    }
    memcpy(copy->value, matrix->value, count * sizeof(double));
    return CN_OK;
}

// The off-diagonal pattern of a symmetric matrix as a graph, and its block sizes.
static CnStatus read_graph(const CnBlockMatrix* symmetric, CnArena* arena, CnBlockGraph* graph,
                           int** block_rows) {
    int count = symmetric->block_count;
    *graph = (CnBlockGraph){.block_count = count};
    graph->start = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    graph->neighbor = CN_ARENA_NEW(arena, int, symmetric->start[count] - count);
    *block_rows = CN_ARENA_NEW(arena, int, count);
    if (graph->start == NULL || graph->neighbor == NULL || *block_rows == NULL) {
        return CN_NO_MEMORY;
    }
    int used = 0;
    for (int b = 0; b < count; ++b) {
        (*block_rows)[b] = symmetric->first_row[b + 1] - symmetric->first_row[b];
        for (int e = symmetric->start[b] + 1; e < symmetric->start[b + 1]; ++e) {
            graph->neighbor[used++] = symmetric->block_row[e];
        }
        graph->start[b + 1] = used;
    }
    return CN_OK;
}

CnStatus cn_block_rows_from_symmetric(const CnBlockMatrix* symmetric, CnArena* arena,
                                      CnBlockRows* matrix) {
    CnBlockGraph graph;
    int* block_rows;
    if (read_graph(symmetric, arena, &graph, &block_rows) != CN_OK ||
        cn_block_rows_init(matrix, &graph, block_rows, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < matrix->block_count; ++b) {
        int upper = matrix->diagonal[b]; // entry (b, a) of the column's entry (a, b)
        for (int e = symmetric->start[b]; e < symmetric->start[b + 1]; ++e, ++upper) {
            int rows = rows_of(matrix, symmetric->block_row[e]);
            int columns = rows_of(matrix, b);
            const double* from = &symmetric->value[symmetric->position[e]];
            double* lower = &matrix->value[matrix->position[matrix->mirror[upper]]];
            double* transposed = &matrix->value[matrix->position[upper]];
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < columns; ++j) {
                    lower[i * columns + j] = from[i * columns + j];
                    transposed[j * rows + i] = from[i * columns + j];
                }
            }
        }
    }
    return CN_OK;
}

// The blocks behind the diagonal in each block row, and how many rows blocks have.
static CnStatus write_graph(const CnBlockRows* matrix, CnArena* arena, CnBlockGraph* graph,
                            int** block_rows) {
    int count = matrix->block_count;
    *graph = (CnBlockGraph){
        .block_count = count,
        .start = CN_ARENA_NEW(arena, int, (size_t)count + 1),
        .neighbor = CN_ARENA_NEW(arena, int, matrix->start[count]),
    };
    *block_rows = CN_ARENA_NEW(arena, int, count);
    if (graph->start == NULL || graph->neighbor == NULL || *block_rows == NULL) {
        return CN_NO_MEMORY;
    }
    int used = 0;
    for (int b = 0; b < count; ++b) {
        (*block_rows)[b] = rows_of(matrix, b);
        for (int e = matrix->diagonal[b] + 1; e < matrix->start[b + 1]; ++e) {
            graph->neighbor[used++] = matrix->column[e];
        }
        graph->start[b + 1] = used;
    }
    return CN_OK;
}

// lower = (A_ab + A_ba^T) / 2; returns the largest |A_ij - A_ji| / sqrt(|A_ii A_jj|).
static double average(const CnBlockRows* matrix, int upper, int b, double* lower) {
    int a = matrix->column[upper], rows = rows_of(matrix, a), columns = rows_of(matrix, b);
    const double* transposed = &matrix->value[matrix->position[upper]];
    const double* from = &matrix->value[matrix->position[matrix->mirror[upper]]];
    const double *own_a = cn_block_rows_diagonal(matrix, a),
                 *own_b = cn_block_rows_diagonal(matrix, b);
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            double below = from[i * columns + j], above = transposed[j * rows + i];
            double size = sqrt(fabs(own_a[i * rows + i] * own_b[j * columns + j]));
            lower[i * columns + j] = 0.5 * below + 0.5 * above;
            if (below != above) {
                largest = fmax(largest, fabs(below - above) / size);
            }
        }
    }
    return largest;
}

CnStatus cn_block_rows_to_symmetric(const CnBlockRows* matrix, CnArena* arena,
                                    CnBlockMatrix* symmetric, double* asymmetry) {
    CnBlockGraph graph;
    int* block_rows;
    *asymmetry = 0.0;
    if (write_graph(matrix, arena, &graph, &block_rows) != CN_OK ||
        cn_block_matrix_init(symmetric, &graph, block_rows, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < matrix->block_count; ++b) {
        int upper = matrix->diagonal[b];
        for (int e = symmetric->start[b]; e < symmetric->start[b + 1]; ++e, ++upper) {
            double* lower = &symmetric->value[symmetric->position[e]];
            *asymmetry = fmax(*asymmetry, average(matrix, upper, b, lower));
        }
    }
    return CN_OK;
}

// Written out with constant sizes, the common blocks of three rows are compiled for three.
static inline void multiply_entry(const double* value, int rows, int columns, const double* x,
                                  double* y) {
    for (int i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (int j = 0; j < columns; ++j) {
            sum += value[i * columns + j] * x[j];
        }
        y[i] += sum;
    }
}

void cn_block_rows_multiply_block(const CnBlockRows* matrix, int a, const double* x, double* y) {
    int rows = rows_of(matrix, a);
    for (int i = 0; i < rows; ++i) {
        y[i] = 0.0;
    }
    for (int e = matrix->start[a]; e < matrix->start[a + 1]; ++e) {
        int b = matrix->column[e];
        int columns = rows_of(matrix, b);
        const double* value = &matrix->value[matrix->position[e]];
        if (rows == 3 && columns == 3) {
            multiply_entry(value, 3, 3, &x[matrix->first_row[b]], y);
        } else {
            multiply_entry(value, rows, columns, &x[matrix->first_row[b]], y);
        }
    }
}

void cn_block_rows_multiply(const CnBlockRows* matrix, const double* x, double* y) {
    for (int a = 0; a < matrix->block_count; ++a) {
        cn_block_rows_multiply_block(matrix, a, x, &y[matrix->first_row[a]]);
    }
}

int cn_block_rows_find(const CnBlockRows* matrix, int a, int b) {
    int low = matrix->start[a], high = matrix->start[a + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (matrix->column[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t cn_block_rows_numbers(const CnBlockRows* matrix) {
    return matrix->position[matrix->start[matrix->block_count]];
}

double* cn_block_rows_diagonal(const CnBlockRows* matrix, int a) {
    return &matrix->value[matrix->position[matrix->diagonal[a]]];
}

void cn_block_rows_scale(CnBlockRows* matrix, const double* left, const double* right) {
    for (int a = 0; a < matrix->block_count; ++a) {
        for (int e = matrix->start[a]; e < matrix->start[a + 1]; ++e) {
            int b = matrix->column[e];
            int columns = rows_of(matrix, b);
            double* value = &matrix->value[matrix->position[e]];
            for (int i = 0; i < rows_of(matrix, a); ++i) {
                double factor = left != NULL ? left[matrix->first_row[a] + i] : 1.0;
                for (int j = 0; j < columns; ++j) {
                    value[i * columns + j] *=
                        factor * (right != NULL ? right[matrix->first_row[b] + j] : 1.0);
                }
            }
        }
    }
}
