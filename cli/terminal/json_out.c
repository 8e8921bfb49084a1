// json_out.c - JSON, written as it is made; always well-formed.
#include "terminal/json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

JsonOut json_open(FILE* file) {
    JsonOut json = {.file = file};
    return json;
}

JsonOut json_open_line(FILE* file) {
    JsonOut json = {.file = file, .on_one_line = true};
    return json;
}

// Bytes of the UTF-8 character at text, 0 when it is not one (overlong, surrogate, cut short).
static int character_length(const unsigned char* text) {
    unsigned char lead = text[0];
    int length = lead < 0x80   ? 1
                 : lead < 0xc2 ? 0
                 : lead < 0xe0 ? 2
                 : lead < 0xf0 ? 3
                 : lead < 0xf5 ? 4
                               : 0;
    for (int i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    bool surrogate = lead == 0xed && text[1] >= 0xa0;
    bool beyond = lead == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

// Names of files may hold any bytes; those that are not UTF-8 become U+FFFD.
static void write_string(FILE* file, const char* string) {
    const unsigned char* text = (const unsigned char*)string;
    fputc('"', file);
    while (*text != '\0') {
        int length = character_length(text);
        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text);
        } else if (*text < 0x20) {
            fprintf(file, "\\u%04x", *text);
        } else {
            fwrite(text, 1, (size_t)length, file);
        }
        text += length;
    }
    fputc('"', file);
}

static void write_real(FILE* file, double value) {
    if (isfinite(value)) {
        fprintf(file, "%.17g", value);
    } else {
        fputs("null", file);
    }
}

static void break_line(const JsonOut* json) {
    if (!json->on_one_line) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
}

// What stands before a value: comma, line break, indentation, key.
static void begin_item(JsonOut* json, const char* key) {
    if (json->depth > 0) {
        bool* has_items = &json->has_items[json->depth - 1];
        if (*has_items) {
            fputs(json->on_one_line ? ", " : ",", json->file);
        }
        break_line(json);
        *has_items = true;
    }
    if (key != NULL) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
}

static void begin_container(JsonOut* json, const char* key, char opening, char closing) {
    assert(json->depth < JSON_MAX_DEPTH);
    begin_item(json, key);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->has_items[json->depth] = false;
    json->depth += 1;
}

void json_begin_object(JsonOut* json, const char* key) {
    begin_container(json, key, '{', '}');
}

void json_begin_array(JsonOut* json, const char* key) {
    begin_container(json, key, '[', ']');
}

void json_end(JsonOut* json) {
    json->depth -= 1;
    if (json->has_items[json->depth]) {
        break_line(json);
    }
    fputc(json->closing[json->depth], json->file);
    if (json->depth == 0) {
        fputc('\n', json->file);
    }
}

void json_text(JsonOut* json, const char* key, const char* text) {
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    begin_item(json, key);
    write_string(json->file, text);
}

void json_null(JsonOut* json, const char* key) {
    begin_item(json, key);
    fputs("null", json->file);
}

void json_boolean(JsonOut* json, const char* key, bool value) {
    begin_item(json, key);
    fputs(value ? "true" : "false", json->file);
}

void json_integer(JsonOut* json, const char* key, int64_t value) {
    begin_item(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void json_real(JsonOut* json, const char* key, double value) {
    begin_item(json, key);
    write_real(json->file, value);
}

void json_reals(JsonOut* json, const char* key, const double* values, int count) {
    begin_item(json, key);
    fputc('[', json->file);
    for (int i = 0; i < count; ++i) {
        fputs(i > 0 ? ", " : "", json->file);
        write_real(json->file, values[i]);
    }
    fputc(']', json->file);
}

void json_vec3(JsonOut* json, const char* key, CnVec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    json_reals(json, key, values, 3);
}

void json_quat(JsonOut* json, const char* key, CnQuat q) {
    const double values[4] = {q.w, q.x, q.y, q.z};
    json_reals(json, key, values, 4);
}
