// problem_response.c - the matrices of a problem without bodies, in problem files.
#include "io/problem/problem_response.h"

#include "base/arena.h"
#include "constraints/problem/masses.h"
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct MatrixFields {
    const CnJson *start, *column, *value;
} MatrixFields;

typedef struct MassesFields {
    const CnJson *free_velocity, *mass, *jacobian;
} MassesFields;

static const CnJsonField matrix_fields[] = {
    {"start", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, start), .required = true},
    {"column", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, column), .required = true},
    {"value", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, value), .required = true},
};
static const CnFieldTable matrix_table = CN_FIELD_TABLE("a matrix", matrix_fields);

static const CnJsonField masses_fields[] = {
    {"free_velocity", CN_FIELD_VALUE, .offset = offsetof(MassesFields, free_velocity),
     .required = true},
    {"mass", CN_FIELD_VALUE, .offset = offsetof(MassesFields, mass), .required = true},
    {"jacobian", CN_FIELD_VALUE, .offset = offsetof(MassesFields, jacobian), .required = true},
};
static const CnFieldTable masses_table = CN_FIELD_TABLE("masses", masses_fields);

// ---- reading ----

// An array of `count` numbers, from the arena. NULL after an error was reported.
static double* read_numbers(const CnJson* value, const char* unit, int count, CnArena* arena,
                            CnErrorList* errors) {
    double* numbers = CN_ARENA_NEW(arena, double, count);
    if (numbers == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    return cn_read_numbers(value, unit, count, numbers, errors) ? numbers : NULL;
}

static int* read_indices(const CnJson* value, int count, CnArena* arena, CnErrorList* errors) {
    double* numbers = read_numbers(value, NULL, count, arena, errors);
    int* indices = CN_ARENA_NEW(arena, int, count);
    if (numbers == NULL) {
        return NULL;
    }
    if (indices == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    for (int i = 0; i < count; ++i) {
        if (numbers[i] != floor(numbers[i]) || numbers[i] < 0.0 || numbers[i] > INT_MAX) {
            cn_report_error_at(errors, value, "entry %d is %g; it must be an index", i, numbers[i]);
            return NULL;
        }
        indices[i] = (int)numbers[i];
    }
    return indices;
}

// Indices and starts are checked before they are used; cn_problem_check() checks the rest.
static bool read_matrix(const CnJson* object, const char* unit, int rows, CnArena* arena,
                        CnResponse* matrix, CnErrorList* errors) {
    MatrixFields fields = {0};
    if (!cn_fields_read(&matrix_table, object, &fields, errors) ||
        !cn_read_type(fields.column, CN_JSON_ARRAY, "an array of indices", errors)) {
        return false;
    }
    int entries = fields.column->count;
    const int* start = read_indices(fields.start, rows + 1, arena, errors);
    const int* column = read_indices(fields.column, entries, arena, errors);
    const double* value = read_numbers(fields.value, unit, entries, arena, errors);
    if (start == NULL || column == NULL || value == NULL) {
        return false;
    }
    for (int i = 0; i <= rows; ++i) {
        if (start[i] < (i > 0 ? start[i - 1] : 0) || (i == 0 && start[0] != 0) ||
            (i == rows && start[rows] != entries)) {
            return cn_report_error_at(
                errors, fields.start,
                "entry %d is %d; starts must ascend from 0 to the %d entries of "
                "column",
                i, start[i], entries);
        }
    }
    *matrix = (CnResponse){start, column, value};
    return true;
}

static bool report_unless(CnStatus status, const CnError* error, const CnJson* value,
                          CnErrorList* errors) {
    return status == CN_OK || cn_report_error_at(errors, value, "%s", error->message);
}

bool cn_problem_read_response(const CnJson* value, CnOwnedProblem* owned, CnErrorList* errors) {
    CnResponse response;
    CnError error;
    return read_matrix(value, "1/kg", owned->problem.row_count, &owned->arena, &response, errors) &&
           report_unless(cn_owned_problem_give_response(owned, &response, &error), &error, value,
                         errors);
}

int cn_problem_count_coordinates(const CnJson* value) {
    const CnJson* velocity = cn_json_member(value, "free_velocity");
    return velocity != NULL && velocity->type == CN_JSON_ARRAY ? velocity->count : 0;
}

bool cn_problem_read_masses(const CnJson* value, CnOwnedProblem* owned, CnErrorList* errors) {
    MassesFields fields = {0};
    CnMassesDef def = {.coordinate_count = cn_problem_count_coordinates(value)};
    CnError error;
    if (!cn_fields_read(&masses_table, value, &fields, errors)) {
        return false;
    }
    double* velocity =
        read_numbers(fields.free_velocity, "m/s", def.coordinate_count, &owned->arena, errors);
    if (velocity == NULL ||
        !read_matrix(fields.mass, "kg", def.coordinate_count, &owned->arena, &def.mass, errors) ||
        !read_matrix(fields.jacobian, NULL, owned->problem.row_count, &owned->arena, &def.jacobian,
                     errors)) {
        return false;
    }
    if (def.coordinate_count > 0) {
        memcpy(owned->free_velocity, velocity, (size_t)def.coordinate_count * sizeof(double));
    }
    return report_unless(cn_owned_problem_give_masses(owned, &def, &error), &error, value, errors);
}

// ---- writing ----

static void write_indices(CnJsonWriter* writer, const char* key, const int* values, int count) {
    cn_write_flat_array(writer, key);
    for (int i = 0; i < count; ++i) {
        cn_write_integer(writer, NULL, values[i]);
    }
    cn_write_array_end(writer);
}

static void write_matrix(CnJsonWriter* writer, const char* key, const CnResponse* matrix,
                         int rows) {
    cn_write_object(writer, key);
    write_indices(writer, "start", matrix->start, rows + 1);
    write_indices(writer, "column", matrix->column, matrix->start[rows]);
    cn_write_numbers(writer, "value", matrix->value, matrix->start[rows]);
    cn_write_object_end(writer);
}

void cn_problem_write_response(const CnProblem* problem, CnJsonWriter* writer) {
    if (problem->response != NULL) {
        write_matrix(writer, "response", problem->response, problem->row_count);
    }
}

void cn_problem_write_masses(const CnProblem* problem, CnJsonWriter* writer) {
    const CnMasses* masses = problem->masses;
    if (masses == NULL) {
        return;
    }
    CnResponse mass = {masses->mass.start, masses->mass.column, masses->mass.value};
    CnResponse jacobian = {masses->jacobian.start, masses->jacobian.column, masses->jacobian.value};
    cn_write_object(writer, "masses");
    cn_write_numbers(writer, "free_velocity", (const double*)problem->free_velocity,
                     masses->coordinate_count);
    write_matrix(writer, "mass", &mass, masses->coordinate_count);
    write_matrix(writer, "jacobian", &jacobian, masses->row_count);
    cn_write_object_end(writer);
}
