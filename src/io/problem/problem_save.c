// problem_save.c - saves problems as files; docs/problem-file.md has the formats.
#include "base/error.h"
#include "constraints/problem/block.h"
#include "io/problem/problem_fields.h"
#include "io/problem/problem_file.h"
#include "io/problem/problem_response.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEY_TEXT_SIZE 20 // "0x", 16 digits, the end

static void save_body(const CnProblem* problem, int body, CnJsonWriter* writer) {
    CnProblemBodyFields fields = {.inverse_mass = problem->inverse_mass[body]};
    memcpy(fields.free_velocity, problem->free_velocity[body], sizeof fields.free_velocity);
    cn_write_flat_object(writer, NULL);
    cn_fields_write(&cn_problem_body_table, &fields, writer);
    cn_write_numbers(writer, "inverse_inertia", problem->inverse_inertia[body], 9);
    cn_write_object_end(writer);
}

// Fields whose values equal the defaults, to the bit, are omitted.
static void save_row(const CnProblem* problem, CnLaw law, int row, CnJsonWriter* writer) {
    CnProblemRowFields defaults = cn_problem_default_row(law);
    CnProblemRowFields fields = {
        .target = problem->target[row],
        .compliance = problem->compliance[row],
        .lower = problem->lower[row],
        .upper = problem->upper[row],
        .offset = problem->offset[row],
        .slope = problem->slope[row],
    };
    if (problem->response == NULL && problem->masses == NULL) { // else jacobians are optional
        memcpy(fields.jacobian_a, problem->jacobian_a[row], sizeof fields.jacobian_a);
        memcpy(fields.jacobian_b, problem->jacobian_b[row], sizeof fields.jacobian_b);
    }
    if (problem->jacobian_c != NULL) {
        memcpy(fields.jacobian_c, problem->jacobian_c[row], sizeof fields.jacobian_c);
        memcpy(fields.jacobian_d, problem->jacobian_d[row], sizeof fields.jacobian_d);
    }
    cn_write_flat_object(writer, NULL);
    for (int i = 0; i < cn_problem_row_table.count; ++i) {
        const CnJsonField* field = &cn_problem_row_table.fields[i];
        size_t size = sizeof(double) * (size_t)(field->count > 0 ? field->count : 1);
        if (memcmp((char*)&fields + field->offset, (char*)&defaults + field->offset, size) != 0) {
            cn_field_write(field, &fields, writer);
        }
    }
    cn_write_object_end(writer);
}

static void save_block(const CnProblem* problem, int index, CnJsonWriter* writer) {
    const CnBlock* block = &problem->blocks[index];
    double partners[CN_BLOCK_SIDES];
    for (int side = 0; side < CN_BLOCK_SIDES; ++side) {
        partners[side] = cn_block_body(block, side);
    }
    CnProblemBlockFields fields = {.law = block->law, .friction = block->friction};
    if (problem->block_names != NULL) {
        fields.name = problem->block_names[index];
    }
    cn_write_object(writer, NULL);
    cn_fields_write(&cn_problem_block_table, &fields, writer);
    cn_write_numbers(writer, "bodies", partners, cn_block_sides(block));
    if (block->key != 0) {
        char key[KEY_TEXT_SIZE];
        snprintf(key, sizeof key, "0x%" PRIx64, block->key);
        cn_write_text(writer, "key", key);
    }
    cn_write_array(writer, "rows");
    for (int i = 0; i < block->row_count; ++i) {
        save_row(problem, block->law, block->first_row + i, writer);
    }
    cn_write_array_end(writer);
    cn_write_object_end(writer);
}

// cn_problem_check does not check numbers that a law does not use, but no file can hold NaN.
CnStatus cn_problem_check_writable(const CnProblem* problem, CnError* error) {
    CnStatus status = cn_problem_check(problem, error);
    for (int i = 0; status == CN_OK && i < problem->row_count; ++i) {
        if (isnan(problem->lower[i]) || isnan(problem->upper[i]) || !isfinite(problem->offset[i]) ||
            !isfinite(problem->slope[i])) {
            return cn_error_set(error, CN_INVALID,
                                "lower, upper, offset and slope of row %d are %g, %g, %g and %g: "
                                "a file cannot hold them",
                                i, problem->lower[i], problem->upper[i], problem->offset[i],
                                problem->slope[i]);
        }
    }
    for (int i = 0; status == CN_OK && i < problem->block_count; ++i) {
        if (!isfinite(problem->blocks[i].friction)) {
            return cn_error_set(error, CN_INVALID, "friction of block %d is %g", i,
                                problem->blocks[i].friction);
        }
    }
    return status;
}

static CnStatus save_json(const CnProblem* problem, const char* path, CnError* error) {
    CnJsonWriter writer;
    cn_json_writer_init(&writer, NULL);
    cn_write_object(&writer, NULL);
    cn_write_integer(&writer, "cairn_problem", CN_PROBLEM_FORMAT_VERSION);
    cn_write_array(&writer, "bodies");
    for (int i = 0; problem->masses == NULL && i < problem->body_count; ++i) {
        save_body(problem, i, &writer);
    }
    cn_write_array_end(&writer);
    cn_write_array(&writer, "blocks");
    for (int i = 0; i < problem->block_count; ++i) {
        save_block(problem, i, &writer);
    }
    cn_write_array_end(&writer);
    cn_problem_write_response(problem, &writer);
    cn_problem_write_masses(problem, &writer);
    cn_write_object_end(&writer);
    CnStatus status = cn_json_writer_save(&writer, path, error);
    cn_json_writer_destroy(&writer);
    return status;
}

bool cn_problem_names_hdf5(const char* path) {
    const char* ending = strrchr(path, '.');
    return ending != NULL && (strcmp(ending, ".hdf5") == 0 || strcmp(ending, ".h5") == 0);
}

CnStatus cn_problem_save(const CnProblem* problem, const char* path, CnError* error) {
    if (cn_problem_names_hdf5(path)) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "%s: HDF5 files of FCLib are written by cn_fclib_save() of "
                            "cairn/fclib.h, in the library libcairn_hdf5; Cairn's own file has "
                            "another name, like problem.json",
                            path);
    }
    CnStatus status = cn_problem_check_writable(problem, error);
    return status == CN_OK ? save_json(problem, path, error) : status;
}
