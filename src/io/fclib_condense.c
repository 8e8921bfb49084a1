// fclib_condense.c - from masses and directions to the response of rows: docs/theory/problem.md.
#include "io/fclib_condense.h"

#include "base/error.h"
#include "base/sort.h"
#include "io/fclib_mass.h"
#include <string.h>

// Coordinates that M ties together, part by part; inside a part they ascend.
typedef struct Parts {
    int count;
    int* start;      // coordinates of part k: coordinate[start[k] .. start[k+1])   [count + 1]
    int* coordinate; // [n]
    int* place;      // of a coordinate inside its part   [n]
} Parts;

// ---- parts of M ----

static int find_root(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smallest coordinate of a set is its root, so that parts come in order of their first one.
static void join_neighbors(const CnFclibMatrix* mass, int* parent) {
    for (int i = 0; i < mass->rows; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < mass->rows; ++i) {
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e) {
            int a = find_root(parent, i);
            int b = find_root(parent, mass->column[e]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static bool find_parts(const CnFclibMatrix* mass, CnArena* arena, Parts* parts) {
    int n = mass->rows;
    int* parent = CN_ARENA_NEW(arena, int, n);
    int* part_of = CN_ARENA_NEW(arena, int, n);
    *parts = (Parts){
        .start = CN_ARENA_NEW(arena, int, (size_t)n + 1),
        .coordinate = CN_ARENA_NEW(arena, int, n),
        .place = CN_ARENA_NEW(arena, int, n),
    };
    if (parent == NULL || part_of == NULL || parts->start == NULL || parts->coordinate == NULL ||
        parts->place == NULL) {
        return false;
    }
    join_neighbors(mass, parent);
    for (int i = 0; i < n; ++i) {
        int root = find_root(parent, i);
        part_of[i] = root == i ? parts->count++ : part_of[root];
        parts->place[i] = parts->start[part_of[i] + 1]++;
    }
    for (int k = 0; k < parts->count; ++k) {
        parts->start[k + 1] += parts->start[k];
    }
    for (int i = 0; i < n; ++i) {
        parts->coordinate[parts->start[part_of[i]] + parts->place[i]] = i;
    }
    return true;
}

// ---- motion: Z = M^-1 A, part by part ----

static bool column_before(int a, int b, const void* context) {
    (void)context;
    return a < b;
}

// Rows of the problem that act on a part, ascending; mark[] tells those already found by `part`.
static int find_columns(const CnFclibMatrix* direction, const Parts* parts, int part, int* mark,
                        int* columns) {
    int count = 0;
    for (int k = parts->start[part]; k < parts->start[part + 1]; ++k) {
        int i = parts->coordinate[k];
        for (int e = direction->start[i]; e < direction->start[i + 1]; ++e) {
            int column = direction->column[e];
            if (mark[column] != part + 1) {
                mark[column] = part + 1;
                columns[count++] = column;
            }
        }
    }
    cn_sort(columns, count, column_before, NULL);
    return count;
}

// The pattern of Z: every coordinate of a part answers to every row that acts on the part. False:
// no memory.
static bool allocate_motion(const CnFclibGlobal* global, const Parts* parts, int* mark,
                            int* columns, CnArena* arena, CnFclibMatrix* motion) {
    int n = global->mass.rows;
    size_t entries = 0;
    *motion = (CnFclibMatrix){.rows = n, .columns = global->direction.columns};
    motion->start = CN_ARENA_NEW(arena, int, (size_t)n + 1);
    for (int part = 0; motion->start != NULL && part < parts->count; ++part) {
        int count = find_columns(&global->direction, parts, part, mark, columns);
        for (int k = parts->start[part]; k < parts->start[part + 1]; ++k) {
            motion->start[parts->coordinate[k] + 1] = count;
            entries += (size_t)count;
        }
    }
    if (motion->start == NULL || entries > CN_HDF5_MAX_COUNT) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        motion->start[i + 1] += motion->start[i];
    }
    motion->column = CN_ARENA_NEW(arena, int, entries);
    motion->value = CN_ARENA_NEW(arena, double, entries);
    return motion->column != NULL && motion->value != NULL;
}

// One part of M, factored.
typedef struct Factor {
    const int* coordinate; // [mass.n]
    CnFclibMass mass;
    double* x; // [mass.n]
} Factor;

// Rows and columns of one part.
static bool cut_part(const CnFclibMatrix* mass, const Parts* parts, int part, CnArena* arena,
                     CnFclibMatrix* out) {
    int n = parts->start[part + 1] - parts->start[part];
    const int* coordinate = &parts->coordinate[parts->start[part]];
    int count = 0;
    for (int k = 0; k < n; ++k) {
        count += mass->start[coordinate[k] + 1] - mass->start[coordinate[k]];
    }
    *out = (CnFclibMatrix){.rows = n, .columns = n};
    out->start = CN_ARENA_NEW(arena, int, (size_t)n + 1);
    out->column = CN_ARENA_NEW(arena, int, count);
    out->value = CN_ARENA_NEW(arena, double, count);
    if (out->start == NULL || out->column == NULL || out->value == NULL) {
        return false;
    }
    for (int k = 0; k < n; ++k) { // places inside a part ascend as coordinates do
        int at = out->start[k];
        for (int e = mass->start[coordinate[k]]; e < mass->start[coordinate[k] + 1]; ++e) {
            out->column[at] = parts->place[mass->column[e]];
            out->value[at++] = mass->value[e];
        }
        out->start[k + 1] = at;
    }
    return true;
}

static CnStatus factor_part(const CnFclibMatrix* mass, const Parts* parts, int part, CnArena* arena,
                            Factor* factor, CnError* error) {
    int n = parts->start[part + 1] - parts->start[part];
    CnFclibMatrix cut;
    factor->coordinate = &parts->coordinate[parts->start[part]];
    factor->x = CN_ARENA_NEW(arena, double, n);
    if (factor->x == NULL || !cut_part(mass, parts, part, arena, &cut)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for %d coordinates", n);
    }
    CnStatus status = cn_fclib_mass_factor(&factor->mass, &cut, arena, error);
    return status == CN_INVALID
               ? cn_error_set(error, CN_INVALID, "is singular (coordinate %d and those tied to it)",
                              factor->coordinate[0])
               : status;
}

static double entry_at(const CnFclibMatrix* matrix, int row, int column) {
    for (int e = matrix->start[row]; e < matrix->start[row + 1]; ++e) {
        if (matrix->column[e] == column) {
            return matrix->value[e];
        }
    }
    return 0.0;
}

// The coordinates of one part: free velocity, and one column of Z after the other.
static void solve_part(const CnFclibGlobal* global, Factor* factor, const int* columns,
                       int column_count, CnFclibCondensed* condensed) {
    for (int k = 0; k < factor->mass.n; ++k) {
        factor->x[k] = global->force[factor->coordinate[k]];
    }
    cn_fclib_mass_solve(&factor->mass, factor->x);
    for (int k = 0; k < factor->mass.n; ++k) {
        condensed->free_velocity[factor->coordinate[k]] = factor->x[k];
    }
    for (int j = 0; j < column_count; ++j) {
        for (int k = 0; k < factor->mass.n; ++k) {
            factor->x[k] = entry_at(&global->direction, factor->coordinate[k], columns[j]);
        }
        cn_fclib_mass_solve(&factor->mass, factor->x);
        for (int k = 0; k < factor->mass.n; ++k) {
            int at = condensed->motion.start[factor->coordinate[k]] + j;
            condensed->motion.column[at] = columns[j];
            condensed->motion.value[at] = factor->x[k];
        }
    }
}

static CnStatus find_motion(const CnFclibGlobal* global, CnArena* arena,
                            CnFclibCondensed* condensed, CnError* error) {
    int rows = global->direction.columns;
    Parts parts;
    int* mark = CN_ARENA_NEW(arena, int, rows);
    int* columns = CN_ARENA_NEW(arena, int, rows);
    condensed->free_velocity = CN_ARENA_NEW(arena, double, global->mass.rows);
    if (mark == NULL || columns == NULL || condensed->free_velocity == NULL ||
        !find_parts(&global->mass, arena, &parts) ||
        !allocate_motion(global, &parts, mark, columns, arena, &condensed->motion)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to condense %d coordinates",
                            global->mass.rows);
    }
    memset(mark, 0, (size_t)rows * sizeof *mark);
    CnStatus status = CN_OK;
    for (int part = 0; status == CN_OK && part < parts.count; ++part) {
        CnArenaMark before = cn_arena_mark(arena);
        Factor factor;
        status = factor_part(&global->mass, &parts, part, arena, &factor, error);
        if (status == CN_OK) {
            int count = find_columns(&global->direction, &parts, part, mark, columns);
            solve_part(global, &factor, columns, count, condensed);
        }
        cn_arena_release(arena, before);
    }
    return status;
}

// ---- response: W = A^T Z ----

// The pattern of one row of A^T Z, unsorted; sums go to sum[], which is zero outside the pattern.
static int multiply_row(const CnFclibMatrix* left, const CnFclibMatrix* right, int row, int* mark,
                        int* columns, double* sum) {
    int count = 0;
    for (int a = left->start[row]; a < left->start[row + 1]; ++a) {
        int k = left->column[a];
        for (int b = right->start[k]; b < right->start[k + 1]; ++b) {
            int column = right->column[b];
            if (mark[column] != row + 1) {
                mark[column] = row + 1;
                columns[count++] = column;
                sum[column] = 0.0;
            }
            sum[column] += left->value[a] * right->value[b];
        }
    }
    return count;
}

static size_t count_product(const CnFclibMatrix* left, const CnFclibMatrix* right, int* mark,
                            int* columns, double* sum) {
    size_t entries = 0;
    for (int row = 0; row < left->rows; ++row) {
        entries += (size_t)multiply_row(left, right, row, mark, columns, sum);
    }
    memset(mark, 0, (size_t)right->columns * sizeof *mark);
    return entries;
}

// False: no memory, or more entries than a matrix may have.
static bool multiply(const CnFclibMatrix* left, const CnFclibMatrix* right, CnArena* arena,
                     CnFclibMatrix* product) {
    int* mark = CN_ARENA_NEW(arena, int, right->columns);
    int* columns = CN_ARENA_NEW(arena, int, right->columns);
    double* sum = CN_ARENA_NEW(arena, double, right->columns);
    if (mark == NULL || columns == NULL || sum == NULL) {
        return false;
    }
    size_t entries = count_product(left, right, mark, columns, sum);
    *product = (CnFclibMatrix){.rows = left->rows, .columns = right->columns};
    if (entries > CN_HDF5_MAX_COUNT) {
        return false;
    }
    product->start = CN_ARENA_NEW(arena, int, (size_t)left->rows + 1);
    product->column = CN_ARENA_NEW(arena, int, entries);
    product->value = CN_ARENA_NEW(arena, double, entries);
    if (product->start == NULL || product->column == NULL || product->value == NULL) {
        return false;
    }
    for (int row = 0; row < left->rows; ++row) {
        int at = product->start[row];
        int count = multiply_row(left, right, row, mark, columns, sum);
        cn_sort(columns, count, column_before, NULL);
        for (int k = 0; k < count; ++k) {
            product->column[at + k] = columns[k];
            product->value[at + k] = sum[columns[k]];
        }
        product->start[row + 1] = at + count;
    }
    return true;
}

CnStatus cn_fclib_condense(const CnFclibGlobal* global, CnArena* arena, CnFclibCondensed* condensed,
                           CnError* error) {
    CnFclibMatrix rows; // A^T
    CnStatus status = find_motion(global, arena, condensed, error);
    if (status != CN_OK) {
        return status;
    }
    condensed->free_row_velocity = CN_ARENA_NEW(arena, double, global->direction.columns);
    if (condensed->free_row_velocity == NULL ||
        !cn_fclib_matrix_transpose(&global->direction, arena, &rows) ||
        !multiply(&rows, &condensed->motion, arena, &condensed->response)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the response of %d rows",
                            global->direction.columns);
    }
    for (int i = 0; i < rows.rows; ++i) {
        double sum = global->offset[i];
        for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) {
            sum += rows.value[e] * condensed->free_velocity[rows.column[e]];
        }
        condensed->free_row_velocity[i] = sum;
    }
    return CN_OK;
}
