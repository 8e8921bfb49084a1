// sparse_rows.c - any sparse matrix by compressed rows.
#include "linalg/sparse_rows.h"

#include <string.h>

// A stable counting sort: order[] becomes the entries of `from` by ascending key, where start[k]
// is the place of the first with key k. False: no memory.
static bool sort_by(const int* key, int key_count, const int* from, int count, CnArena* arena,
                    int* start, int* order) {
    int* next = CN_ARENA_NEW(arena, int, (size_t)key_count + 1);
    if (next == NULL) {
        return false;
    }
    memset(start, 0, ((size_t)key_count + 1) * sizeof *start);
    for (int e = 0; e < count; ++e) {
        ++start[key[e] + 1];
    }
    for (int k = 0; k < key_count; ++k) {
        start[k + 1] += start[k];
        next[k] = start[k];
    }
    for (int e = 0; e < count; ++e) {
        int entry = from != NULL ? from[e] : e;
        order[next[key[entry]]++] = entry;
    }
    return true;
}

// Adds up duplicates and drops zeros, row by row.
static void sum_entries(const CnSparseEntries* entries, const int* order, const int* start,
                        CnSparseRows* matrix) {
    int used = 0;
    for (int row = 0; row < matrix->rows; ++row) {
        matrix->start[row] = used;
        for (int e = start[row]; e < start[row + 1];) {
            int column = entries->column[order[e]];
            double sum = 0.0;
            for (; e < start[row + 1] && entries->column[order[e]] == column; ++e) {
                sum += entries->value[order[e]];
            }
            if (sum != 0.0) {
                matrix->column[used] = column;
                matrix->value[used++] = sum;
            }
        }
    }
    matrix->start[matrix->rows] = used;
}

bool cn_sparse_rows_gather(int rows, int columns, const CnSparseEntries* entries, CnArena* arena,
                           CnSparseRows* matrix) {
    int count = entries->count;
    int* column_start = CN_ARENA_NEW(arena, int, (size_t)columns + 1);
    int* row_start = CN_ARENA_NEW(arena, int, (size_t)rows + 1);
    int* by_column = CN_ARENA_NEW(arena, int, count);
    int* by_row = CN_ARENA_NEW(arena, int, count);
    *matrix = (CnSparseRows){
        .rows = rows,
        .columns = columns,
        .start = CN_ARENA_NEW(arena, int, (size_t)rows + 1),
        .column = CN_ARENA_NEW(arena, int, count),
        .value = CN_ARENA_NEW(arena, double, count),
    };
    if (column_start == NULL || row_start == NULL || by_column == NULL || by_row == NULL ||
        matrix->start == NULL || matrix->column == NULL || matrix->value == NULL ||
        !sort_by(entries->column, columns, NULL, count, arena, column_start, by_column) ||
        !sort_by(entries->row, rows, by_column, count, arena, row_start, by_row)) {
        return false;
    }
    sum_entries(entries, by_row, row_start, matrix);
    return true;
}

bool cn_sparse_rows_transpose(const CnSparseRows* a, CnArena* arena, CnSparseRows* transposed) {
    int count = a->start[a->rows];
    int* row = CN_ARENA_NEW(arena, int, count);
    if (row == NULL) {
        return false;
    }
    for (int i = 0; i < a->rows; ++i) {
        for (int e = a->start[i]; e < a->start[i + 1]; ++e) {
            row[e] = i;
        }
    }
    CnSparseEntries entries = {count, a->column, row, a->value};
    return cn_sparse_rows_gather(a->columns, a->rows, &entries, arena, transposed);
}

double cn_sparse_rows_dot(const CnSparseRows* a, int row, const double* x) {
    double sum = 0.0;
    for (int e = a->start[row]; e < a->start[row + 1]; ++e) {
        sum += a->value[e] * x[a->column[e]];
    }
    return sum;
}

void cn_sparse_rows_add_transposed(const CnSparseRows* a, const double* x, double* y) {
    for (int i = 0; i < a->rows; ++i) {
        for (int e = a->start[i]; e < a->start[i + 1]; ++e) {
            y[a->column[e]] += a->value[e] * x[i];
        }
    }
}
