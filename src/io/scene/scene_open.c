// scene_open.c - opens scenes from files and texts.
#include "io/scene/expand/change.h"
#include "io/scene/scene_loader.h"
#include "io/scene/scene_save.h"
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

static bool read_scene_file(const char* path, CnArena* arena, char** text, size_t* length,
                            CnErrorList* errors) {
    if (path[0] == '@') {
        return cn_report_error(
            errors, CN_INVALID, 0, "",
            "the library opens files; built-in scenes (@name) belong to the program. A "
            "file of this name opens as \"./@...\"");
    }
    return cn_file_read(path, CN_JSON_MAX_BYTES, arena, text, length, errors);
}

CnScene* cn_scene_load_file(const char* path, CnArena* arena, CnErrorList* errors,
                            const CnJson** top) {
    char* text = NULL;
    size_t length = 0;
    *top = NULL;
    if (!read_scene_file(path, arena, &text, &length, errors)) {
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

// ---- with changes ----

static bool apply(const CnJson* top, const char* const* changes, int count, CnArena* arena,
                  CnErrorList* errors) {
    bool ok = true;
    for (int i = 0; i < count; ++i) {
        ok = cn_json_change(top, changes[i], arena, errors) && ok;
    }
    return ok;
}

// Of the scene written out, whose tree holds everything by name.
static CnScene* change_scene(const CnScene* scene, const char* path, const char* const* changes,
                             int count, CnErrorList* errors) {
    CnArena arena;
    CnJsonWriter json;
    CnScene* changed = NULL;
    cn_arena_init(&arena, NULL);
    bool ok = cn_scene_write(scene, &json, NULL) == CN_OK && !json.failed;
    char* text = ok ? CN_ARENA_NEW(&arena, char, json.length + 1) : NULL;
    if (text != NULL) {
        memcpy(text, json.text, json.length);
    } else {
        cn_report_no_memory(errors);
    }
    const CnJson* top = text != NULL ? cn_json_parse(text, json.length, &arena, errors) : NULL;
    if (top != NULL && apply(top, changes, count, &arena, errors)) {
        changed = cn_scene_load(top, path, scene->name, errors);
    }
    cn_json_writer_destroy(&json);
    cn_arena_destroy(&arena);
    return changed;
}

CnScene* cn_scene_change(const CnScene* scene, const char* const* changes, int count,
                         CnError* error) {
    CnErrorList errors;
    cn_error_list_init(&errors, scene->name, NULL, 0);
    CnScene* changed = change_scene(scene, "", changes, count, &errors);
    cn_error_list_first(&errors, error);
    return changed;
}

// The file's own tree first: there "mass" still means what it means in the file. What only the
// whole scene has, such as "link_3" of a group, is looked for in that.
static CnScene* load_changed(const CnJson* top, const char* path, const char* const* changes,
                             int count, CnArena* arena, CnErrorList* errors) {
    char name[NAME_SIZE];
    CnErrorList first;
    name_after_file(errors->label, name);
    cn_error_list_init(&first, errors->label, NULL, 0);
    bool has_more = cn_json_member(top, "include") != NULL || cn_json_member(top, "repeat") != NULL;
    CnScene* plain = has_more ? cn_scene_load(top, path, name, errors) : NULL;
    if (has_more && plain == NULL) {
        return NULL;
    }
    CnErrorList* told = has_more ? &first : errors;
    CnScene* changed =
        apply(top, changes, count, arena, told) ? cn_scene_load(top, path, name, told) : NULL;
    if (changed == NULL && has_more) {
        changed = change_scene(plain, path, changes, count, errors);
    }
    cn_scene_destroy(plain);
    return changed;
}

CnScene* cn_scene_open_changed(const char* path, const char* const* changes, int count,
                               CnError* error) {
    CnArena arena;
    CnErrorList errors;
    CnScene* scene = NULL;
    char* text = NULL;
    size_t length = 0;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, cn_file_label(path), NULL, 0);
    if (read_scene_file(path, &arena, &text, &length, &errors)) {
        const CnJson* top = cn_json_parse(text, length, &arena, &errors);
        bool is_object = top != NULL && cn_read_type(top, CN_JSON_OBJECT, "an object", &errors);
        scene = is_object ? load_changed(top, path, changes, count, &arena, &errors) : NULL;
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return scene;
}
