// json_write.c - writes formatted JSON text.
#include "io/text/json_write.h"

#include "base/error.h"
#include "io/text/file.h"
#include "io/text/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY 4096
#define INDENT 2

void cn_json_writer_init(CnJsonWriter* writer, const CnAllocator* allocator) {
    *writer = (CnJsonWriter){.is_first = true};
    if (allocator != NULL) {
        writer->allocator = *allocator;
    }
}

void cn_json_writer_destroy(CnJsonWriter* writer) {
    cn_release(&writer->allocator, writer->text);
    writer->text = NULL;
}

static bool reserve(CnJsonWriter* writer, size_t more) {
    if (writer->failed || more > SIZE_MAX / 2 - writer->length) {
        writer->failed = true;
        return false;
    }
    size_t wanted = writer->length + more;
    if (wanted <= writer->capacity) {
        return true;
    }
    size_t capacity = writer->capacity > 0 ? writer->capacity : FIRST_CAPACITY;
    while (capacity < wanted) {
        capacity *= 2;
    }
    char* text = cn_allocate(&writer->allocator, capacity, 1);
    if (text == NULL) {
        writer->failed = true;
        return false;
    }
    if (writer->length > 0) {
        memcpy(text, writer->text, writer->length);
    }
    cn_release(&writer->allocator, writer->text);
    writer->text = text;
    writer->capacity = capacity;
    return true;
}

static void put(CnJsonWriter* writer, const char* text, size_t length) {
    if (reserve(writer, length)) {
        memcpy(writer->text + writer->length, text, length);
        writer->length += length;
    }
}

static void put_text(CnJsonWriter* writer, const char* text) {
    put(writer, text, strlen(text));
}

static void put_line_end(CnJsonWriter* writer) {
    put_text(writer, "\n");
    for (int i = 0; i < INDENT * writer->depth; ++i) {
        put_text(writer, " ");
    }
}

static bool is_flat(const CnJsonWriter* writer) {
    return writer->flat_depth > 0;
}

static void put_string(CnJsonWriter* writer, const char* text) {
    put_text(writer, "\"");
    for (; *text != 0; ++text) {
        char escape[8];
        if (*text == '"' || *text == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *text);
            put_text(writer, escape);
        } else if ((unsigned char)*text < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*text);
            put_text(writer, escape);
        } else {
            put(writer, text, 1);
        }
    }
    put_text(writer, "\"");
}

// Writes what precedes a value: separator, line start and key.
static void put_entry(CnJsonWriter* writer, const char* key) {
    if (writer->depth > 0) {
        if (!writer->is_first) {
            put_text(writer, is_flat(writer) ? ", " : ",");
        }
        if (!is_flat(writer)) {
            put_line_end(writer);
        }
    }
    writer->is_first = false;
    if (key != NULL) {
        put_string(writer, key);
        put_text(writer, ": ");
    }
}

static void open_container(CnJsonWriter* writer, const char* key, const char* bracket) {
    put_entry(writer, key);
    put_text(writer, bracket);
    writer->depth += 1;
    writer->is_first = true;
}

static void close_container(CnJsonWriter* writer, const char* bracket) {
    bool was_empty = writer->is_first;
    bool was_flat = is_flat(writer);
    if (writer->flat_depth == writer->depth) {
        writer->flat_depth = 0;
    }
    writer->depth -= 1;
    writer->is_first = false;
    if (!was_empty && !was_flat) {
        put_line_end(writer);
    }
    put_text(writer, bracket);
}

void cn_write_object(CnJsonWriter* writer, const char* key) {
    open_container(writer, key, "{");
}

static void open_flat(CnJsonWriter* writer, const char* key, const char* bracket) {
    open_container(writer, key, bracket);
    if (!is_flat(writer)) {
        writer->flat_depth = writer->depth;
    }
}

void cn_write_flat_object(CnJsonWriter* writer, const char* key) {
    open_flat(writer, key, "{");
}

void cn_write_object_end(CnJsonWriter* writer) {
    close_container(writer, "}");
}

void cn_write_array(CnJsonWriter* writer, const char* key) {
    open_container(writer, key, "[");
}

void cn_write_flat_array(CnJsonWriter* writer, const char* key) {
    open_flat(writer, key, "[");
}

void cn_write_array_end(CnJsonWriter* writer) {
    close_container(writer, "]");
}

void cn_write_text(CnJsonWriter* writer, const char* key, const char* text) {
    put_entry(writer, key);
    put_string(writer, text);
}

void cn_write_text_or_null(CnJsonWriter* writer, const char* key, const char* text) {
    put_entry(writer, key);
    if (text != NULL) {
        put_string(writer, text);
    } else {
        put_text(writer, "null");
    }
}

void cn_write_boolean(CnJsonWriter* writer, const char* key, bool value) {
    put_entry(writer, key);
    put_text(writer, value ? "true" : "false");
}

void cn_write_integer(CnJsonWriter* writer, const char* key, int value) {
    char text[CN_NUMBER_SIZE];
    snprintf(text, sizeof text, "%d", value);
    put_entry(writer, key);
    put_text(writer, text);
}

static void put_number(CnJsonWriter* writer, double value) {
    char text[CN_NUMBER_SIZE];
    CN_ASSERT(!isnan(value));
    if (!isfinite(value)) {
        put_text(writer, value > 0.0 ? "\"inf\"" : "\"-inf\"");
    } else if (cn_number_format(value, text)) {
        put_text(writer, text);
    } else {
        writer->failed = true;
    }
}

void cn_write_number(CnJsonWriter* writer, const char* key, double value) {
    put_entry(writer, key);
    put_number(writer, value);
}

void cn_write_numbers(CnJsonWriter* writer, const char* key, const double* values, int count) {
    put_entry(writer, key);
    put_text(writer, "[");
    for (int i = 0; i < count; ++i) {
        put_text(writer, i > 0 ? ", " : "");
        put_number(writer, values[i]);
    }
    put_text(writer, "]");
}

CnStatus cn_json_writer_save(CnJsonWriter* writer, const char* path, CnError* error) {
    CN_ASSERT(writer->depth == 0);
    put_text(writer, "\n");
    if (writer->failed) {
        return cn_error_set(error, CN_NO_MEMORY, "%s: memory ran out while writing", path);
    }
    return cn_file_write(path, writer->text, writer->length, error);
}
