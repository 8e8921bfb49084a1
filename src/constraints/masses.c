// masses.c - coordinates tied together by a general mass matrix: docs/theory/problem.md (12)-(14).
#include "constraints/masses.h"

#include "base/error.h"
#include "base/memory.h"
#include "constraints/problem_check.h"
#include <limits.h>
#include <math.h>
#include <string.h>

// ---- making them ----

static CnStatus check_def(const CnMassesDef* def, CnError* error) {
    if (def->coordinate_count < 0 || def->block_count < 0 ||
        (def->block_count > 0 && def->blocks == NULL)) {
        return cn_error_set(error, CN_INVALID,
                            "masses cannot have %d coordinates and %d blocks, or blocks is NULL",
                            def->coordinate_count, def->block_count);
    }
    int row = 0;
    for (int i = 0; i < def->block_count; ++i) {
        const CnBlock* block = &def->blocks[i];
        if (block->first_row != row || block->row_count < 1 || block->row_count > CN_MAX_ROWS ||
            row > INT_MAX - CN_MAX_ROWS) {
            return cn_error_set(error, CN_INVALID,
                                "masses: block %d has %d rows from row %d on; it must have 1 to %d "
                                "from row %d on",
                                i, block->row_count, block->first_row, CN_MAX_ROWS, row);
        }
        row += block->row_count;
    }
    CnStatus status =
        cn_matrix_check(&def->mass, "mass", def->coordinate_count, def->coordinate_count, error);
    return status == CN_OK
               ? cn_matrix_check(&def->jacobian, "jacobian", row, def->coordinate_count, error)
               : status;
}

// A copy without zeros.
static bool copy_matrix(const CnResponse* from, int rows, int columns, CnArena* arena,
                        CnSparseRows* to) {
    int count = from->start[rows];
    *to = (CnSparseRows){
        .rows = rows,
        .columns = columns,
        .start = CN_ARENA_NEW(arena, int, (size_t)rows + 1),
        .column = CN_ARENA_NEW(arena, int, count),
        .value = CN_ARENA_NEW(arena, double, count),
    };
    if (to->start == NULL || to->column == NULL || to->value == NULL) {
        return false;
    }
    int used = 0;
    for (int i = 0; i < rows; ++i) {
        for (int e = from->start[i]; e < from->start[i + 1]; ++e) {
            if (from->value[e] != 0.0) {
                to->column[used] = from->column[e];
                to->value[used++] = from->value[e];
            }
        }
        to->start[i + 1] = used;
    }
    return true;
}

static CnStatus copy_def(CnMasses* masses, const CnMassesDef* def) {
    size_t own = 0;
    masses->coordinate_count = def->coordinate_count;
    masses->block_count = def->block_count;
    masses->first_row = CN_ARENA_NEW(&masses->arena, int, (size_t)def->block_count + 1);
    masses->position = CN_ARENA_NEW(&masses->arena, size_t, def->block_count);
    masses->lu = CN_ARENA_NEW(&masses->arena, CnPartedLu, 1);
    if (masses->first_row == NULL || masses->position == NULL || masses->lu == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < def->block_count; ++i) {
        int rows = def->blocks[i].row_count;
        masses->first_row[i + 1] = masses->first_row[i] + rows;
        masses->position[i] = own;
        own += (size_t)(rows * rows);
    }
    masses->row_count = masses->first_row[def->block_count];
    masses->own = CN_ARENA_NEW(&masses->arena, double, own);
    bool copied = masses->own != NULL &&
                  copy_matrix(&def->mass, def->coordinate_count, def->coordinate_count,
                              &masses->arena, &masses->mass) &&
                  copy_matrix(&def->jacobian, masses->row_count, def->coordinate_count,
                              &masses->arena, &masses->jacobian);
    return copied ? CN_OK : CN_NO_MEMORY;
}

// The rows that act on each part, in two passes: count, then fill.
static CnStatus list_rows(CnMasses* masses) {
    const CnPartedLu* lu = masses->lu;
    const CnSparseRows* jacobian = &masses->jacobian;
    int* last = CN_ARENA_NEW(&masses->arena, int, lu->part_count); // row + 1 that was listed last
    masses->part_start = CN_ARENA_NEW(&masses->arena, int, (size_t)lu->part_count + 1);
    masses->part_row = CN_ARENA_NEW(&masses->arena, int, jacobian->start[jacobian->rows]);
    if (last == NULL || masses->part_start == NULL || masses->part_row == NULL) {
        return CN_NO_MEMORY;
    }
    for (int pass = 0; pass < 2; ++pass) {
        int* next = masses->part_start;
        memset(last, 0, (size_t)lu->part_count * sizeof(int));
        for (int row = 0; row < jacobian->rows; ++row) {
            for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
                int part = lu->part_of[jacobian->column[e]];
                if (last[part] == row + 1) {
                    continue;
                }
                last[part] = row + 1;
                if (pass == 0) {
                    ++next[part + 1];
                } else {
                    masses->part_row[next[part]++] = row;
                }
            }
        }
        for (int k = 0; pass == 0 && k < lu->part_count; ++k) {
            next[k + 1] += next[k];
        }
    }
    memmove(masses->part_start + 1, masses->part_start, (size_t)lu->part_count * sizeof(int));
    masses->part_start[0] = 0;
    return CN_OK;
}

// ---- W_aa ----

// The coordinates that the rows of a block act on in one part, and one row's numbers there.
typedef struct Support {
    int count;
    int* coordinate;     // [coordinate_count at most]
    double *value, *row; // the solution; one row of J spread out   [coordinate_count]
} Support;

static void find_support(const CnMasses* masses, int block, int part, bool* mark,
                         Support* support) {
    const CnSparseRows* jacobian = &masses->jacobian;
    support->count = 0;
    for (int e = jacobian->start[masses->first_row[block]];
         e < jacobian->start[masses->first_row[block + 1]]; ++e) {
        int i = jacobian->column[e];
        if (masses->lu->part_of[i] == part && !mark[i]) {
            mark[i] = true;
            support->coordinate[support->count++] = i;
        }
    }
    for (int k = 0; k < support->count; ++k) {
        mark[support->coordinate[k]] = false;
    }
}

// Adds J_a M^-1 J_a^T of one part to W_aa, one column after the other.
static void add_part(CnMasses* masses, int block, const Support* support) {
    const CnSparseRows* jacobian = &masses->jacobian;
    int first = masses->first_row[block];
    int n = masses->first_row[block + 1] - first;
    double* w = masses->own + masses->position[block];
    for (int j = 0; j < n; ++j) {
        for (int e = jacobian->start[first + j]; e < jacobian->start[first + j + 1]; ++e) {
            support->row[jacobian->column[e]] = jacobian->value[e];
        }
        for (int k = 0; k < support->count; ++k) {
            support->value[k] = support->row[support->coordinate[k]];
        }
        for (int e = jacobian->start[first + j]; e < jacobian->start[first + j + 1]; ++e) {
            support->row[jacobian->column[e]] = 0.0;
        }
        cn_parted_lu_solve_among(masses->lu, support->count, support->coordinate, support->value);
        for (int k = 0; k < support->count; ++k) {
            support->row[support->coordinate[k]] = support->value[k];
        }
        for (int i = 0; i < n; ++i) {
            w[i * n + j] += cn_sparse_rows_dot(jacobian, first + i, support->row);
        }
        for (int k = 0; k < support->count; ++k) {
            support->row[support->coordinate[k]] = 0.0;
        }
    }
}

static CnStatus find_own(CnMasses* masses) {
    size_t n = (size_t)masses->coordinate_count;
    CnArenaMark mark = cn_arena_mark(&masses->arena);
    Support support = {
        .coordinate = CN_ARENA_NEW(&masses->arena, int, n),
        .value = CN_ARENA_NEW(&masses->arena, double, n),
        .row = CN_ARENA_NEW(&masses->arena, double, n),
    };
    bool* seen = CN_ARENA_NEW(&masses->arena, bool, n);
    int* visited = CN_ARENA_NEW(&masses->arena, int, masses->lu->part_count); // by block + 1
    bool complete = support.coordinate != NULL && support.value != NULL && support.row != NULL &&
                    seen != NULL && visited != NULL;
    for (int block = 0; complete && block < masses->block_count; ++block) {
        for (int e = masses->jacobian.start[masses->first_row[block]];
             e < masses->jacobian.start[masses->first_row[block + 1]]; ++e) {
            int part = masses->lu->part_of[masses->jacobian.column[e]];
            if (visited[part] != block + 1) {
                visited[part] = block + 1;
                find_support(masses, block, part, seen, &support);
                add_part(masses, block, &support);
            }
        }
    }
    cn_arena_release(&masses->arena, mark);
    return complete ? CN_OK : CN_NO_MEMORY;
}

static CnStatus prepare(CnMasses* masses, const CnMassesDef* def, CnError* error) {
    CnStatus status = copy_def(masses, def);
    if (status == CN_OK) {
        status = cn_parted_lu_factor(masses->lu, &masses->mass, &masses->arena);
    }
    if (status == CN_OK) {
        status = list_rows(masses);
    }
    if (status == CN_OK) {
        status = find_own(masses);
    }
    if (status == CN_INVALID) {
        return cn_error_set(error, CN_INVALID,
                            "mass is singular (coordinate %d and those tied to it)",
                            masses->lu->singular_at);
    }
    return status == CN_OK
               ? CN_OK
               : cn_error_set(error, CN_NO_MEMORY, "no memory for the masses of %d coordinates",
                              def->coordinate_count);
}

CnMasses* cn_masses_create(const CnMassesDef* def, CnError* error) {
    if (check_def(def, error) != CN_OK) {
        return NULL;
    }
    CnMasses* masses = cn_allocate(NULL, 1, sizeof *masses);
    if (masses == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for masses");
        return NULL;
    }
    cn_arena_init(&masses->arena, NULL);
    if (prepare(masses, def, error) != CN_OK) {
        cn_masses_destroy(masses);
        return NULL;
    }
    return masses;
}

void cn_masses_destroy(CnMasses* masses) {
    if (masses != NULL) {
        cn_arena_destroy(&masses->arena);
        cn_release(NULL, masses);
    }
}

// ---- using them ----

int cn_masses_coordinate_count(const CnMasses* masses) {
    return masses->coordinate_count;
}

void cn_masses_solve(const CnMasses* masses, const double* b, double* x) {
    cn_parted_lu_solve(masses->lu, b, x);
}

void cn_masses_velocity(const CnMasses* masses, const double (*free_velocity)[6],
                        const double* impulse, double (*velocity)[6]) {
    double* flat = (double*)velocity;
    memset(flat, 0, (size_t)masses->coordinate_count * sizeof(double));
    cn_sparse_rows_add_transposed(&masses->jacobian, impulse, flat);
    cn_parted_lu_solve(masses->lu, flat, flat);
    const double* start = (const double*)free_velocity;
    int padded = (masses->coordinate_count + 5) / 6 * 6;
    for (int i = 0; i < padded; ++i) {
        flat[i] = i < masses->coordinate_count ? flat[i] + start[i] : 0.0;
    }
}

void cn_masses_multiply(const CnMasses* masses, const double* x, double* motion, double* y) {
    memset(motion, 0, (size_t)masses->coordinate_count * sizeof(double));
    cn_sparse_rows_add_transposed(&masses->jacobian, x, motion);
    cn_parted_lu_solve(masses->lu, motion, motion);
    for (int i = 0; i < masses->row_count; ++i) {
        y[i] = cn_sparse_rows_dot(&masses->jacobian, i, motion);
    }
}

double cn_masses_row_velocity(const CnMasses* masses, int row, const double (*velocity)[6]) {
    return cn_sparse_rows_dot(&masses->jacobian, row, (const double*)velocity);
}

// Blocks are found by their first row: they follow each other.
const double* cn_masses_own(const CnMasses* masses, const CnBlock* block) {
    int low = 0, high = masses->block_count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (masses->first_row[middle] < block->first_row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return masses->own + masses->position[low];
}

static CnStatus check_padding(const CnProblem* problem, CnError* error) {
    const double* flat = (const double*)problem->free_velocity;
    for (int i = 0; i < 6 * problem->body_count; ++i) {
        bool is_coordinate = i < problem->masses->coordinate_count;
        if (!isfinite(flat[i]) || (!is_coordinate && flat[i] != 0.0)) {
            return cn_error_set(error, CN_INVALID, "masses: free_velocity of %s %d is %g%s",
                                is_coordinate ? "coordinate" : "place", i, flat[i],
                                is_coordinate ? "" : "; no coordinate is there, it must be 0");
        }
    }
    return CN_OK;
}

CnStatus cn_masses_check(const CnProblem* problem, CnError* error) {
    const CnMasses* masses = problem->masses;
    int bodies = (masses->coordinate_count + 5) / 6;
    if (problem->response != NULL) {
        return cn_error_set(error, CN_INVALID, "a problem has either masses or a response");
    }
    if (problem->body_count != bodies) {
        return cn_error_set(error, CN_INVALID,
                            "masses: %d coordinates are %d bodies of six; body_count is %d",
                            masses->coordinate_count, bodies, problem->body_count);
    }
    if (problem->row_count != masses->row_count || problem->block_count != masses->block_count) {
        return cn_error_set(error, CN_INVALID,
                            "masses: they were made for %d blocks of %d rows; the problem has %d "
                            "of %d",
                            masses->block_count, masses->row_count, problem->block_count,
                            problem->row_count);
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (block->first_row != masses->first_row[i] || block->body_a != -1 ||
            block->body_b != -1) {
            return cn_error_set(error, CN_INVALID,
                                "masses: block %d must start at row %d, as they were made, and "
                                "have no bodies (-1)",
                                i, masses->first_row[i]);
        }
    }
    return check_padding(problem, error);
}
