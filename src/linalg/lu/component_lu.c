// component_lu.c - LU of any regular sparse matrix, one factor per connected component.
#include "linalg/lu/component_lu.h"

#include "linalg/dense.h"
#include "linalg/lu/lu_partial_solve.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Up to here a dense LU, which may exchange any rows, costs less than planning a sparse one.
#define LARGEST_DENSE 96

// Most steps of iterative refinement after a sparse solve, which exchanges rows only within a
// front: one restores the lost digits while half of them are correct, the second removes its
// remainder.
#define REFINEMENTS 2

// ---- connected components ----

static int find_root(int* parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smallest coordinate of a set is its root, so that parts are numbered by their first
// coordinate.
static void join_neighbors(const CnSparseRows* matrix, int* parent) {
    for (int i = 0; i < matrix->rows; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < matrix->rows; ++i) {
        for (int e = matrix->start[i]; e < matrix->start[i + 1]; ++e) {
            int a = find_root(parent, i);
            int b = find_root(parent, matrix->column[e]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static CnStatus find_parts(CnComponentLu* lu, const CnSparseRows* matrix, CnArena* arena) {
    int n = lu->n;
    int* parent = lu->coordinate; // until it is filled
    join_neighbors(matrix, parent);
    for (int i = 0; i < n; ++i) {
        int root = find_root(parent, i);
        lu->part_of[i] = root == i ? lu->part_count++ : lu->part_of[root];
        lu->place[i] = lu->start[lu->part_of[i] + 1]++;
    }
    for (int k = 0; k < lu->part_count; ++k) {
        lu->start[k + 1] += lu->start[k];
    }
    for (int i = 0; i < n; ++i) {
        lu->coordinate[lu->start[lu->part_of[i]] + lu->place[i]] = i;
    }
    lu->parts = CN_ARENA_NEW(arena, CnLuComponent, lu->part_count);
    return lu->parts == NULL ? CN_NO_MEMORY : CN_OK;
}

// Rows and columns of one part.
static CnStatus cut_part(const CnComponentLu* lu, const CnSparseRows* matrix, int index,
                         CnArena* arena, CnSparseRows* out) {
    int n = lu->start[index + 1] - lu->start[index];
    const int* coordinate = &lu->coordinate[lu->start[index]];
    int count = 0;
    for (int k = 0; k < n; ++k) {
        count += matrix->start[coordinate[k] + 1] - matrix->start[coordinate[k]];
    }
    *out = (CnSparseRows){
        .rows = n,
        .columns = n,
        .start = CN_ARENA_NEW(arena, int, (size_t)n + 1),
        .column = CN_ARENA_NEW(arena, int, count),
        .value = CN_ARENA_NEW(arena, double, count),
    };
    if (out->start == NULL || out->column == NULL || out->value == NULL) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < n; ++k) { // places inside a part ascend as coordinates do
        int at = out->start[k];
        for (int e = matrix->start[coordinate[k]]; e < matrix->start[coordinate[k] + 1]; ++e) {
            out->column[at] = lu->place[matrix->column[e]];
            out->value[at++] = matrix->value[e];
        }
        out->start[k + 1] = at;
    }
    return CN_OK;
}

// ---- factoring one part ----

static CnStatus factor_dense(CnLuComponent* part, const CnSparseRows* matrix, CnArena* arena,
                             int* determinant_sign) {
    size_t n = (size_t)part->n;
    part->dense = CN_ARENA_NEW(arena, double, n* n);
    part->pivot = CN_ARENA_NEW(arena, int, n);
    if (part->dense == NULL || part->pivot == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < part->n; ++i) {
        for (int e = matrix->start[i]; e < matrix->start[i + 1]; ++e) {
            part->dense[(size_t)i * n + (size_t)matrix->column[e]] = matrix->value[e];
        }
    }
    if (!cn_dense_lu_factor(part->n, part->dense, part->pivot)) {
        return CN_INVALID;
    }
    for (int i = 0; i < part->n; ++i) {
        bool turns = (part->dense[(size_t)i * (n + 1)] < 0.0) != (part->pivot[i] != i);
        *determinant_sign *= turns ? -1 : 1;
    }
    return CN_OK;
}

// The symmetric pattern: i and j are neighbours when M_ij or M_ji is stored.
static bool find_graph(const CnSparseRows* matrix, CnArena* arena, CnBlockGraph* graph) {
    int count = matrix->start[matrix->rows];
    CnSparseRows transposed;
    int* start = CN_ARENA_NEW(arena, int, (size_t)matrix->rows + 1);
    int* neighbor = CN_ARENA_NEW(arena, int, 2 * (size_t)count);
    int used = 0;
    if (start == NULL || neighbor == NULL ||
        !cn_sparse_rows_transpose(matrix, arena, &transposed)) {
        return false;
    }
    for (int i = 0; i < matrix->rows; ++i) { // merges two ascending lists
        int a = matrix->start[i], b = transposed.start[i];
        while (a < matrix->start[i + 1] || b < transposed.start[i + 1]) {
            int own = a < matrix->start[i + 1] ? matrix->column[a] : matrix->rows;
            int other = b < transposed.start[i + 1] ? transposed.column[b] : matrix->rows;
            int least = own < other ? own : other;
            a += own == least;
            b += other == least;
            if (least > i) {
                neighbor[used++] = least;
            }
        }
        start[i + 1] = used;
    }
    *graph = (CnBlockGraph){matrix->rows, start, neighbor};
    return true;
}

// Every coordinate is a block of one row.
static CnStatus build_rows(CnLuComponent* part, const CnSparseRows* matrix, CnArena* arena) {
    CnBlockGraph graph;
    int* ones = CN_ARENA_NEW(arena, int, part->n);
    if (ones == NULL || !find_graph(matrix, arena, &graph)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < part->n; ++i) {
        ones[i] = 1;
    }
    CnStatus status = cn_block_rows_init(&part->rows, &graph, ones, arena);
    for (int i = 0; status == CN_OK && i < part->n; ++i) {
        int at = part->rows.start[i];
        for (int e = matrix->start[i]; e < matrix->start[i + 1]; ++e) {
            while (part->rows.column[at] < matrix->column[e]) {
                ++at;
            }
            part->rows.value[part->rows.position[at]] = matrix->value[e];
        }
    }
    return status;
}

static CnStatus factor_sparse(CnLuComponent* part, const CnSparseRows* matrix, CnArena* arena,
                              int* determinant_sign) {
    part->right = CN_ARENA_NEW(arena, double, part->n);
    part->defect = CN_ARENA_NEW(arena, double, part->n);
    if (part->right == NULL || part->defect == NULL || build_rows(part, matrix, arena) != CN_OK ||
        cn_lu_analyze(&part->lu, &part->rows, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    bool ok = cn_lu_factor(&part->lu, &part->rows) &&
              part->lu.least_pivot > part->n * DBL_EPSILON; // the same test as for a dense LU
    *determinant_sign *= part->lu.determinant_sign;
    return ok ? CN_OK : CN_INVALID;
}

CnStatus cn_component_lu_factor(CnComponentLu* lu, const CnSparseRows* matrix, CnArena* arena) {
    int n = matrix->rows;
    *lu = (CnComponentLu){
        .n = n,
        .start = CN_ARENA_NEW(arena, int, (size_t)n + 1),
        .coordinate = CN_ARENA_NEW(arena, int, n),
        .part_of = CN_ARENA_NEW(arena, int, n),
        .place = CN_ARENA_NEW(arena, int, n),
        .local = CN_ARENA_NEW(arena, double, n),
        .wanted = CN_ARENA_NEW(arena, int, n),
        .determinant_sign = 1,
        .singular_at = -1,
    };
    if (lu->start == NULL || lu->coordinate == NULL || lu->part_of == NULL || lu->place == NULL ||
        lu->local == NULL || lu->wanted == NULL || find_parts(lu, matrix, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    CnStatus status = CN_OK;
    for (int k = 0; status == CN_OK && k < lu->part_count; ++k) {
        CnSparseRows cut;
        CnLuComponent* part = &lu->parts[k];
        part->n = lu->start[k + 1] - lu->start[k];
        status = cut_part(lu, matrix, k, arena, &cut);
        if (status == CN_OK) {
            status = part->n <= LARGEST_DENSE
                         ? factor_dense(part, &cut, arena, &lu->determinant_sign)
                         : factor_sparse(part, &cut, arena, &lu->determinant_sign);
        }
        lu->singular_at = status == CN_INVALID ? lu->coordinate[lu->start[k]] : -1;
    }
    return status;
}

// ---- solving ----

size_t cn_component_lu_numbers(const CnComponentLu* lu, int part) {
    const CnLuComponent* own = &lu->parts[part];
    return own->dense != NULL ? (size_t)own->n * (size_t)own->n : own->lu.plan.factor_size;
}

// defect = b - A x. False when every entry is within the rounding error of its sum: refinement
// cannot gain anything. docs/theory/problem.md (13).
static bool find_defect(CnLuComponent* part, const double* x) {
    const CnBlockRows* rows = &part->rows;
    bool is_seen = false;
    for (int i = 0; i < part->n; ++i) {
        double sum = part->right[i], size = fabs(sum);
        for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
            double term = rows->value[rows->position[e]] * x[rows->column[e]];
            sum -= term;
            size += fabs(term);
        }
        int terms = 1 + rows->start[i + 1] - rows->start[i];
        part->defect[i] = sum;
        is_seen = is_seen || fabs(sum) > terms * DBL_EPSILON * size;
    }
    return is_seen;
}

void cn_component_lu_solve_one(CnComponentLu* lu, int index, double* x) {
    CnLuComponent* part = &lu->parts[index];
    if (part->dense != NULL) {
        cn_dense_lu_solve(part->n, part->dense, part->pivot, x);
        return;
    }
    memcpy(part->right, x, (size_t)part->n * sizeof *x);
    cn_lu_solve(&part->lu, part->right, x);
    for (int i = 0; i < REFINEMENTS && find_defect(part, x); ++i) {
        cn_lu_solve(&part->lu, part->defect, part->defect);
        cn_dense_add_scaled(part->n, 1.0, part->defect, x);
    }
}

void cn_component_lu_solve(CnComponentLu* lu, const double* b, double* x) {
    for (int k = 0; k < lu->part_count; ++k) {
        const int* coordinate = &lu->coordinate[lu->start[k]];
        int n = lu->parts[k].n;
        for (int i = 0; i < n; ++i) {
            lu->local[i] = b[coordinate[i]];
        }
        cn_component_lu_solve_one(lu, k, lu->local);
        for (int i = 0; i < n; ++i) {
            x[coordinate[i]] = lu->local[i];
        }
    }
}

size_t cn_component_lu_scratch(const CnComponentLu* lu, int columns) {
    size_t most = 0;
    for (int k = 0; k < lu->part_count; ++k) {
        size_t own =
            lu->parts[k].dense != NULL ? 0 : cn_lu_partial_scratch(&lu->parts[k].lu, columns);
        most = own > most ? own : most;
    }
    return most;
}

static void solve_dense_among(CnComponentLu* lu, const CnLuComponent* part, int count, int columns,
                              double* value) {
    for (int c = 0; c < columns; ++c) {
        memset(lu->local, 0, (size_t)part->n * sizeof(double));
        for (int i = 0; i < count; ++i) {
            lu->local[lu->wanted[i]] = value[i * columns + c];
        }
        cn_dense_lu_solve(part->n, part->dense, part->pivot, lu->local);
        for (int i = 0; i < count; ++i) {
            value[i * columns + c] = lu->local[lu->wanted[i]];
        }
    }
}

void cn_component_lu_solve_partial(CnComponentLu* lu, int count, const int* coordinate, int columns,
                                   double* value, double* scratch) {
    if (count == 0) {
        return;
    }
    CnLuComponent* part = &lu->parts[lu->part_of[coordinate[0]]];
    for (int i = 0; i < count; ++i) {
        lu->wanted[i] = lu->place[coordinate[i]];
    }
    if (part->dense != NULL) {
        solve_dense_among(lu, part, count, columns, value);
    } else {
        cn_lu_solve_partial(&part->lu, count, lu->wanted, columns, value, scratch);
    }
}
