// fclib_write.c - writes problems and their solutions as HDF5 files of FCLib; docs/problem-file.md.
//
// Bodies and masses are written as a global problem, a response as a local one. Problems with
// compliant rows are local too: FCLib has no compliance, but W may contain it.
// docs/theory/problem.md (9)-(11).
#include "base/error.h"
#include "constraints/problem/block.h"
#include "constraints/problem/masses.h"
#include "fclib/fclib_form.h"
#include "fclib/fclib_global.h"
#include "fclib/hdf5_writer.h"
#include "solvers/matrix/assembled.h"
#include <limits.h>
#include <stdio.h>

#define PATH_SIZE 128
#define NAME_SIZE 96
#define LARGEST_DIMENSION 3 // rows of a contact

// The order that FCLib requires: contacts first, then equalities.
typedef struct FclibOrder {
    int dimension, contact_count, contact_rows, equality_count;
    int* row;         // place of each row   [row_count]
    double* friction; // [contact_count]
} FclibOrder;

// ---- what FCLib can hold ----

static CnStatus check_block(const CnProblem* problem, int index, const char* path, int* dimension,
                            CnError* error) {
    const CnBlock* block = &problem->blocks[index];
    char name[NAME_SIZE];
    cn_block_describe(problem, index, name, sizeof name);
    if (block->law != CN_LAW_COULOMB && block->law != CN_LAW_EQUALITY) {
        return cn_error_set(
            error, CN_UNSUPPORTED,
            "%s: %s: FCLib holds contacts with friction and equalities only, not the "
            "law \"%s\"",
            path, name, cn_law_name(block->law));
    }
    if (block->law == CN_LAW_COULOMB && block->row_count > LARGEST_DIMENSION) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "%s: %s: has %d rows; FCLib knows neither torsion nor rolling friction",
                            path, name, block->row_count);
    }
    if (block->law == CN_LAW_COULOMB && *dimension != 0 && block->row_count != *dimension) {
        return cn_error_set(
            error, CN_UNSUPPORTED,
            "%s: %s: has %d rows where others have %d; contacts of an FCLib file are "
            "all in the plane or all in space",
            path, name, block->row_count, *dimension);
    }
    if (block->law == CN_LAW_COULOMB) {
        *dimension = block->row_count;
    }
    return CN_OK;
}

static CnStatus find_order(const CnProblem* problem, const char* path, CnArena* arena,
                           FclibOrder* order, CnError* error) {
    CnStatus status = CN_OK;
    *order = (FclibOrder){0};
    for (int i = 0; status == CN_OK && i < problem->block_count; ++i) {
        status = check_block(problem, i, path, &order->dimension, error);
        order->contact_count += problem->blocks[i].law == CN_LAW_COULOMB;
    }
    if (status != CN_OK) {
        return status;
    }
    order->dimension = order->dimension == 0 ? 3 : order->dimension; // no contact: 2 or 3
    order->contact_rows = order->contact_count * order->dimension;
    order->equality_count = problem->row_count - order->contact_rows;
    order->row = CN_ARENA_NEW(arena, int, problem->row_count);
    order->friction = CN_ARENA_NEW(arena, double, order->contact_count);
    if (order->row == NULL || order->friction == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the order of %d rows",
                            problem->row_count);
    }
    int contact = 0, equality = order->contact_rows;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        bool is_contact = block->law == CN_LAW_COULOMB;
        for (int k = 0; k < block->row_count; ++k) {
            order->row[block->first_row + k] =
                is_contact ? contact * order->dimension + k : equality++;
        }
        if (is_contact) {
            order->friction[contact++] = block->friction;
        }
    }
    return CN_OK;
}

// ---- writing ----

static const char* join(const char* group, const char* name, char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/%s", group, name);
    return path;
}

// As triplets, like the files of the FCLib collection. Only entries in these rows and columns.
typedef struct Window {
    int first_row, rows, first_column, columns;
} Window;

static CnStatus write_matrix(CnHdf5Writer* writer, const char* group, const CnSparseRows* matrix,
                             Window window, CnArena* arena, CnError* error) {
    int most = matrix->start[matrix->rows];
    int* row = CN_ARENA_NEW(arena, int, most);
    int* column = CN_ARENA_NEW(arena, int, most);
    double* value = CN_ARENA_NEW(arena, double, most);
    char path[PATH_SIZE];
    int count = 0;
    if (row == NULL || column == NULL || value == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for %d triplets", most);
    }
    for (int i = 0; i < window.rows; ++i) {
        int from = window.first_row + i;
        for (int e = matrix->start[from]; e < matrix->start[from + 1]; ++e) {
            int j = matrix->column[e] - window.first_column;
            if (j >= 0 && j < window.columns) {
                row[count] = i;
                column[count] = j;
                value[count++] = matrix->value[e];
            }
        }
    }
    cn_hdf5_write_integer(writer, join(group, "m", path), window.rows);
    cn_hdf5_write_integer(writer, join(group, "n", path), window.columns);
    cn_hdf5_write_integer(writer, join(group, "nz", path), count);
    cn_hdf5_write_integer(writer, join(group, "nzmax", path), count);
    cn_hdf5_write_integers(writer, join(group, "i", path), row, count);
    cn_hdf5_write_integers(writer, join(group, "p", path), column, count);
    cn_hdf5_write_reals(writer, join(group, "x", path), value, count);
    return CN_OK;
}

static void write_common(CnHdf5Writer* writer, const char* group, const FclibOrder* order) {
    char path[PATH_SIZE];
    cn_hdf5_write_integer(writer, join(group, "spacedim", path), order->dimension);
    cn_hdf5_write_reals(writer, join(group, "vectors/mu", path), order->friction,
                        order->contact_count);
    cn_hdf5_write_text(writer, join(group, "info/title", path), "A time step");
    cn_hdf5_write_text(writer, join(group, "info/description", path), "Written by Cairn");
    cn_hdf5_write_text(writer, join(group, "info/math_info", path), "");
}

// W and q of all rows, in FCLib's order.
static CnStatus write_local(CnHdf5Writer* writer, const FclibOrder* order, const CnSparseRows* w,
                            const double* q, CnArena* arena, CnError* error) {
    int contacts = order->contact_rows, equalities = order->equality_count;
    write_common(writer, "/fclib_local", order);
    cn_hdf5_write_reals(writer, "/fclib_local/vectors/q", q, contacts);
    CnStatus status =
        write_matrix(writer, "/fclib_local/W", w, (Window){0, contacts, 0, contacts}, arena, error);
    if (status == CN_OK && equalities > 0) {
        cn_hdf5_write_reals(writer, "/fclib_local/vectors/s", q + contacts, equalities);
        status = write_matrix(writer, "/fclib_local/V", w,
                              (Window){0, contacts, contacts, equalities}, arena, error);
    }
    if (status == CN_OK && equalities > 0) {
        status = write_matrix(writer, "/fclib_local/R", w,
                              (Window){contacts, equalities, contacts, equalities}, arena, error);
    }
    return status;
}

static CnStatus write_global(CnHdf5Writer* writer, const FclibOrder* order,
                             const CnFclibGlobal* global, CnArena* arena, CnError* error) {
    int n = global->mass.rows;
    int contacts = order->contact_rows, equalities = order->equality_count;
    write_common(writer, "/fclib_global", order);
    cn_hdf5_write_reals(writer, "/fclib_global/vectors/f", global->force, n);
    cn_hdf5_write_reals(writer, "/fclib_global/vectors/w", global->offset, contacts);
    CnStatus status =
        write_matrix(writer, "/fclib_global/M", &global->mass, (Window){0, n, 0, n}, arena, error);
    if (status == CN_OK) {
        status = write_matrix(writer, "/fclib_global/H", &global->direction,
                              (Window){0, n, 0, contacts}, arena, error);
    }
    if (status == CN_OK && equalities > 0) {
        cn_hdf5_write_reals(writer, "/fclib_global/vectors/b", global->offset + contacts,
                            equalities);
        status = write_matrix(writer, "/fclib_global/G", &global->direction,
                              (Window){0, n, contacts, equalities}, arena, error);
    }
    return status;
}

// ---- the kinds of problems ----

static bool gives_way(const CnProblem* problem) {
    for (int i = 0; i < problem->row_count; ++i) {
        if (problem->compliance[i] > 0.0) {
            return true;
        }
    }
    return false;
}

// W with rows and columns permuted and the compliances on its diagonal.
static CnStatus gather_response(const CnProblem* problem, const int* place, CnArena* arena,
                                CnSparseRows* w, CnError* error) {
    const CnResponse* response = problem->response;
    int rows = problem->row_count;
    size_t most = (size_t)response->start[rows] + (size_t)rows;
    int* row = CN_ARENA_NEW(arena, int, most);
    int* column = CN_ARENA_NEW(arena, int, most);
    double* value = CN_ARENA_NEW(arena, double, most);
    int count = 0;
    for (int i = 0; row != NULL && column != NULL && value != NULL && i < rows; ++i) {
        for (int e = response->start[i]; e < response->start[i + 1]; ++e) {
            row[count] = place[i];
            column[count] = place[response->column[e]];
            value[count++] = response->value[e];
        }
        row[count] = column[count] = place[i];
        value[count++] = problem->compliance[i];
    }
    CnSparseEntries entries = {count, row, column, value};
    if (row == NULL || column == NULL || value == NULL ||
        !cn_sparse_rows_gather(rows, rows, &entries, arena, w)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a response of %d rows", rows);
    }
    return CN_OK;
}

static CnStatus save_response(CnHdf5Writer* writer, const CnProblem* problem,
                              const FclibOrder* order, CnArena* arena, CnError* error) {
    CnSparseRows w;
    CnStatus status = gather_response(problem, order->row, arena, &w, error);
    double* q = CN_ARENA_NEW(arena, double, problem->row_count);
    if (status == CN_OK && q == NULL) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for %d rows", problem->row_count);
    }
    for (int i = 0; status == CN_OK && i < problem->row_count; ++i) {
        q[order->row[i]] = -problem->target[i];
    }
    return status == CN_OK ? write_local(writer, order, &w, q, arena, error) : status;
}

// The values of W, including compliance, in their places.
static bool gather_assembled(const CnBlockRows* from, const int* place, CnArena* arena,
                             CnSparseRows* w) {
    size_t most = from->position[from->start[from->block_count]];
    int* row = CN_ARENA_NEW(arena, int, most);
    int* column = CN_ARENA_NEW(arena, int, most);
    int count = 0;
    if (row == NULL || column == NULL || most > INT_MAX) {
        return false;
    }
    for (int a = 0; a < from->block_count; ++a) {
        for (int e = from->start[a]; e < from->start[a + 1]; ++e) {
            int b = from->column[e];
            for (int i = from->first_row[a]; i < from->first_row[a + 1]; ++i) {
                for (int j = from->first_row[b]; j < from->first_row[b + 1]; ++j) {
                    row[count] = place[i];
                    column[count++] = place[j];
                }
            }
        }
    }
    CnSparseEntries entries = {count, row, column, from->value};
    return cn_sparse_rows_gather(from->row_count, from->row_count, &entries, arena, w);
}

static CnStatus save_soft_bodies(CnHdf5Writer* writer, const CnProblem* problem,
                                 const FclibOrder* order, CnArena* arena, CnError* error) {
    CnAssembled assembled;
    CnSparseRows w;
    double* q = CN_ARENA_NEW(arena, double, problem->row_count);
    if (q == NULL || cn_assemble(problem, arena, &assembled) != CN_OK ||
        !gather_assembled(&assembled.w, order->row, arena, &w)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a response of %d rows",
                            problem->row_count);
    }
    for (int i = 0; i < problem->row_count; ++i) {
        q[order->row[i]] = assembled.q[i];
    }
    return write_local(writer, order, &w, q, arena, error);
}

static CnStatus save_soft_masses(CnHdf5Writer* writer, const CnProblem* problem,
                                 const FclibOrder* order, CnArena* arena, CnError* error) {
    CnProblem condensed;
    if (cn_condense(problem, arena, &condensed) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a response of %d rows",
                            problem->row_count);
    }
    return save_response(writer, &condensed, order, arena, error);
}

static CnStatus save_problem(CnHdf5Writer* writer, const CnProblem* problem,
                             const FclibOrder* order, CnArena* arena, CnError* error) {
    if (problem->response != NULL) {
        return save_response(writer, problem, order, arena, error);
    }
    if (gives_way(problem)) {
        return problem->masses != NULL ? save_soft_masses(writer, problem, order, arena, error)
                                       : save_soft_bodies(writer, problem, order, arena, error);
    }
    CnFclibGlobal global;
    CnStatus status = problem->masses != NULL
                          ? cn_fclib_from_masses(problem, order->row, arena, &global, error)
                          : cn_fclib_from_bodies(problem, order->row, arena, &global, error);
    return status == CN_OK ? write_global(writer, order, &global, arena, error) : status;
}

// ---- the answer ----

// r, u and l in FCLib's order, and v for a global problem.
static CnStatus save_solution(CnHdf5Writer* writer, const CnProblem* problem,
                              const FclibOrder* order, const CnSolution* solution, CnArena* arena,
                              CnError* error) {
    int rows = problem->row_count;
    double* impulse = CN_ARENA_NEW(arena, double, rows);
    double* relative = CN_ARENA_NEW(arena, double, rows);
    double* velocity = CN_ARENA_NEW(arena, double, 6 * (size_t)problem->body_count);
    if (impulse == NULL || relative == NULL || velocity == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a solution of %d rows", rows);
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double u[CN_MAX_ROWS];
        cn_block_velocity(problem, block, (const double(*)[6])solution->velocity, solution->impulse,
                          u);
        for (int k = 0; k < block->row_count; ++k) {
            int place = order->row[block->first_row + k];
            impulse[place] = solution->impulse[block->first_row + k];
            relative[place] = u[k];
        }
    }
    cn_hdf5_write_reals(writer, "/solution/r", impulse, order->contact_rows);
    cn_hdf5_write_reals(writer, "/solution/u", relative, order->contact_rows);
    if (order->equality_count > 0) {
        cn_hdf5_write_reals(writer, "/solution/l", impulse + order->contact_rows,
                            order->equality_count);
    }
    if (problem->response == NULL && !gives_way(problem)) {
        int count =
            cn_fclib_gather_velocity(problem, (const double(*)[6])solution->velocity, velocity);
        cn_hdf5_write_reals(writer, "/solution/v", velocity, count);
    }
    return CN_OK;
}

static CnStatus save(const CnProblem* problem, const CnSolution* solution, const char* path,
                     CnArena* arena, CnError* error) {
    FclibOrder order;
    CnStatus status = find_order(problem, path, arena, &order, error);
    if (status != CN_OK) {
        return status;
    }
    CnHdf5Writer* writer = cn_hdf5_writer_open(arena);
    if (writer == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "%s: no memory to write it", path);
    }
    status = save_problem(writer, problem, &order, arena, error);
    if (status == CN_OK && solution != NULL) {
        status = save_solution(writer, problem, &order, solution, arena, error);
    }
    if (status != CN_OK) {
        cn_hdf5_writer_drop(writer);
        return status;
    }
    return cn_hdf5_writer_finish(writer, path, error);
}

CnStatus cn_fclib_write(const CnProblem* problem, const CnSolution* solution, const char* path,
                        CnError* error) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnStatus status = save(problem, solution, path, &arena, error);
    cn_arena_destroy(&arena);
    return status;
}
