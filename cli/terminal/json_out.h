// json_out.h - JSON, written as it is made; always well-formed.
//
//     JsonOut json = json_open(stdout);
//     json_begin_object(&json, NULL);
//     json_text(&json, "scene", name);
//     json_end(&json);
//
// key is NULL for the elements of an array and for the outermost value.
#pragma once

#include "cairn/math.h"

#include <stdio.h>

// Objects and arrays inside each other; the contract's deepest object has four.
#define JSON_MAX_DEPTH 8

typedef struct JsonOut {
    FILE* file;
    bool on_one_line; // else each item on its own, indented
    int depth;
    char closing[JSON_MAX_DEPTH];   // how each open container ends   [depth]
    bool has_items[JSON_MAX_DEPTH]; // whether the next item needs a comma   [depth]
} JsonOut;

JsonOut json_open(FILE* file);
JsonOut json_open_line(FILE* file); // all on one line

void json_begin_object(JsonOut* json, const char* key);
void json_begin_array(JsonOut* json, const char* key);
void json_end(JsonOut* json); // the innermost one; after the outermost a newline

void json_text(JsonOut* json, const char* key, const char* text); // NULL becomes null
void json_null(JsonOut* json, const char* key);
void json_boolean(JsonOut* json, const char* key, bool value);
void json_integer(JsonOut* json, const char* key, int64_t value);

// 17 digits give back the same bits; what is not finite has no JSON number and becomes null.
void json_real(JsonOut* json, const char* key, double value);
void json_reals(JsonOut* json, const char* key, const double* values, int count);
void json_vec3(JsonOut* json, const char* key, CnVec3 v);
void json_quat(JsonOut* json, const char* key, CnQuat q); // [w, x, y, z]
