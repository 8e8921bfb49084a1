// masses.c - coordinates tied together by a general mass matrix: docs/theory/problem.md (12)-(14).
#include "constraints/problem/masses.h"

#include "base/error.h"
#include "base/memory.h"
#include "constraints/problem/problem_check.h"
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
    masses->lu = CN_ARENA_NEW(&masses->arena, CnComponentLu, 1);
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
    masses->block_of = CN_ARENA_NEW(&masses->arena, int, masses->row_count);
    for (int i = 0; masses->block_of != NULL && i < def->block_count; ++i) {
        for (int row = masses->first_row[i]; row < masses->first_row[i + 1]; ++row) {
            masses->block_of[row] = i;
        }
    }
    masses->own = CN_ARENA_NEW(&masses->arena, double, own);
    bool copied = masses->own != NULL && masses->block_of != NULL &&
                  copy_matrix(&def->mass, def->coordinate_count, def->coordinate_count,
                              &masses->arena, &masses->mass) &&
                  copy_matrix(&def->jacobian, masses->row_count, def->coordinate_count,
                              &masses->arena, &masses->jacobian);
    return copied ? CN_OK : CN_NO_MEMORY;
}

// The rows that act on each part, in two passes: count, then fill.
static CnStatus list_rows(CnMasses* masses) {
    const CnComponentLu* lu = masses->lu;
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

// Rows that are solved for together: six contacts in space. A number of the factor that is read
// serves them all.
#define BATCH 18

// Rows part_row[first .. last) of one part, the blocks of which are complete, as columns.
typedef struct ColumnBatch {
    int first, last, columns;
    int count;       // coordinates that the rows act on
    int* coordinate; // [most entries of J in a batch]
    int* place;      // of a coordinate in the batch, -1: not in it   [coordinate_count]
    double* value;   // right sides, then solutions   [count x columns]
    double* scratch; // of the solution
} ColumnBatch;

static bool share_block(const CnMasses* masses, int row, int other) {
    return masses->block_of[row] == masses->block_of[other];
}

// As many blocks as fit, from `first` on; one always does.
static void take_rows(const CnMasses* masses, int first, int end, ColumnBatch* batch) {
    const int* row = masses->part_row;
    batch->first = batch->last = first;
    for (int next = first; next < end && next - first <= BATCH;) {
        int start = next;
        while (next < end && share_block(masses, row[start], row[next])) {
            ++next;
        }
        batch->last = next - first <= BATCH ? next : batch->last;
    }
    batch->columns = batch->last - first;
}

static void list_coordinates(const CnMasses* masses, int part, ColumnBatch* batch) {
    const CnSparseRows* jacobian = &masses->jacobian;
    batch->count = 0;
    for (int k = batch->first; k < batch->last; ++k) {
        int row = masses->part_row[k];
        for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
            int i = jacobian->column[e];
            if (masses->lu->part_of[i] == part && batch->place[i] < 0) {
                batch->place[i] = batch->count;
                batch->coordinate[batch->count++] = i;
            }
        }
    }
}

// sum over the coordinates of the batch of J_row times a column; or J_row itself to that column.
static double feel(const CnMasses* masses, const ColumnBatch* batch, int row, int column,
                   bool writes) {
    const CnSparseRows* jacobian = &masses->jacobian;
    double sum = 0.0;
    for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
        int place = batch->place[jacobian->column[e]];
        if (place >= 0) {
            double* value = &batch->value[(size_t)place * (size_t)batch->columns + (size_t)column];
            *value = writes ? jacobian->value[e] : *value;
            sum += jacobian->value[e] * *value;
        }
    }
    return sum;
}

// Adds J_a M^-1 J_a^T of one part to W_aa, for the blocks of a batch.
static void add_batch(CnMasses* masses, int part, ColumnBatch* batch) {
    const int* row = masses->part_row + batch->first;
    list_coordinates(masses, part, batch);
    memset(batch->value, 0, (size_t)batch->count * (size_t)batch->columns * sizeof(double));
    for (int c = 0; c < batch->columns; ++c) {
        feel(masses, batch, row[c], c, true);
    }
    cn_component_lu_solve_partial(masses->lu, batch->count, batch->coordinate, batch->columns,
                                  batch->value, batch->scratch);
    for (int c = 0; c < batch->columns; ++c) {
        int block = masses->block_of[row[c]], first = masses->first_row[block];
        int n = masses->first_row[block + 1] - first;
        double* w = masses->own + masses->position[block];
        for (int k = 0; k < batch->columns; ++k) {
            if (share_block(masses, row[c], row[k])) {
                w[(row[k] - first) * n + row[c] - first] += feel(masses, batch, row[k], c, false);
            }
        }
    }
    for (int k = 0; k < batch->count; ++k) {
        batch->place[batch->coordinate[k]] = -1;
    }
}

// The most entries of J that rows of one batch have together.
static size_t largest_support(const CnMasses* masses) {
    const int* start = masses->jacobian.start;
    int longest = 0;
    for (int row = 0; row < masses->row_count; ++row) {
        int length = start[row + 1] - start[row];
        longest = length > longest ? length : longest;
    }
    size_t most = (size_t)longest * BATCH;
    size_t coordinates = (size_t)masses->coordinate_count;
    return most < coordinates ? most : coordinates;
}

static CnStatus find_own(CnMasses* masses) {
    CnArenaMark mark = cn_arena_mark(&masses->arena);
    size_t support = largest_support(masses);
    ColumnBatch batch = {
        .coordinate = CN_ARENA_NEW(&masses->arena, int, support),
        .place = CN_ARENA_NEW(&masses->arena, int, masses->coordinate_count),
        .value = CN_ARENA_NEW(&masses->arena, double, support* BATCH),
        .scratch = CN_ARENA_NEW(&masses->arena, double, cn_component_lu_scratch(masses->lu, BATCH)),
    };
    if (batch.coordinate == NULL || batch.place == NULL || batch.value == NULL ||
        batch.scratch == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < masses->coordinate_count; ++i) {
        batch.place[i] = -1;
    }
    for (int part = 0; part < masses->lu->part_count; ++part) {
        for (int k = masses->part_start[part]; k < masses->part_start[part + 1]; k = batch.last) {
            take_rows(masses, k, masses->part_start[part + 1], &batch);
            add_batch(masses, part, &batch);
        }
    }
    cn_arena_release(&masses->arena, mark);
    return CN_OK;
}

static CnStatus prepare(CnMasses* masses, const CnMassesDef* def, CnError* error) {
    CnStatus status = copy_def(masses, def);
    if (status == CN_OK) {
        status = cn_component_lu_factor(masses->lu, &masses->mass, &masses->arena);
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
    cn_component_lu_solve(masses->lu, b, x);
}

void cn_masses_velocity(const CnMasses* masses, const double (*free_velocity)[6],
                        const double* impulse, double (*velocity)[6]) {
    double* flat = (double*)velocity;
    memset(flat, 0, (size_t)masses->coordinate_count * sizeof(double));
    cn_sparse_rows_add_transposed(&masses->jacobian, impulse, flat);
    cn_component_lu_solve(masses->lu, flat, flat);
    const double* start = (const double*)free_velocity;
    int padded = (masses->coordinate_count + 5) / 6 * 6;
    for (int i = 0; i < padded; ++i) {
        flat[i] = i < masses->coordinate_count ? flat[i] + start[i] : 0.0;
    }
}

void cn_masses_multiply(const CnMasses* masses, const double* x, double* motion, double* y) {
    memset(motion, 0, (size_t)masses->coordinate_count * sizeof(double));
    cn_sparse_rows_add_transposed(&masses->jacobian, x, motion);
    cn_component_lu_solve(masses->lu, motion, motion);
    for (int i = 0; i < masses->row_count; ++i) {
        y[i] = cn_sparse_rows_dot(&masses->jacobian, i, motion);
    }
}

double cn_masses_row_velocity(const CnMasses* masses, int row, const double (*velocity)[6]) {
    return cn_sparse_rows_dot(&masses->jacobian, row, (const double*)velocity);
}

const double* cn_masses_own(const CnMasses* masses, const CnBlock* block) {
    return masses->own + masses->position[masses->block_of[block->first_row]];
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
        if (block->body_a != -1 || block->body_b != -1) {
            return cn_error_set(error, CN_INVALID,
                                "masses: block %d names bodies %d and %d; without bodies both are "
                                "-1",
                                i, block->body_a, block->body_b);
        }
        if (block->first_row != masses->first_row[i]) {
            return cn_error_set(error, CN_INVALID,
                                "masses: block %d starts at row %d; they were made for one that "
                                "starts at %d",
                                i, block->first_row, masses->first_row[i]);
        }
    }
    return check_padding(problem, error);
}
