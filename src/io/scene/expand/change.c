// change.c - single values of a scene file that are replaced before it is loaded.
//
// The tree was made by cn_json_parse() for us alone, so that what is const in it may change.
#include "io/scene/expand/change.h"

#include "io/text/fields.h"
#include "io/text/json_parser.h"
#include "io/text/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 1000 // that a misspelt one is compared with

typedef struct Change {
    const char* text; // all of it, for messages
    const char* path; // what is left to follow   [path_end]
    const char* end;  // where "=" stands
    CnArena* arena;
    CnErrorList* errors;
} Change;

__attribute__((format(printf, 3, 4))) static bool refuse(const Change* change, const CnJson* where,
                                                         const char* format, ...) {
    char message[200], path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cn_json_path(where, path, sizeof path);
    return cn_report_error(change->errors, CN_INVALID, 0, "", "cannot set \"%s\": %s %s",
                           cn_text_show(change->text, shown), path[0] != 0 ? path : "the scene",
                           message);
}

// ---- one part of the path ----

// How much of the path the word takes: all of it up to a dot, a bracket or the end; 0: not that
// word. Words may hold dots themselves.
static size_t match(const Change* change, const char* word) {
    size_t length = strlen(word), left = (size_t)(change->end - change->path);
    if (length == 0 || length > left || strncmp(change->path, word, length) != 0) {
        return 0;
    }
    char next = length < left ? change->path[length] : '.';
    return next == '.' || next == '[' ? length : 0;
}

static const char* own_name(const CnJson* value) {
    const CnJson* name = value->type == CN_JSON_OBJECT ? cn_json_member(value, "name") : NULL;
    bool is_text = name != NULL && name->type == CN_JSON_STRING;
    return is_text ? name->string : "";
}

// The child that the path names with the longest word; NULL: none.
static CnJson* named_child(const Change* change, const CnJson* parent, size_t* length) {
    CnJson* found = NULL;
    *length = 0;
    for (CnJson* child = parent->first; child != NULL; child = child->next) {
        size_t taken = match(change, child->key != NULL ? child->key : own_name(child));
        if (taken > *length) {
            found = child;
            *length = taken;
        }
    }
    return found;
}

// "[3]" or "3"; false: not a number.
static bool read_index(const Change* change, long* index, size_t* length) {
    bool in_brackets = change->path[0] == '[';
    const char* start = change->path + in_brackets;
    char* stop;
    if (start == change->end || !cn_json_is_digit(*start)) {
        return false;
    }
    *index = strtol(start, &stop, 10);
    if (in_brackets && *stop != ']') {
        return false;
    }
    stop += in_brackets;
    *length = (size_t)(stop - change->path);
    return stop == change->end || *stop == '.' || *stop == '[';
}

static const char* copy_word(const Change* change, size_t length) {
    char* word = CN_ARENA_NEW(change->arena, char, length + 1);
    if (word == NULL) {
        cn_report_no_memory(change->errors);
        return NULL;
    }
    memcpy(word, change->path, length);
    word[length] = 0;
    return word;
}

static const char* next_word(const Change* change, size_t* length) {
    *length = strcspn(change->path, ".[");
    size_t left = (size_t)(change->end - change->path);
    *length = *length < left ? *length : left;
    return copy_word(change, *length);
}

static void refuse_element(const Change* change, const CnJson* array) {
    const char* names[MOST_NAMES];
    size_t length;
    int count = 0;
    for (const CnJson* child = array->first; child != NULL && count < MOST_NAMES;
         child = child->next) {
        if (own_name(child)[0] != 0) {
            names[count++] = own_name(child);
        }
    }
    const char* word = next_word(change, &length);
    const char* nearest = word != NULL ? cn_nearest_name(word, names, count) : NULL;
    char shown[CN_SHOWN_SIZE], near_shown[CN_SHOWN_SIZE];
    if (nearest != NULL) {
        refuse(change, array, "has no \"%s\"; did you mean \"%s\"?", cn_text_show(word, shown),
               cn_text_show(nearest, near_shown));
    } else if (word != NULL) {
        refuse(change, array, "has no \"%s\", by name or by index", cn_text_show(word, shown));
    }
}

static CnJson* element(Change* change, const CnJson* array, size_t* length) {
    long index;
    CnJson* found = named_child(change, array, length);
    if (found == NULL && read_index(change, &index, length)) {
        for (found = array->first; found != NULL && found->index != index;) {
            found = found->next;
        }
        if (found == NULL) {
            refuse(change, array, "has no element %ld; the first is 0", index);
            return NULL;
        }
    }
    if (found == NULL) {
        refuse_element(change, array);
    }
    return found;
}

// A new last member, an empty object; NULL after an error was reported.
static CnJson* add_member(const Change* change, CnJson* object, const char* key) {
    CnJson* member = CN_ARENA_NEW(change->arena, CnJson, 1);
    if (member == NULL) {
        cn_report_no_memory(change->errors);
        return NULL;
    }
    *member =
        (CnJson){.type = CN_JSON_OBJECT, .index = object->count, .key = key, .parent = object};
    CnJson** last = &object->first;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = member;
    object->count += 1;
    return member;
}

static CnJson* member(Change* change, CnJson* object, size_t* length) {
    CnJson* found = named_child(change, object, length);
    if (found != NULL) {
        return found;
    }
    const char* key = next_word(change, length);
    if (key != NULL && key[0] == 0) {
        refuse(change, object, "is followed by an empty name");
        return NULL;
    }
    return key != NULL ? add_member(change, object, key) : NULL;
}

// ---- all of it ----

static CnJson* follow(Change* change, const CnJson* top) {
    CnJson* value = (CnJson*)top;
    while (value != NULL && change->path < change->end) {
        size_t length = 0;
        CnJson* parent = value;
        if (parent->type == CN_JSON_ARRAY) {
            value = element(change, parent, &length);
        } else if (parent->type == CN_JSON_OBJECT) {
            value = member(change, parent, &length);
        } else {
            refuse(change, parent, "is %s, which has no parts", cn_json_type_name(parent->type));
            return NULL;
        }
        change->path += length;
        if (value != NULL && change->path < change->end && change->path[0] == '.') {
            change->path += 1;
        }
    }
    return value;
}

// JSON, or else a string.
static const CnJson* read_value(const Change* change) {
    const char* text = change->end + 1;
    size_t length = strlen(text);
    CnErrorList ignored;
    char* copy = CN_ARENA_NEW(change->arena, char, length + 1);
    char* kept = CN_ARENA_NEW(change->arena, char, length + 1);
    CnJson* string = CN_ARENA_NEW(change->arena, CnJson, 1);
    if (copy == NULL || kept == NULL || string == NULL) {
        cn_report_no_memory(change->errors);
        return NULL;
    }
    memcpy(copy, text, length + 1);
    memcpy(kept, text, length + 1);
    cn_error_list_init(&ignored, "", NULL, 0);
    const CnJson* value = cn_json_parse(copy, length, change->arena, &ignored);
    *string = (CnJson){.type = CN_JSON_STRING, .string = kept};
    return value != NULL ? value : string;
}

// Lines are those of the command line: none.
static void forget_lines(CnJson* value) {
    value->line = value->key_line = 0;
    bool has_children = value->type == CN_JSON_ARRAY || value->type == CN_JSON_OBJECT;
    for (CnJson* child = has_children ? value->first : NULL; child != NULL; child = child->next) {
        child->parent = value;
        forget_lines(child);
    }
}

bool cn_json_change(const CnJson* top, const char* text, CnArena* arena, CnErrorList* errors) {
    const char* end = strchr(text, '=');
    Change change = {text, text, end, arena, errors};
    char shown[CN_SHOWN_SIZE];
    if (end == NULL || end == text) {
        return cn_report_error(errors, CN_INVALID, 0, "",
                               "\"%s\" does not say what to set; write path=value, as in "
                               "bodies.block.mass=2",
                               cn_text_show(text, shown));
    }
    CnJson* place = follow(&change, top);
    const CnJson* value = place != NULL ? read_value(&change) : NULL;
    if (value == NULL) {
        return false;
    }
    CnJson changed = *value;
    changed.key = place->key;
    changed.index = place->index;
    changed.parent = place->parent;
    changed.next = place->next;
    *place = changed;
    forget_lines(place);
    return true;
}
