// json.c - paths and members in a JSON tree.
#include "io/text/json.h"

#include "io/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const CnJson* cn_json_member(const CnJson* object, const char* key) {
    if (object->type != CN_JSON_OBJECT) {
        return NULL;
    }
    const CnJson* member = object->first;
    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}

void cn_json_path(const CnJson* value, char* path, size_t size) {
    path[0] = 0;
    if (value == NULL || value->parent == NULL) {
        return;
    }
    cn_json_path(value->parent, path, size);
    size_t used = strlen(path);
    if (value->key == NULL) {
        snprintf(path + used, size - used, "[%d]", value->index);
    } else {
        char shown[CN_SHOWN_SIZE];
        snprintf(path + used, size - used, "%s%s", used > 0 ? "." : "",
                 cn_text_show(value->key, shown));
        cn_text_trim(path);
    }
}

static const CnJson* element_at(const CnJson* array, long index) {
    const CnJson* element = array->type == CN_JSON_ARRAY ? array->first : NULL;
    while (element != NULL && element->index != index) {
        element = element->next;
    }
    return element;
}

const CnJson* cn_json_follow(const CnJson* value, const char* path) {
    while (*path != 0) {
        const CnJson* child = NULL;
        if (*path == '[') {
            char* end;
            child = element_at(value, strtol(path + 1, &end, 10));
            path = end + (*end == ']');
        } else {
            char key[CN_SHOWN_SIZE];
            path += *path == '.';
            size_t length = strcspn(path, ".[");
            snprintf(key, sizeof key, "%.*s", (int)length, path);
            child = cn_json_member(value, key);
            path += length;
        }
        if (child == NULL) {
            return value;
        }
        value = child;
    }
    return value;
}

const char* cn_json_type_name(CnJsonType type) {
    static const char* const names[] = {"null",     "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    return names[type];
}
