// fclib_matrix.c - the sparse matrices of FCLib files, whichever way they are stored.
#include "io/fclib_matrix.h"

#include <stdio.h>
#include <string.h>

// What `nz` says of the storage unless it counts triplets.
enum { BY_COLUMNS = -1, BY_ROWS = -2 };

#define PATH_SIZE 128

// The lists of a group, as they are in the file.
typedef struct Stored {
    int rows, columns, nz;
    int *p, *i;
    double* x;
    int p_count, i_count, x_count;
} Stored;

// ---- gathering ----

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

// Sums what has the same place and leaves out what is zero, row by row.
static void sum_entries(const CnFclibEntries* entries, const int* order, const int* start,
                        CnFclibMatrix* matrix) {
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

bool cn_fclib_matrix_gather(int rows, int columns, const CnFclibEntries* entries, CnArena* arena,
                            CnFclibMatrix* matrix) {
    int count = entries->count;
    int* column_start = CN_ARENA_NEW(arena, int, (size_t)columns + 1);
    int* row_start = CN_ARENA_NEW(arena, int, (size_t)rows + 1);
    int* by_column = CN_ARENA_NEW(arena, int, count);
    int* by_row = CN_ARENA_NEW(arena, int, count);
    *matrix = (CnFclibMatrix){
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

bool cn_fclib_matrix_transpose(const CnFclibMatrix* a, CnArena* arena, CnFclibMatrix* transposed) {
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
    CnFclibEntries entries = {count, a->column, row, a->value};
    return cn_fclib_matrix_gather(a->columns, a->rows, &entries, arena, transposed);
}

// ---- reading ----

static const char* join(const char* group, const char* name, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/%s", group, name);
    return path;
}

static bool read_stored(CnHdf5* file, const char* group, int rows, int columns, Stored* stored) {
    char path[PATH_SIZE];
    *stored = (Stored){0};
    if (!cn_hdf5_read_integer(file, join(group, "m", path), &stored->rows) ||
        !cn_hdf5_read_integer(file, join(group, "n", path), &stored->columns) ||
        !cn_hdf5_read_integer(file, join(group, "nz", path), &stored->nz)) {
        return false;
    }
    if (stored->rows != rows || stored->columns != columns) {
        return cn_hdf5_complain(file, group, "is %d x %d; with these vectors it must be %d x %d",
                                stored->rows, stored->columns, rows, columns);
    }
    if (stored->nz < BY_ROWS) {
        return cn_hdf5_complain(file, group,
                                "nz is %d; it must count triplets, or be -1 (by columns) or -2 (by "
                                "rows)",
                                stored->nz);
    }
    if (stored->nz == 0) { // an empty matrix needs no lists
        return true;
    }
    return cn_hdf5_read_integers(file, join(group, "p", path), &stored->p, &stored->p_count) &&
           cn_hdf5_read_integers(file, join(group, "i", path), &stored->i, &stored->i_count) &&
           cn_hdf5_read_reals(file, join(group, "x", path), &stored->x, &stored->x_count);
}

// The first place where an index is not in [0, limit), -1: there is none.
static int find_outside(const int* index, int count, int limit) {
    for (int e = 0; e < count; ++e) {
        if (index[e] < 0 || index[e] >= limit) {
            return e;
        }
    }
    return -1;
}

static bool check_indices(CnHdf5* file, const char* group, const char* list, const int* index,
                          int count, int limit) {
    char path[PATH_SIZE];
    int outside = find_outside(index, count, limit);
    return outside < 0 || cn_hdf5_complain(file, join(group, list, path),
                                           "entry %d is %d; it must be from 0 to %d", outside,
                                           index[outside], limit - 1);
}

// In the files there are, `i` holds rows and `p` columns; FCLib's header says the opposite, so that
// a file whose indices only fit the other way round means it that way.
static bool take_triplets(CnHdf5* file, const char* group, const Stored* stored,
                          CnFclibEntries* entries) {
    int count = stored->nz;
    if (stored->p_count < count || stored->i_count < count || stored->x_count < count) {
        return cn_hdf5_complain(file, group, "has %d triplets, but p, i and x hold %d, %d and %d",
                                count, stored->p_count, stored->i_count, stored->x_count);
    }
    *entries = (CnFclibEntries){count, stored->i, stored->p, stored->x};
    bool fits = find_outside(stored->i, count, stored->rows) < 0 &&
                find_outside(stored->p, count, stored->columns) < 0;
    bool fits_swapped = find_outside(stored->p, count, stored->rows) < 0 &&
                        find_outside(stored->i, count, stored->columns) < 0;
    if (!fits && fits_swapped) {
        entries->row = stored->p;
        entries->column = stored->i;
        return true;
    }
    return check_indices(file, group, "i", stored->i, count, stored->rows) &&
           check_indices(file, group, "p", stored->p, count, stored->columns);
}

// `p` says where each row (or column) begins in `i` and `x`.
static bool check_starts(CnHdf5* file, const char* group, const Stored* stored, int lines) {
    char path[PATH_SIZE];
    join(group, "p", path);
    if (stored->p_count < lines + 1) {
        return cn_hdf5_complain(file, path, "has %d entries; it must have %d", stored->p_count,
                                lines + 1);
    }
    int held = stored->i_count < stored->x_count ? stored->i_count : stored->x_count;
    for (int k = 0; k <= lines; ++k) {
        int before = k > 0 ? stored->p[k - 1] : 0;
        if (stored->p[k] < before || stored->p[k] > held || (k == 0 && stored->p[0] != 0)) {
            return cn_hdf5_complain(file, path,
                                    "entry %d is %d; starts must ascend from 0 to at most the %d "
                                    "entries of i and x",
                                    k, stored->p[k], held);
        }
    }
    return true;
}

static bool take_compressed(CnHdf5* file, const char* group, const Stored* stored,
                            CnFclibEntries* entries) {
    bool by_rows = stored->nz == BY_ROWS;
    int lines = by_rows ? stored->rows : stored->columns;
    if (!check_starts(file, group, stored, lines)) {
        return false;
    }
    int count = stored->p[lines];
    int* line = CN_ARENA_NEW(cn_hdf5_arena(file), int, count);
    if (line == NULL) {
        return cn_hdf5_complain_no_memory(file);
    }
    for (int k = 0; k < lines; ++k) {
        for (int e = stored->p[k]; e < stored->p[k + 1]; ++e) {
            line[e] = k;
        }
    }
    *entries =
        (CnFclibEntries){count, by_rows ? line : stored->i, by_rows ? stored->i : line, stored->x};
    return check_indices(file, group, "i", stored->i, count,
                         by_rows ? stored->columns : stored->rows);
}

bool cn_fclib_matrix_read(CnHdf5* file, const char* path, int rows, int columns,
                          CnFclibMatrix* matrix) {
    Stored stored;
    CnFclibEntries entries = {0};
    if (!read_stored(file, path, rows, columns, &stored)) {
        return false;
    }
    if (stored.nz > 0 && !take_triplets(file, path, &stored, &entries)) {
        return false;
    }
    if (stored.nz < 0 && !take_compressed(file, path, &stored, &entries)) {
        return false;
    }
    return cn_fclib_matrix_gather(rows, columns, &entries, cn_hdf5_arena(file), matrix) ||
           cn_hdf5_complain_no_memory(file);
}
