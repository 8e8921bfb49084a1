// scene_open.c - opens scenes from files and texts.
#include "io/scene/scene_loader.h"
#include "io/text/file.h"
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 128 // of a scene named after its file

// "scenes/stack.json" gives "stack".
static void name_after_file(const char* path, char name[NAME_SIZE]) {
    const char* slash = strrchr(path, '/');
    const char* start = slash != NULL ? slash + 1 : path;
    const char* dot = strrchr(start, '.');
    int length = dot != NULL && dot > start ? (int)(dot - start) : (int)strlen(start);
    snprintf(name, NAME_SIZE, "%.*s", length < NAME_SIZE ? length : NAME_SIZE - 1, start);
}

// The scene of a text in the arena, from the file at path; top becomes its tree.
static CnScene* load_text(char* text, size_t length, const char* path, CnArena* arena,
                          CnErrorList* errors, const CnJson** top) {
    char name[NAME_SIZE];
    name_after_file(errors->label, name);
    *top = cn_json_parse(text, length, arena, errors);
    return *top != NULL ? cn_scene_load(*top, path, name, errors) : NULL;
}

CnScene* cn_scene_load_file(const char* path, CnArena* arena, CnErrorList* errors,
                            const CnJson** top) {
    char* text = NULL;
    size_t length = 0;
    *top = NULL;
    if (path[0] == '@') {
        cn_report_error(errors, CN_INVALID, 0, "",
                        "the library opens files; built-in scenes (@name) belong to the program. A "
                        "file of this name opens as \"./@...\"");
        return NULL;
    }
    if (!cn_file_read(path, CN_JSON_MAX_BYTES, arena, &text, &length, errors)) {
        return NULL;
    }
    return load_text(text, length, path, arena, errors, top);
}

CnScene* cn_scene_open(const char* path, CnError* error) {
    CnArena arena;
    CnErrorList errors;
    const CnJson* top;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, cn_file_label(path), NULL, 0);
    CnScene* scene = cn_scene_load_file(path, &arena, &errors, &top);
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return scene;
}

CnScene* cn_scene_parse(const char* text, size_t length, const char* label, CnError* error) {
    CnArena arena;
    CnErrorList errors;
    CnScene* scene = NULL;
    const CnJson* top;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, label, NULL, 0);
    char* copy = length <= CN_JSON_MAX_BYTES ? CN_ARENA_NEW(&arena, char, length + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        scene = load_text(copy, length, "", &arena, &errors, &top);
    } else {
        cn_report_no_memory(&errors);
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return scene;
}
