// fclib_global.c - problems as masses and directions: docs/theory/problem.md (11).
#include "fclib/fclib_global.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "constraints/problem/masses.h"
#include "linalg/dense.h"
#include <string.h>

// Coordinates with an inverse mass of zero are left out: the effect of their velocity on the rows
// is known.
static bool can_shift(const CnProblem* problem, int body) {
    return problem->inverse_mass[body] > 0.0;
}

static bool can_turn(const CnProblem* problem, int body) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += problem->inverse_inertia[body][4 * i];
    }
    return sum > 0.0;
}

// place[b][k]: the index of coordinate k of body b, -1 if it cannot move. Returns the number of
// coordinates.
static int number_coordinates(const CnProblem* problem, int (*place)[6]) {
    int count = 0;
    for (int body = 0; body < problem->body_count; ++body) {
        for (int k = 0; k < 6; ++k) {
            bool moves = k < 3 ? can_shift(problem, body) : can_turn(problem, body);
            place[body][k] = moves ? count++ : -1;
        }
    }
    return count;
}

// Entries in the order of arrival; the arrays are large enough for all bodies or all rows.
typedef struct TripletList {
    int count;
    int *row, *column;
    double* value;
} TripletList;

static bool list_begin(TripletList* list, size_t capacity, CnArena* arena) {
    *list = (TripletList){
        .row = CN_ARENA_NEW(arena, int, capacity),
        .column = CN_ARENA_NEW(arena, int, capacity),
        .value = CN_ARENA_NEW(arena, double, capacity),
    };
    return list->row != NULL && list->column != NULL && list->value != NULL;
}

static void list_add(TripletList* list, int row, int column, double value) {
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
}

static bool list_end(const TripletList* list, int rows, int columns, CnArena* arena,
                     CnSparseRows* matrix) {
    CnSparseEntries entries = {list->count, list->row, list->column, list->value};
    return cn_sparse_rows_gather(rows, columns, &entries, arena, matrix);
}

// The inertia of a body in world axes; false if it can turn about some axes only.
static bool invert_inertia(const double inverse[9], double inertia[9]) {
    double lu[9];
    int pivot[3];
    memcpy(lu, inverse, sizeof lu);
    if (!cn_dense_lu_factor(3, lu, pivot)) {
        return false;
    }
    for (int j = 0; j < 3; ++j) {
        double column[3] = {j == 0, j == 1, j == 2};
        cn_dense_lu_solve(3, lu, pivot, column);
        for (int i = 0; i < 3; ++i) {
            inertia[3 * i + j] = column[i];
        }
    }
    return true;
}

static CnStatus add_body(const CnProblem* problem, int body, int (*place)[6], TripletList* mass,
                         double* force, CnError* error) {
    const double* velocity = problem->free_velocity[body];
    for (int k = 0; k < 3 && can_shift(problem, body); ++k) {
        int i = place[body][k];
        list_add(mass, i, i, 1.0 / problem->inverse_mass[body]);
        force[i] = velocity[k] / problem->inverse_mass[body];
    }
    if (!can_turn(problem, body)) {
        return CN_OK;
    }
    double inertia[9];
    if (!invert_inertia(problem->inverse_inertia[body], inertia)) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "body %d can turn about some axes only; an FCLib file cannot hold that",
                            body);
    }
    for (int k = 0; k < 3; ++k) {
        int i = place[body][3 + k];
        force[i] = 0.0;
        for (int l = 0; l < 3; ++l) {
            list_add(mass, i, place[body][3 + l], inertia[3 * k + l]);
            force[i] += inertia[3 * k + l] * velocity[3 + l];
        }
    }
    return CN_OK;
}

// One side of a row: directions of coordinates that move, and the velocity of those that do not.
static void add_side(const CnProblem* problem, int body, const double jacobian[6], int row,
                     int (*place)[6], TripletList* direction, double* offset) {
    for (int k = 0; body >= 0 && k < 6; ++k) {
        if (place[body][k] >= 0) {
            list_add(direction, place[body][k], row, jacobian[k]);
        } else {
            *offset += jacobian[k] * problem->free_velocity[body][k];
        }
    }
}

static void add_rows(const CnProblem* problem, const int* row, int (*place)[6],
                     TripletList* direction, double* offset) {
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        for (int i = block->first_row; i < block->first_row + block->row_count; ++i) {
            double* own = &offset[row[i]];
            *own = -problem->target[i];
            for (int side = 0; side < cn_block_sides(block); ++side) {
                add_side(problem, cn_block_body(block, side), cn_block_jacobian(problem, i, side),
                         row[i], place, direction, own);
            }
        }
    }
}

CnStatus cn_fclib_from_bodies(const CnProblem* problem, const int* row, CnArena* arena,
                              CnFclibGlobal* global, CnError* error) {
    size_t bodies = (size_t)problem->body_count;
    size_t rows = (size_t)problem->row_count;
    int(*place)[6] = cn_arena_allocate(arena, bodies, sizeof *place);
    TripletList mass, direction;
    const char* no_memory = "no memory for the masses of %d bodies";
    if (place == NULL || !list_begin(&mass, 12 * bodies, arena) ||
        !list_begin(&direction, (problem->jacobian_c != NULL ? 24 : 12) * rows, arena)) {
        return cn_error_set(error, CN_NO_MEMORY, no_memory, problem->body_count);
    }
    int n = number_coordinates(problem, place);
    global->force = CN_ARENA_NEW(arena, double, n);
    global->offset = CN_ARENA_NEW(arena, double, rows);
    if (global->force == NULL || global->offset == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, no_memory, problem->body_count);
    }
    CnStatus status = CN_OK;
    for (int body = 0; status == CN_OK && body < problem->body_count; ++body) {
        status = add_body(problem, body, place, &mass, global->force, error);
    }
    if (status != CN_OK) {
        return status;
    }
    add_rows(problem, row, place, &direction, global->offset);
    if (!list_end(&mass, n, n, arena, &global->mass) ||
        !list_end(&direction, n, problem->row_count, arena, &global->direction)) {
        return cn_error_set(error, CN_NO_MEMORY, no_memory, problem->body_count);
    }
    return CN_OK;
}

// A is the transpose of J with its columns reordered.
CnStatus cn_fclib_from_masses(const CnProblem* problem, const int* row, CnArena* arena,
                              CnFclibGlobal* global, CnError* error) {
    const CnMasses* masses = problem->masses;
    const CnSparseRows* jacobian = &masses->jacobian;
    int n = masses->coordinate_count;
    TripletList direction;
    global->mass = masses->mass;
    global->force = CN_ARENA_NEW(arena, double, n);
    global->offset = CN_ARENA_NEW(arena, double, problem->row_count);
    if (global->force == NULL || global->offset == NULL ||
        !list_begin(&direction, (size_t)jacobian->start[jacobian->rows], arena)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the masses of %d coordinates", n);
    }
    for (int i = 0; i < n; ++i) {
        global->force[i] =
            cn_sparse_rows_dot(&masses->mass, i, (const double*)problem->free_velocity);
    }
    for (int i = 0; i < problem->row_count; ++i) {
        global->offset[row[i]] = -problem->target[i];
        for (int e = jacobian->start[i]; e < jacobian->start[i + 1]; ++e) {
            list_add(&direction, jacobian->column[e], row[i], jacobian->value[e]);
        }
    }
    return list_end(&direction, n, problem->row_count, arena, &global->direction)
               ? CN_OK
               : cn_error_set(error, CN_NO_MEMORY, "no memory for %d directions",
                              problem->row_count);
}

int cn_fclib_gather_velocity(const CnProblem* problem, const double (*velocity)[6], double* out) {
    int count = 0;
    if (problem->masses != NULL) {
        count = problem->masses->coordinate_count;
        memcpy(out, velocity, (size_t)count * sizeof(double));
        return count;
    }
    for (int body = 0; body < problem->body_count; ++body) {
        for (int k = 0; k < 6; ++k) {
            if (k < 3 ? can_shift(problem, body) : can_turn(problem, body)) {
                out[count++] = velocity[body][k];
            }
        }
    }
    return count;
}
