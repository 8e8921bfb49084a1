// fclib_matrix.c - the sparse matrices of FCLib files in any storage.
#include "fclib/fclib_matrix.h"

#include <stdio.h>
#include <string.h>

// Values of `nz` that name the storage; others count triplets.
enum { BY_COLUMNS = -1, BY_ROWS = -2 };

#define PATH_SIZE 128

// The lists of a group as stored in the file.
typedef struct Stored {
    int rows, columns, nz;
    int *p, *i;
    double* x;
    int p_count, i_count, x_count;
} Stored;

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
        return cn_hdf5_report_error(file, group,
                                    "is %d x %d; with these vectors it must be %d x %d",
                                    stored->rows, stored->columns, rows, columns);
    }
    if (stored->nz < BY_ROWS) {
        return cn_hdf5_report_error(
            file, group,
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
    return outside < 0 || cn_hdf5_report_error(file, join(group, list, path),
                                               "entry %d is %d; it must be from 0 to %d", outside,
                                               index[outside], limit - 1);
}

// In existing files `i` holds rows and `p` columns. FCLib's header says the opposite, so a file
// whose indices fit only the other way round is read that way.
static bool take_triplets(CnHdf5* file, const char* group, const Stored* stored,
                          CnSparseEntries* entries) {
    int count = stored->nz;
    if (stored->p_count < count || stored->i_count < count || stored->x_count < count) {
        return cn_hdf5_report_error(file, group,
                                    "has %d triplets, but p, i and x hold %d, %d and %d", count,
                                    stored->p_count, stored->i_count, stored->x_count);
    }
    *entries = (CnSparseEntries){count, stored->i, stored->p, stored->x};
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

// `p` holds the start of each row (or column) in `i` and `x`.
static bool check_starts(CnHdf5* file, const char* group, const Stored* stored, int lines) {
    char path[PATH_SIZE];
    join(group, "p", path);
    if (stored->p_count < lines + 1) {
        return cn_hdf5_report_error(file, path, "has %d entries; it must have %d", stored->p_count,
                                    lines + 1);
    }
    int held = stored->i_count < stored->x_count ? stored->i_count : stored->x_count;
    for (int k = 0; k <= lines; ++k) {
        int before = k > 0 ? stored->p[k - 1] : 0;
        if (stored->p[k] < before || stored->p[k] > held || (k == 0 && stored->p[0] != 0)) {
            return cn_hdf5_report_error(
                file, path,
                "entry %d is %d; starts must ascend from 0 to at most the %d "
                "entries of i and x",
                k, stored->p[k], held);
        }
    }
    return true;
}

static bool take_compressed(CnHdf5* file, const char* group, const Stored* stored,
                            CnSparseEntries* entries) {
    bool by_rows = stored->nz == BY_ROWS;
    int lines = by_rows ? stored->rows : stored->columns;
    if (!check_starts(file, group, stored, lines)) {
        return false;
    }
    int count = stored->p[lines];
    int* line = CN_ARENA_NEW(cn_hdf5_arena(file), int, count);
    if (line == NULL) {
        return cn_hdf5_report_no_memory(file);
    }
    for (int k = 0; k < lines; ++k) {
        for (int e = stored->p[k]; e < stored->p[k + 1]; ++e) {
            line[e] = k;
        }
    }
    *entries =
        (CnSparseEntries){count, by_rows ? line : stored->i, by_rows ? stored->i : line, stored->x};
    return check_indices(file, group, "i", stored->i, count,
                         by_rows ? stored->columns : stored->rows);
}

bool cn_fclib_matrix_read(CnHdf5* file, const char* path, int rows, int columns,
                          CnSparseRows* matrix) {
    Stored stored;
    CnSparseEntries entries = {0};
    if (!read_stored(file, path, rows, columns, &stored)) {
        return false;
    }
    if (stored.nz > 0 && !take_triplets(file, path, &stored, &entries)) {
        return false;
    }
    if (stored.nz < 0 && !take_compressed(file, path, &stored, &entries)) {
        return false;
    }
    return cn_sparse_rows_gather(rows, columns, &entries, cn_hdf5_arena(file), matrix) ||
           cn_hdf5_report_no_memory(file);
}
