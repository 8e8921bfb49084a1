// json.h - JSON text as a tree of values that know their line and their path.
//
// RFC 8259, strictly: UTF-8, finite numbers, no key twice, nothing after the value. The tree and
// the text it points into live in an arena.
#pragma once

#include "base/arena.h"
#include "io/text/error_list.h"

#define CN_JSON_MAX_DEPTH 64          // objects and arrays inside each other; our files need 7
#define CN_JSON_MAX_VALUES 50000000   // 3 GB of tree: the same limit on every machine
#define CN_JSON_MAX_BYTES (1u << 30u) // of text

typedef enum CnJsonType {
    CN_JSON_NULL,
    CN_JSON_BOOLEAN,
    CN_JSON_NUMBER,
    CN_JSON_STRING,
    CN_JSON_ARRAY,
    CN_JSON_OBJECT,
} CnJsonType;

typedef struct CnJson {
    CnJsonType type;
    int line;                    // 1-based, where the value begins
    int key_line;                // where its key begins, if it has one
    int index;                   // in the array or object that holds it
    const char* key;             // NULL in arrays and at the top
    const struct CnJson* parent; // NULL at the top
    struct CnJson* next;         // in the same array or object
    union {
        bool boolean;
        double number;      // finite
        const char* string; // contains no null character before its end
        struct {
            struct CnJson* first; // of the elements or members
            int count;
        };
    };
} CnJson;

// text[length] must be 0. Strings are decoded in place, so text changes and must live as long as
// the tree. NULL after the first mistake was reported.
const CnJson* cn_json_parse(char* text, size_t length, CnArena* arena, CnErrorList* errors);

// NULL when the object has no such key.
const CnJson* cn_json_member(const CnJson* object, const char* key);

// "bodies[2].mass"; "" at the top.
void cn_json_path(const CnJson* value, char* path, size_t size);

// The value at a path like "shapes[1].radius" below this one, or the deepest value on that path
// that exists.
const CnJson* cn_json_follow(const CnJson* value, const char* path);

// "a number", "an object", ...
const char* cn_json_type_name(CnJsonType type);
