// convert_table.c - a recording as a table: a row per frame, a column per number.
#include "recording/convert.h"
#include "run/table_file.h"

#include <stdlib.h>
#include <string.h>

// What the columns of a body are called, in the order of body_numbers().
static const struct {
    const char *name, *unit;
} parts[] = {
    {"position.x", "m"},
    {"position.y", "m"},
    {"position.z", "m"},
    {"rotation.w", "1"},
    {"rotation.x", "1"},
    {"rotation.y", "1"},
    {"rotation.z", "1"},
    {"velocity.x", "m/s"},
    {"velocity.y", "m/s"},
    {"velocity.z", "m/s"},
    {"angular_velocity.x", "rad/s"},
    {"angular_velocity.y", "rad/s"},
    {"angular_velocity.z", "rad/s"},
};
#define PART_COUNT ((int)(sizeof parts / sizeof parts[0]))

static void body_numbers(const CnRecordedMotion* body, double numbers[PART_COUNT]) {
    const CnTransform* pose = &body->pose;
    const double all[PART_COUNT] = {
        pose->position.x,        pose->position.y,         pose->position.z,
        pose->rotation.w,        pose->rotation.x,         pose->rotation.y,
        pose->rotation.z,        body->velocity.x,         body->velocity.y,
        body->velocity.z,        body->angular_velocity.x, body->angular_velocity.y,
        body->angular_velocity.z};
    memcpy(numbers, all, sizeof all);
}

static char* column_name(const CnRecordingInfo* info, int body, int part) {
    char label[256], name[320];
    convert_body_label(info, body, label, sizeof label);
    snprintf(name, sizeof name, "body.%s.%s", label, parts[part].name);
    return strdup(name);
}

// A scalar that the recording keeps besides may be one of a body: it is then there once.
static bool is_body_scalar(const CnQuantityInfo* scalar) {
    return strncmp(scalar->name, "body.", strlen("body.")) == 0;
}

typedef struct Columns {
    CnQuantityInfo* infos; // [count]
    double* row;           // [count]
    int count, scalars;    // of them scalars
    int* scalar;           // which of the recording's   [scalars]
} Columns;

static void free_columns(Columns* columns) {
    for (int i = 1 + columns->scalars; columns->infos != NULL && i < columns->count; ++i) {
        free((char*)(uintptr_t)columns->infos[i].name); // ours, by column_name()
    }
    free(columns->infos);
    free(columns->row);
    free(columns->scalar);
}

static bool make_columns(Columns* columns, const CnRecordingInfo* info) {
    size_t most = 1 + (size_t)info->scalar_count + (size_t)info->body_count * PART_COUNT;
    *columns = (Columns){.infos = calloc(most, sizeof *columns->infos),
                         .row = calloc(most, sizeof *columns->row),
                         .scalar = calloc(most, sizeof *columns->scalar)};
    if (columns->infos == NULL || columns->row == NULL || columns->scalar == NULL) {
        return false;
    }
    columns->infos[columns->count++] = (CnQuantityInfo){"time", "s"};
    for (int i = 0; i < info->scalar_count; ++i) {
        if (!is_body_scalar(&info->scalars[i])) {
            columns->scalar[columns->scalars++] = i;
            columns->infos[columns->count++] = info->scalars[i];
        }
    }
    for (int i = 0; i < info->body_count; ++i) {
        for (int k = 0; k < PART_COUNT; ++k) {
            char* name = column_name(info, i, k);
            if (name == NULL) {
                return false;
            }
            columns->infos[columns->count++] = (CnQuantityInfo){name, parts[k].unit};
        }
    }
    return true;
}

static bool write_rows(const Conversion* conversion, Columns* columns, TableFile* table,
                       CnError* error) {
    const CnRecordingInfo* info = conversion->info;
    for (int f = 0; f < info->frame_count; ++f) {
        CnRecordedFrame frame;
        if (cn_recording_read(conversion->recording, f, &frame, error) != CN_OK) {
            return false;
        }
        double* at = columns->row;
        *at++ = frame.time;
        for (int i = 0; i < columns->scalars; ++i) {
            *at++ = frame.scalars[columns->scalar[i]];
        }
        for (int i = 0; i < info->body_count; ++i, at += PART_COUNT) {
            body_numbers(&frame.bodies[i], at);
        }
        if (!table_file_add(table, columns->row, error)) {
            return false;
        }
    }
    return true;
}

bool convert_to_table(const Conversion* conversion, CnError* error) {
    Columns columns;
    TableFile table = {0};
    bool ok = make_columns(&columns, conversion->info) || convert_fail_memory(error);
    ok = ok && table_file_open(&table, conversion->path, columns.infos, columns.count, error) &&
         write_rows(conversion, &columns, &table, error);
    ok = table_file_close(&table, ok ? error : NULL) && ok;
    free_columns(&columns);
    return ok;
}
