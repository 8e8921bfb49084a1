// problem_load.c - loads problems from files; docs/problem-file.md has the formats.
#include "io/problem/problem_file.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "constraints/problem/owned_problem.h"
#include "constraints/problem/problem_check.h"
#include "io/problem/problem_fields.h"
#include "io/problem/problem_response.h"
#include "io/text/file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_EXACT 9007199254740992.0 // 2^53: a double holds whole numbers exactly up to here

// One number times the identity; xx yy zz xy xz yz; or all nine, row by row.
static bool read_inverse_inertia(const CnJson* value, double out[9], CnErrorList* errors) {
    static const int place[6][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {2, 6}, {5, 7}};
    double s[6] = {0};
    if (value->type == CN_JSON_ARRAY && value->count == 9) {
        return cn_read_numbers(value, "1/(kg m^2)", 9, out, errors);
    }
    if (value->type == CN_JSON_NUMBER) {
        s[0] = s[1] = s[2] = value->number;
    } else if (value->type != CN_JSON_ARRAY || value->count != 6) {
        return cn_report_error_at(
            errors, value,
            "inverse_inertia must be one number, 6 (xx yy zz xy xz yz) or 9 (row "
            "by row), in 1/(kg m^2)");
    } else if (!cn_read_numbers(value, "1/(kg m^2)", 6, s, errors)) {
        return false;
    }
    for (int i = 0; i < 6; ++i) {
        out[place[i][0]] = out[place[i][1]] = s[i];
    }
    return true;
}

static bool load_body(const CnJson* value, CnOwnedProblem* owned, CnErrorList* errors) {
    int i = value->index;
    CnProblemBodyFields body = {0};
    if (!cn_fields_read(&cn_problem_body_table, value, &body, errors)) {
        return false;
    }
    owned->inverse_mass[i] = body.inverse_mass;
    memcpy(owned->free_velocity[i], body.free_velocity, sizeof body.free_velocity);
    return body.inverse_inertia == NULL ||
           read_inverse_inertia(body.inverse_inertia, owned->inverse_inertia[i], errors);
}

static bool read_partner(const CnJson* value, int body_count, int* body, CnErrorList* errors) {
    bool is_world = value->type == CN_JSON_STRING && strcmp(value->string, "world") == 0;
    if (!is_world && value->type != CN_JSON_NUMBER) {
        return cn_report_error_at(
            errors, value,
            "a body of a block is named by its index, or -1 or \"world\" for the "
            "immovable world");
    }
    double index = is_world ? -1.0 : value->number;
    if (index != floor(index) || index < -1.0 || index >= (double)body_count) {
        return cn_report_error_at(errors, value,
                                  "there is no body %g; the %d bodies count from 0, and -1 or "
                                  "\"world\" is the immovable world",
                                  index, body_count);
    }
    *body = (int)index;
    return true;
}

static bool read_partners(const CnJson* value, int body_count, CnBlock* block,
                          CnErrorList* errors) {
    if (value->type != CN_JSON_ARRAY || (value->count != 2 && value->count != CN_BLOCK_SIDES)) {
        return cn_report_error_at(errors, value,
                                  "bodies must be an array of two bodies, or of four for a block "
                                  "with a second pair");
    }
    bool ok = true;
    for (const CnJson* partner = value->first; partner != NULL; partner = partner->next) {
        int body = -1;
        ok = read_partner(partner, body_count, &body, errors) && ok;
        cn_block_set_body(block, partner->index, body);
    }
    return ok;
}

// Keys have 64 bits: a hexadecimal string can hold all of them, a number only those up to 2^53.
static bool read_key(const CnJson* value, uint64_t* key, CnErrorList* errors) {
    if (value->type == CN_JSON_NUMBER && value->number == floor(value->number) &&
        value->number >= 0.0 && value->number <= LARGEST_EXACT) {
        *key = (uint64_t)value->number;
        return true;
    }
    if (value->type == CN_JSON_STRING && strncmp(value->string, "0x", 2) == 0) {
        const char* digits = value->string + 2;
        size_t length = strspn(digits, "0123456789abcdefABCDEF");
        if (length >= 1 && length <= 16 && digits[length] == 0) {
            *key = strtoull(digits, NULL, 16);
            return true;
        }
    }
    return cn_report_error_at(
        errors, value,
        "key must be a whole number from 0 to 2^53, or a string of \"0x\" and up "
        "to 16 hexadecimal digits");
}

static bool load_row(const CnJson* value, CnLaw law, int row, CnOwnedProblem* owned,
                     CnErrorList* errors) {
    CnProblemRowFields fields = cn_problem_default_row(law);
    if (!cn_fields_read(&cn_problem_row_table, value, &fields, errors)) {
        return false;
    }
    memcpy(owned->jacobian_a[row], fields.jacobian_a, sizeof fields.jacobian_a);
    memcpy(owned->jacobian_b[row], fields.jacobian_b, sizeof fields.jacobian_b);
    if (owned->jacobian_c != NULL) {
        memcpy(owned->jacobian_c[row], fields.jacobian_c, sizeof fields.jacobian_c);
        memcpy(owned->jacobian_d[row], fields.jacobian_d, sizeof fields.jacobian_d);
    }
    owned->target[row] = fields.target;
    owned->compliance[row] = fields.compliance;
    owned->lower[row] = fields.lower;
    owned->upper[row] = fields.upper;
    owned->offset[row] = fields.offset;
    owned->slope[row] = fields.slope;
    return true;
}

// The number of rows of a block; 0 if "rows" is missing or malformed.
static int count_rows(const CnJson* block) {
    const CnJson* rows = cn_json_member(block, "rows");
    bool ok = rows != NULL && rows->type == CN_JSON_ARRAY && rows->count <= CN_MAX_ROWS;
    return ok ? rows->count : 0;
}

// Whether a block names four bodies, or a row has numbers for a third or fourth.
static bool has_second_pair(const CnJson* block) {
    const CnJson* bodies = cn_json_member(block, "bodies");
    const CnJson* rows = cn_json_member(block, "rows");
    bool found = bodies != NULL && bodies->type == CN_JSON_ARRAY && bodies->count > 2;
    for (const CnJson* row = count_rows(block) > 0 ? rows->first : NULL; row != NULL;
         row = row->next) {
        found = found || cn_json_member(row, "jacobian_c") != NULL ||
                cn_json_member(row, "jacobian_d") != NULL;
    }
    return found;
}

static bool load_block(const CnJson* value, int first_row, CnOwnedProblem* owned,
                       CnErrorList* errors) {
    CnBlock* block = &owned->blocks[value->index];
    CnProblemBlockFields fields = {0};
    if (!cn_fields_read(&cn_problem_block_table, value, &fields, errors)) {
        return false;
    }
    block->law = fields.law;
    block->friction = fields.friction;
    block->first_row = first_row;
    block->row_count = count_rows(value);
    bool ok = read_partners(fields.bodies, owned->problem.body_count, block, errors);
    ok = (fields.key == NULL || read_key(fields.key, &block->key, errors)) && ok;
    if (block->row_count == 0) {
        return cn_report_error_at(errors, fields.rows, "rows must be an array of 1 to %d rows",
                                  CN_MAX_ROWS);
    }
    for (const CnJson* row = fields.rows->first; row != NULL; row = row->next) {
        ok = load_row(row, fields.law, first_row + row->index, owned, errors) && ok;
    }
    if (ok && fields.name != NULL &&
        cn_owned_problem_name_block(owned, value->index, fields.name, NULL) != CN_OK) {
        return cn_report_no_memory(errors);
    }
    return ok;
}

static bool check_problem(const CnProblemFileFields* file, const CnOwnedProblem* owned,
                          CnErrorList* errors) {
    CnProblemPlace place;
    CnError error;
    char path[32] = "";
    if (cn_problem_check_at(&owned->problem, &place, &error) == CN_OK) {
        return true;
    }
    const CnJson* value = file->blocks;
    if (place.body >= 0) {
        snprintf(path, sizeof path, "[%d]", place.body);
        value = cn_json_follow(file->bodies, path);
    } else if (place.block >= 0) {
        snprintf(path, sizeof path, "[%d]", place.block);
        value = cn_json_follow(file->blocks, path);
    }
    return cn_report_error_at(errors, value, "%s", error.message);
}

static CnOwnedProblem* load_tree(const CnJson* top, CnErrorList* errors) {
    CnProblemFileFields file = {0};
    CnError error;
    if (!cn_fields_read(&cn_problem_file_table, top, &file, errors) ||
        !cn_read_type(file.bodies, CN_JSON_ARRAY, "an array of bodies", errors) ||
        !cn_read_type(file.blocks, CN_JSON_ARRAY, "an array of blocks", errors)) {
        return NULL;
    }
    if (file.version != CN_PROBLEM_FORMAT_VERSION) {
        cn_report_error_at(errors, cn_json_member(top, "cairn_problem"),
                           "cairn_problem is %d; this version reads format %d", file.version,
                           CN_PROBLEM_FORMAT_VERSION);
        return NULL;
    }
    if (file.masses != NULL && file.bodies->count > 0) {
        cn_report_error_at(errors, file.bodies, "a problem with masses has no bodies; there are %d",
                           file.bodies->count);
        return NULL;
    }
    int body_count = file.masses != NULL ? (cn_problem_count_coordinates(file.masses) + 5) / 6
                                         : file.bodies->count;
    int row_count = 0;
    bool has_second = false;
    for (const CnJson* block = file.blocks->first; block != NULL; block = block->next) {
        row_count += count_rows(block);
        has_second = has_second || has_second_pair(block);
    }
    CnOwnedProblem* owned =
        cn_owned_problem_create(body_count, file.blocks->count, row_count, &error);
    if (owned == NULL) {
        cn_report_error(errors, error.status, 0, "", "%s", error.message);
        return NULL;
    }
    if (has_second && !cn_owned_problem_add_second(owned, &owned->arena)) {
        cn_owned_problem_destroy(owned);
        cn_report_no_memory(errors);
        return NULL;
    }
    bool ok = true;
    for (const CnJson* body = file.bodies->first; body != NULL; body = body->next) {
        ok = load_body(body, owned, errors) && ok;
    }
    int first_row = 0;
    for (const CnJson* block = file.blocks->first; block != NULL; block = block->next) {
        ok = load_block(block, first_row, owned, errors) && ok;
        first_row += count_rows(block);
    }
    ok = (file.response == NULL || cn_problem_read_response(file.response, owned, errors)) && ok;
    ok = (file.masses == NULL || !ok || cn_problem_read_masses(file.masses, owned, errors)) && ok;
    if (!ok || !check_problem(&file, owned, errors)) {
        cn_owned_problem_destroy(owned);
        return NULL;
    }
    return owned;
}

bool cn_problem_is_hdf5(const char* bytes, size_t length) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    return length >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

CnOwnedProblem* cn_problem_read(char* text, size_t length, CnArena* arena, CnErrorList* errors) {
    if (cn_problem_is_hdf5(text, length)) {
        cn_report_error(
            errors, CN_UNSUPPORTED, 0, "",
            "is an HDF5 file; those of FCLib are read by cn_fclib_load() of cairn/fclib.h, "
            "in the library libcairn_hdf5");
        return NULL;
    }
    const CnJson* top = cn_json_parse(text, length, arena, errors);
    return top != NULL ? load_tree(top, errors) : NULL;
}

CnOwnedProblem* cn_problem_load(const char* path, CnError* error) {
    CnArena arena;
    CnErrorList errors;
    CnOwnedProblem* owned = NULL;
    char* text = NULL;
    size_t length = 0;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, cn_file_label(path), NULL, 0);
    if (cn_file_read(path, CN_JSON_MAX_BYTES, &arena, &text, &length, &errors)) {
        owned = cn_problem_read(text, length, &arena, &errors);
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return owned;
}

CnOwnedProblem* cn_problem_parse(const char* text, size_t length, const char* label,
                                 CnError* error) {
    CnArena arena;
    CnErrorList errors;
    CnOwnedProblem* owned = NULL;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, label, NULL, 0);
    char* copy = length <= CN_JSON_MAX_BYTES ? CN_ARENA_NEW(&arena, char, length + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        owned = cn_problem_read(copy, length, &arena, &errors);
    } else {
        cn_report_no_memory(&errors);
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return owned;
}
