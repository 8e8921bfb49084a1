// problem_response.c - the response of a problem and what is behind it, in problem files.
#include "io/problem_response.h"

#include "base/arena.h"
#include <limits.h>
#include <math.h>

typedef struct MatrixFields {
    const CnJson *start, *column, *value, *free_velocity;
} MatrixFields;

static const CnField response_fields[] = {
    {"start", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, start), .required = true},
    {"column", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, column), .required = true},
    {"value", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, value), .required = true},
};
static const CnFieldTable response_table = CN_FIELD_TABLE("a response", response_fields);

static const CnField coordinate_fields[] = {
    {"free_velocity", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, free_velocity),
     .required = true},
    {"start", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, start), .required = true},
    {"column", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, column), .required = true},
    {"value", CN_FIELD_VALUE, .offset = offsetof(MatrixFields, value), .required = true},
};
static const CnFieldTable coordinate_table = CN_FIELD_TABLE("coordinates", coordinate_fields);

// ---- reading ----

// An array of `count` numbers, from the arena. NULL after a complaint.
static double* read_numbers(const CnJson* value, const char* unit, int count, CnArena* arena,
                            CnComplaints* complaints) {
    double* numbers = CN_ARENA_NEW(arena, double, count);
    if (numbers == NULL) {
        cn_complain_no_memory(complaints);
        return NULL;
    }
    return cn_read_numbers(value, unit, count, numbers, complaints) ? numbers : NULL;
}

static int* read_indices(const CnJson* value, int count, CnArena* arena, CnComplaints* complaints) {
    double* numbers = read_numbers(value, NULL, count, arena, complaints);
    int* indices = CN_ARENA_NEW(arena, int, count);
    if (numbers == NULL) {
        return NULL;
    }
    if (indices == NULL) {
        cn_complain_no_memory(complaints);
        return NULL;
    }
    for (int i = 0; i < count; ++i) {
        if (numbers[i] != floor(numbers[i]) || numbers[i] < 0.0 || numbers[i] > INT_MAX) {
            cn_complain_at(complaints, value, "entry %d is %g; it must be an index", i, numbers[i]);
            return NULL;
        }
        indices[i] = (int)numbers[i];
    }
    return indices;
}

// Places and starts must be right before anybody follows them; the rest cn_problem_check() sees.
static bool read_matrix(const MatrixFields* fields, int rows, CnArena* arena, CnResponse* matrix,
                        CnComplaints* complaints) {
    if (!cn_read_type(fields->column, CN_JSON_ARRAY, "an array of indices", complaints)) {
        return false;
    }
    int entries = fields->column->count;
    const int* start = read_indices(fields->start, rows + 1, arena, complaints);
    const int* column = read_indices(fields->column, entries, arena, complaints);
    const double* value = read_numbers(fields->value, "1/kg", entries, arena, complaints);
    if (start == NULL || column == NULL || value == NULL) {
        return false;
    }
    for (int i = 0; i <= rows; ++i) {
        if (start[i] < (i > 0 ? start[i - 1] : 0) || (i == 0 && start[0] != 0) ||
            (i == rows && start[rows] != entries)) {
            return cn_complain_at(complaints, fields->start,
                                  "entry %d is %d; starts must ascend from 0 to the %d entries of "
                                  "column",
                                  i, start[i], entries);
        }
    }
    *matrix = (CnResponse){start, column, value};
    return true;
}

static bool complain_unless(CnStatus status, const CnError* error, const CnJson* value,
                            CnComplaints* complaints) {
    return status == CN_OK || cn_complain_at(complaints, value, "%s", error->message);
}

bool cn_problem_read_response(const CnJson* value, CnOwnedProblem* owned,
                              CnComplaints* complaints) {
    MatrixFields fields = {0};
    CnResponse response;
    CnError error;
    return cn_fields_read(&response_table, value, &fields, complaints) &&
           read_matrix(&fields, owned->problem.row_count, &owned->arena, &response, complaints) &&
           complain_unless(cn_owned_problem_give_response(owned, &response, &error), &error, value,
                           complaints);
}

bool cn_problem_read_coordinates(const CnJson* value, CnOwnedProblem* owned,
                                 CnComplaints* complaints) {
    MatrixFields fields = {0};
    CnCoordinates coordinates = {0};
    CnError error;
    if (!cn_fields_read(&coordinate_table, value, &fields, complaints) ||
        !cn_read_type(fields.free_velocity, CN_JSON_ARRAY, "an array of numbers", complaints)) {
        return false;
    }
    coordinates.count = fields.free_velocity->count;
    coordinates.free_velocity =
        read_numbers(fields.free_velocity, "m/s", coordinates.count, &owned->arena, complaints);
    return coordinates.free_velocity != NULL &&
           read_matrix(&fields, coordinates.count, &owned->arena, &coordinates.motion,
                       complaints) &&
           complain_unless(cn_owned_problem_give_coordinates(owned, &coordinates, &error), &error,
                           value, complaints);
}

// ---- writing ----

static void write_indices(CnJsonWriter* writer, const char* key, const int* values, int count) {
    cn_write_flat_array(writer, key);
    for (int i = 0; i < count; ++i) {
        cn_write_integer(writer, NULL, values[i]);
    }
    cn_write_array_end(writer);
}

static void write_matrix(const CnResponse* matrix, int rows, CnJsonWriter* writer) {
    write_indices(writer, "start", matrix->start, rows + 1);
    write_indices(writer, "column", matrix->column, matrix->start[rows]);
    cn_write_numbers(writer, "value", matrix->value, matrix->start[rows]);
}

void cn_problem_write_response(const CnProblem* problem, CnJsonWriter* writer) {
    if (problem->response == NULL) {
        return;
    }
    cn_write_object(writer, "response");
    write_matrix(problem->response, problem->row_count, writer);
    cn_write_object_end(writer);
    if (problem->coordinates != NULL) {
        cn_write_object(writer, "coordinates");
        cn_write_numbers(writer, "free_velocity", problem->coordinates->free_velocity,
                         problem->coordinates->count);
        write_matrix(&problem->coordinates->motion, problem->coordinates->count, writer);
        cn_write_object_end(writer);
    }
}
