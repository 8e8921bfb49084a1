// fclib_mass.c - a part of a general mass matrix, factored: docs/theory/problem.md.
#include "io/fclib_mass.h"

#include "base/error.h"
#include "linalg/dense.h"
#include <float.h>
#include <string.h>

// Up to here a dense LU, which may exchange any rows, costs less than planning a sparse one.
#define LARGEST_DENSE 96

// Steps of refinement after a sparse solve, whose exchanges are bound to its fronts: one gives back
// what they lose as long as half the digits are there, the second tells that nothing is left.
#define REFINEMENTS 2

static CnStatus fail_memory(int n, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory to factor %d coordinates", n);
}

static CnStatus fail_singular(CnError* error) {
    return cn_error_set(error, CN_INVALID, "is singular");
}

static CnStatus factor_dense(CnFclibMass* mass, const CnFclibMatrix* part, CnArena* arena,
                             CnError* error) {
    size_t n = (size_t)mass->n;
    mass->dense = CN_ARENA_NEW(arena, double, n* n);
    mass->pivot = CN_ARENA_NEW(arena, int, n);
    if (mass->dense == NULL || mass->pivot == NULL) {
        return fail_memory(mass->n, error);
    }
    for (int i = 0; i < mass->n; ++i) {
        for (int e = part->start[i]; e < part->start[i + 1]; ++e) {
            mass->dense[(size_t)i * n + (size_t)part->column[e]] = part->value[e];
        }
    }
    return cn_dense_lu_factor(mass->n, mass->dense, mass->pivot) ? CN_OK : fail_singular(error);
}

// Who meets whom: i and j do when M_ij or M_ji is there.
static bool find_graph(const CnFclibMatrix* part, CnArena* arena, CnBlockGraph* graph) {
    int count = part->start[part->rows];
    CnFclibMatrix transposed;
    int* start = CN_ARENA_NEW(arena, int, (size_t)part->rows + 1);
    int* neighbor = CN_ARENA_NEW(arena, int, 2 * (size_t)count);
    int used = 0;
    if (start == NULL || neighbor == NULL || !cn_fclib_matrix_transpose(part, arena, &transposed)) {
        return false;
    }
    for (int i = 0; i < part->rows; ++i) { // merges two ascending lists
        int a = part->start[i], b = transposed.start[i];
        while (a < part->start[i + 1] || b < transposed.start[i + 1]) {
            int own = a < part->start[i + 1] ? part->column[a] : part->rows;
            int other = b < transposed.start[i + 1] ? transposed.column[b] : part->rows;
            int least = own < other ? own : other;
            a += own == least;
            b += other == least;
            if (least > i) {
                neighbor[used++] = least;
            }
        }
        start[i + 1] = used;
    }
    *graph = (CnBlockGraph){part->rows, start, neighbor};
    return true;
}

// Every coordinate is a block of one row.
static CnStatus build_rows(CnFclibMass* mass, const CnFclibMatrix* part, CnArena* arena) {
    CnBlockGraph graph;
    int* ones = CN_ARENA_NEW(arena, int, mass->n);
    if (ones == NULL || !find_graph(part, arena, &graph)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < mass->n; ++i) {
        ones[i] = 1;
    }
    CnStatus status = cn_block_rows_init(&mass->rows, &graph, ones, arena);
    for (int i = 0; status == CN_OK && i < mass->n; ++i) {
        int at = mass->rows.start[i];
        for (int e = part->start[i]; e < part->start[i + 1]; ++e) {
            while (mass->rows.column[at] < part->column[e]) {
                ++at;
            }
            mass->rows.value[mass->rows.position[at]] = part->value[e];
        }
    }
    return status;
}

static CnStatus factor_sparse(CnFclibMass* mass, const CnFclibMatrix* part, CnArena* arena,
                              CnError* error) {
    mass->right = CN_ARENA_NEW(arena, double, mass->n);
    mass->defect = CN_ARENA_NEW(arena, double, mass->n);
    if (mass->right == NULL || mass->defect == NULL || build_rows(mass, part, arena) != CN_OK ||
        cn_lu_analyze(&mass->lu, &mass->rows, arena) != CN_OK) {
        return fail_memory(mass->n, error);
    }
    bool ok = cn_lu_factor(&mass->lu, &mass->rows) &&
              mass->lu.least_pivot > mass->n * DBL_EPSILON; // as a dense one is judged
    return ok ? CN_OK : fail_singular(error);
}

CnStatus cn_fclib_mass_factor(CnFclibMass* mass, const CnFclibMatrix* part, CnArena* arena,
                              CnError* error) {
    *mass = (CnFclibMass){.n = part->rows};
    return part->rows <= LARGEST_DENSE ? factor_dense(mass, part, arena, error)
                                       : factor_sparse(mass, part, arena, error);
}

void cn_fclib_mass_solve(CnFclibMass* mass, double* x) {
    if (mass->dense != NULL) {
        cn_dense_lu_solve(mass->n, mass->dense, mass->pivot, x);
        return;
    }
    memcpy(mass->right, x, (size_t)mass->n * sizeof *x);
    cn_lu_solve(&mass->lu, mass->right, x);
    for (int i = 0; i < REFINEMENTS; ++i) {
        cn_lu_refine(&mass->lu, &mass->rows, mass->right, x, mass->defect);
    }
}
