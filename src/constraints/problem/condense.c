// condense.c - from masses to the response of rows: docs/theory/problem.md (14).
#include "base/error.h"
#include "constraints/problem/masses.h"
#include <string.h>

size_t cn_masses_response_entries(const CnMasses* masses) {
    size_t entries = 0;
    for (int k = 0; k < masses->lu->part_count; ++k) {
        size_t rows = (size_t)(masses->part_start[k + 1] - masses->part_start[k]);
        entries += rows * rows;
    }
    return entries;
}

// One column of W at a time: M^-1 of a row of J, felt by all rows that share a part with it.
typedef struct Column {
    int* rows;      // that feel it   [row_count]
    int count;      //
    int* listed_by; // 1 + the last row that listed a row   [row_count]
    int* solved_by; // 1 + the last row that was solved in a part   [part_count]
    double* motion; // M^-1 J_j^T, zero in parts not touched   [coordinate_count]
    double* local;  // of one part   [coordinate_count]
} Column;

static bool column_init(const CnMasses* masses, CnArena* arena, Column* column) {
    *column = (Column){
        .rows = CN_ARENA_NEW(arena, int, masses->row_count),
        .listed_by = CN_ARENA_NEW(arena, int, masses->row_count),
        .solved_by = CN_ARENA_NEW(arena, int, masses->lu->part_count),
        .motion = CN_ARENA_NEW(arena, double, masses->coordinate_count),
        .local = CN_ARENA_NEW(arena, double, masses->coordinate_count),
    };
    return column->rows != NULL && column->listed_by != NULL && column->solved_by != NULL &&
           column->motion != NULL && column->local != NULL;
}

// The rows that share a part with row j, in no order. `mark` tells this listing from others.
static void list_rows(const CnMasses* masses, int j, int mark, Column* column) {
    const CnSparseRows* jacobian = &masses->jacobian;
    column->count = 0;
    for (int e = jacobian->start[j]; e < jacobian->start[j + 1]; ++e) {
        int part = masses->lu->part_of[jacobian->column[e]];
        if (column->solved_by[part] == mark) {
            continue;
        }
        column->solved_by[part] = mark;
        for (int k = masses->part_start[part]; k < masses->part_start[part + 1]; ++k) {
            int row = masses->part_row[k];
            if (column->listed_by[row] != mark) {
                column->listed_by[row] = mark;
                column->rows[column->count++] = row;
            }
        }
    }
}

// Spreads `values` of a part over all coordinates, or with NULL clears them.
static void write_part(const CnComponentLu* lu, int part, const double* values, double* motion) {
    for (int k = lu->start[part]; k < lu->start[part + 1]; ++k) {
        motion[lu->coordinate[k]] = values != NULL ? values[k - lu->start[part]] : 0.0;
    }
}

// motion = M^-1 J_j^T in the parts that row j touches.
static void move(const CnMasses* masses, int j, Column* column) {
    const CnSparseRows* jacobian = &masses->jacobian;
    CnComponentLu* lu = masses->lu;
    for (int e = jacobian->start[j]; e < jacobian->start[j + 1]; ++e) {
        int part = lu->part_of[jacobian->column[e]];
        if (column->solved_by[part] < 0) {
            continue;
        }
        column->solved_by[part] = -column->solved_by[part]; // done
        memset(column->local, 0, (size_t)lu->parts[part].n * sizeof(double));
        for (int other = e; other < jacobian->start[j + 1]; ++other) {
            if (lu->part_of[jacobian->column[other]] == part) {
                column->local[lu->place[jacobian->column[other]]] = jacobian->value[other];
            }
        }
        cn_component_lu_solve_one(lu, part, column->local);
        write_part(lu, part, column->local, column->motion);
    }
}

static void rest(const CnMasses* masses, int j, Column* column) {
    const CnSparseRows* jacobian = &masses->jacobian;
    for (int e = jacobian->start[j]; e < jacobian->start[j + 1]; ++e) {
        int part = masses->lu->part_of[jacobian->column[e]];
        if (column->solved_by[part] < 0) {
            column->solved_by[part] = 0;
            write_part(masses->lu, part, NULL, column->motion);
        }
    }
}

// Rows that share a part with row j are as many as columns that row j has.
static CnStatus find_starts(const CnMasses* masses, Column* column, int* start) {
    size_t entries = 0;
    for (int j = 0; j < masses->row_count; ++j) {
        list_rows(masses, j, j + 1, column);
        entries += (size_t)column->count;
        if (entries > CN_CONDENSED_LIMIT) {
            return CN_NO_MEMORY;
        }
        start[j + 1] = (int)entries;
    }
    memset(column->listed_by, 0, (size_t)masses->row_count * sizeof(int));
    memset(column->solved_by, 0, (size_t)masses->lu->part_count * sizeof(int));
    return CN_OK;
}

static CnStatus make_response(const CnMasses* masses, CnArena* arena, CnResponse* response) {
    int rows = masses->row_count;
    int* start = CN_ARENA_NEW(arena, int, (size_t)rows + 1);
    int* next = CN_ARENA_NEW(arena, int, rows);
    Column column;
    if (start == NULL || next == NULL || !column_init(masses, arena, &column) ||
        find_starts(masses, &column, start) != CN_OK) {
        return CN_NO_MEMORY;
    }
    int* places = CN_ARENA_NEW(arena, int, start[rows]);
    double* values = CN_ARENA_NEW(arena, double, start[rows]);
    if (places == NULL || values == NULL) {
        return CN_NO_MEMORY;
    }
    memcpy(next, start, (size_t)rows * sizeof(int));
    for (int j = 0; j < rows; ++j) { // so that columns ascend in every row
        list_rows(masses, j, j + 1, &column);
        move(masses, j, &column);
        for (int k = 0; k < column.count; ++k) {
            int row = column.rows[k];
            places[next[row]] = j;
            values[next[row]++] = cn_sparse_rows_dot(&masses->jacobian, row, column.motion);
        }
        rest(masses, j, &column);
    }
    *response = (CnResponse){start, places, values};
    return CN_OK;
}

CnStatus cn_condense(const CnProblem* problem, CnArena* arena, CnProblem* condensed) {
    const CnMasses* masses = problem->masses;
    CnResponse* response = CN_ARENA_NEW(arena, CnResponse, 1);
    double* target = CN_ARENA_NEW(arena, double, problem->row_count);
    if (response == NULL || target == NULL || make_response(masses, arena, response) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->row_count; ++i) {
        target[i] = problem->target[i] - cn_masses_row_velocity(masses, i, problem->free_velocity);
    }
    *condensed = *problem;
    condensed->body_count = 0;
    condensed->masses = NULL;
    condensed->response = response;
    condensed->target = target;
    return CN_OK;
}

CnOwnedProblem* cn_problem_condense(const CnProblem* problem, CnError* error) {
    if (problem->masses == NULL) {
        return cn_problem_copy(problem, error);
    }
    CnArena arena;
    CnProblem condensed;
    CnOwnedProblem* owned = NULL;
    cn_arena_init(&arena, NULL);
    if (cn_condense(problem, &arena, &condensed) == CN_OK) {
        owned = cn_problem_copy(&condensed, error);
    } else {
        cn_error_set(error, CN_NO_MEMORY,
                     "no memory for the response of %d rows, which may have %zu entries (at most "
                     "%zu)",
                     problem->row_count, cn_masses_response_entries(problem->masses),
                     CN_CONDENSED_LIMIT);
    }
    cn_arena_destroy(&arena);
    return owned;
}
