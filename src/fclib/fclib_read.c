// fclib_read.c - reads problems from the HDF5 files of FCLib; docs/problem-file.md.
//
// Local problems contain W, q and mu, global ones M, H, f and mu. Rows of contacts come first, then
// those of equalities. docs/theory/problem.md (9)-(11).
#include "base/error.h"
#include "constraints/problem/owned_problem.h"
#include "fclib/fclib_form.h"
#include "fclib/fclib_global.h"
#include "fclib/fclib_matrix.h"
#include "fclib/hdf5_file.h"
#include <stdio.h>
#include <string.h>

// The data that both forms are converted to.
typedef struct Contents {
    int dimension; // rows of a contact: 2 or 3
    int contact_count, equality_count;
    double* friction; // mu   [contact_count]
    double* velocity; // q, or w of a global problem   [rows]
    CnResponse response;
    bool is_global;
    CnFclibGlobal global;  // of a global problem
    CnSparseRows jacobian; // the transpose of its directions
} Contents;

// Both forms give the number of rows per contact and the friction of each contact.
static bool read_contacts(CnHdf5* file, const char* space_path, const char* friction_path,
                          int contact_rows, Contents* out) {
    if (!cn_hdf5_read_integer(file, space_path, &out->dimension) ||
        !cn_hdf5_read_reals(file, friction_path, &out->friction, &out->contact_count)) {
        return false;
    }
    if (out->dimension != 2 && out->dimension != 3) {
        return cn_hdf5_report_error(file, space_path, "is %d; it must be 2 or 3", out->dimension);
    }
    return (int64_t)out->contact_count * out->dimension == contact_rows ||
           cn_hdf5_report_error(file, friction_path,
                                "has %d entries; %d rows are contacts of %d rows each",
                                out->contact_count, contact_rows, out->dimension);
}

static CnResponse as_response(const CnSparseRows* matrix) {
    return (CnResponse){matrix->start, matrix->column, matrix->value};
}

// ---- local problems ----

// Assembles matrices into a larger one.
typedef struct Collage {
    int count;
    int *row, *column;
    double* value;
} Collage;

static bool collage_begin(CnHdf5* file, int64_t entries, Collage* collage) {
    CnArena* arena = cn_hdf5_arena(file);
    if (entries > CN_HDF5_MAX_COUNT) {
        return cn_hdf5_report_no_memory(file);
    }
    *collage = (Collage){
        .row = CN_ARENA_NEW(arena, int, entries),
        .column = CN_ARENA_NEW(arena, int, entries),
        .value = CN_ARENA_NEW(arena, double, entries),
    };
    return (collage->row != NULL && collage->column != NULL && collage->value != NULL) ||
           cn_hdf5_report_no_memory(file);
}

static void collage_add(Collage* collage, const CnSparseRows* part, int first_row,
                        int first_column) {
    for (int i = 0; i < part->rows; ++i) {
        for (int e = part->start[i]; e < part->start[i + 1]; ++e) {
            collage->row[collage->count] = first_row + i;
            collage->column[collage->count] = first_column + part->column[e];
            collage->value[collage->count++] = part->value[e];
        }
    }
}

static bool collage_end(CnHdf5* file, const Collage* collage, int rows, int columns,
                        CnSparseRows* whole) {
    CnSparseEntries entries = {collage->count, collage->row, collage->column, collage->value};
    return cn_sparse_rows_gather(rows, columns, &entries, cn_hdf5_arena(file), whole) ||
           cn_hdf5_report_no_memory(file);
}

static int64_t count_entries(const CnSparseRows* matrix) {
    return matrix->start[matrix->rows];
}

// W of contacts and equalities together, [W V; V^T R]: docs/theory/problem.md (10).
static bool assemble(CnHdf5* file, const CnSparseRows* w, const CnSparseRows* v,
                     const CnSparseRows* r, CnSparseRows* whole) {
    int rows = w->rows + r->rows;
    Collage collage;
    CnSparseRows v_transposed;
    if (!cn_sparse_rows_transpose(v, cn_hdf5_arena(file), &v_transposed)) {
        return cn_hdf5_report_no_memory(file);
    }
    if (!collage_begin(file, count_entries(w) + 2 * count_entries(v) + count_entries(r),
                       &collage)) {
        return false;
    }
    collage_add(&collage, w, 0, 0);
    collage_add(&collage, v, 0, w->rows);
    collage_add(&collage, &v_transposed, w->rows, 0);
    collage_add(&collage, r, w->rows, w->rows);
    return collage_end(file, &collage, rows, rows, whole);
}

static bool join_lists(CnHdf5* file, const double* a, int a_count, const double* b, int b_count,
                       double** joined) {
    *joined = CN_ARENA_NEW(cn_hdf5_arena(file), double, (size_t)a_count + (size_t)b_count);
    if (*joined == NULL) {
        return cn_hdf5_report_no_memory(file);
    }
    for (int i = 0; i < a_count; ++i) {
        (*joined)[i] = a[i];
    }
    for (int i = 0; i < b_count; ++i) {
        (*joined)[a_count + i] = b[i];
    }
    return true;
}

static bool read_local_equalities(CnHdf5* file, const CnSparseRows* w, Contents* out) {
    CnSparseRows v, r, whole;
    double* s;
    if (!cn_hdf5_read_reals(file, "/fclib_local/vectors/s", &s, &out->equality_count) ||
        !cn_fclib_matrix_read(file, "/fclib_local/V", w->rows, out->equality_count, &v) ||
        !cn_fclib_matrix_read(file, "/fclib_local/R", out->equality_count, out->equality_count,
                              &r) ||
        !assemble(file, w, &v, &r, &whole) ||
        !join_lists(file, out->velocity, w->rows, s, out->equality_count, &out->velocity)) {
        return false;
    }
    out->response = as_response(&whole);
    return true;
}

static bool read_local(CnHdf5* file, Contents* out) {
    CnSparseRows w;
    int rows;
    if (!cn_hdf5_read_reals(file, "/fclib_local/vectors/q", &out->velocity, &rows) ||
        !read_contacts(file, "/fclib_local/spacedim", "/fclib_local/vectors/mu", rows, out) ||
        !cn_fclib_matrix_read(file, "/fclib_local/W", rows, rows, &w)) {
        return false;
    }
    out->response = as_response(&w);
    return !cn_hdf5_has(file, "/fclib_local/V") || read_local_equalities(file, &w, out);
}

// ---- global problems ----

// Appends the columns of G to those of H.
static bool append_columns(CnHdf5* file, const CnSparseRows* g, CnSparseRows* direction) {
    Collage collage;
    if (!collage_begin(file, count_entries(direction) + count_entries(g), &collage)) {
        return false;
    }
    collage_add(&collage, direction, 0, 0);
    collage_add(&collage, g, 0, direction->columns);
    return collage_end(file, &collage, g->rows, direction->columns + g->columns, direction);
}

static bool read_global_equalities(CnHdf5* file, int n, CnFclibGlobal* global, Contents* out) {
    CnSparseRows g;
    double* b;
    int contact_rows = global->direction.columns;
    return cn_hdf5_read_reals(file, "/fclib_global/vectors/b", &b, &out->equality_count) &&
           cn_fclib_matrix_read(file, "/fclib_global/G", n, out->equality_count, &g) &&
           append_columns(file, &g, &global->direction) &&
           join_lists(file, global->offset, contact_rows, b, out->equality_count, &global->offset);
}

static bool read_global(CnHdf5* file, Contents* out) {
    CnFclibGlobal* global = &out->global;
    int n, rows;
    if (!cn_hdf5_read_reals(file, "/fclib_global/vectors/f", &global->force, &n) ||
        !cn_hdf5_read_reals(file, "/fclib_global/vectors/w", &global->offset, &rows) ||
        !read_contacts(file, "/fclib_global/spacedim", "/fclib_global/vectors/mu", rows, out) ||
        !cn_fclib_matrix_read(file, "/fclib_global/M", n, n, &global->mass) ||
        !cn_fclib_matrix_read(file, "/fclib_global/H", n, rows, &global->direction)) {
        return false;
    }
    if (cn_hdf5_has(file, "/fclib_global/G") && !read_global_equalities(file, n, global, out)) {
        return false;
    }
    out->is_global = true;
    out->velocity = global->offset;
    return cn_sparse_rows_transpose(&global->direction, cn_hdf5_arena(file), &out->jacobian) ||
           cn_hdf5_report_no_memory(file);
}

// ---- the problem ----

static void fill_blocks(const Contents* contents, CnOwnedProblem* owned) {
    int row = 0;
    for (int i = 0; i < owned->problem.block_count; ++i) {
        bool is_contact = i < contents->contact_count;
        owned->blocks[i] = (CnBlock){
            .law = is_contact ? CN_LAW_COULOMB : CN_LAW_EQUALITY,
            .first_row = row,
            .row_count = is_contact ? contents->dimension : 1,
            .body_a = -1,
            .body_b = -1,
            .friction = is_contact ? contents->friction[i] : 0.0,
        };
        row += owned->blocks[i].row_count;
    }
    for (int i = 0; i < row; ++i) {
        owned->target[i] = -contents->velocity[i];
    }
}

static CnStatus give_masses(const Contents* contents, CnOwnedProblem* owned, CnError* error) {
    const CnSparseRows* mass = &contents->global.mass;
    const CnSparseRows* jacobian = &contents->jacobian;
    CnMassesDef def = {.coordinate_count = mass->rows,
                       .mass = {mass->start, mass->column, mass->value},
                       .jacobian = {jacobian->start, jacobian->column, jacobian->value}};
    CnError why;
    CnStatus status = cn_owned_problem_give_masses(owned, &def, &why);
    if (status != CN_OK) {
        return cn_error_set(error, status, "/fclib_global/M: %s", why.message);
    }
    cn_masses_solve(owned->masses, contents->global.force, (double*)owned->free_velocity);
    return CN_OK;
}

static CnOwnedProblem* make_problem(const Contents* contents, CnError* error) {
    int blocks = contents->contact_count + contents->equality_count;
    int rows = contents->contact_count * contents->dimension + contents->equality_count;
    int bodies = contents->is_global ? (contents->global.mass.rows + 5) / 6 : 0;
    CnOwnedProblem* owned = cn_owned_problem_create(bodies, blocks, rows, error);
    if (owned == NULL) {
        return NULL;
    }
    fill_blocks(contents, owned);
    CnStatus status = contents->is_global
                          ? give_masses(contents, owned, error)
                          : cn_owned_problem_give_response(owned, &contents->response, error);
    if (status != CN_OK || cn_problem_check(&owned->problem, error) != CN_OK) {
        cn_owned_problem_destroy(owned);
        return NULL;
    }
    return owned;
}

// A file with both forms is read as the global problem, from which the local one was condensed.
static bool read_problem(CnHdf5* file, Contents* contents) {
    if (cn_hdf5_has(file, "/fclib_global")) {
        return read_global(file, contents);
    }
    if (cn_hdf5_has(file, "/fclib_local")) {
        return read_local(file, contents);
    }
    return cn_hdf5_report_error(file, "",
                                "is not an FCLib problem: it has neither /fclib_local nor "
                                "/fclib_global");
}

CnOwnedProblem* cn_fclib_read(const char* bytes, size_t length, CnArena* arena,
                              CnErrorList* errors) {
    Contents contents = {0};
    CnOwnedProblem* owned = NULL;
    CnError error;
    CnHdf5* file = cn_hdf5_open(bytes, length, arena, errors);
    if (file != NULL && read_problem(file, &contents)) {
        owned = make_problem(&contents, &error);
        if (owned == NULL) {
            cn_report_error(errors, error.status, 0, "", "%s", error.message);
        }
    }
    cn_hdf5_close(file);
    return owned;
}
