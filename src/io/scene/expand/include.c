// include.c - scene files inside scene files.
#include "base/error.h"
#include "io/scene/expand/expand.h"
#include "io/scene/expand/merge.h"
#include "io/text/file.h"
#include "io/text/json_parser.h"
#include "io/text/text.h"
#include <string.h>
#include <sys/stat.h>

#define MOST_PROBLEMS 16 // of an included file that are told
#define MOST_FILES 16    // inside each other

// The same file may have many paths.
static bool is_same_file(const char* a, const char* b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

// Not a file that is being read already, nor too deep.
static bool check_chain(const CnSceneLoader* loader, const CnJson* file, const char* path) {
    char shown[CN_SHOWN_SIZE];
    int depth = 0;
    for (const CnSceneLoader* one = loader; one != NULL; one = one->includer) {
        if (one->path[0] != 0 && is_same_file(one->path, path)) {
            return cn_report_error_at(loader->errors, file,
                                      "\"%s\" includes itself%s: a scene cannot be part of "
                                      "itself",
                                      cn_text_show(file->string, shown),
                                      one != loader ? " by way of others" : "");
        }
        depth += 1;
    }
    return depth <= MOST_FILES ||
           cn_report_error_at(loader->errors, file,
                              "more than %d scene files are included in each other", MOST_FILES);
}

// What is wrong with the file, each with its name and line, at the place that includes it.
static void report_problems(const CnSceneLoader* loader, const CnJson* file,
                            const CnErrorList* found) {
    char path[CN_JSON_PATH_SIZE];
    cn_json_path(file, path, sizeof path);
    int count = found->count < found->capacity ? found->count : found->capacity;
    for (int i = 0; i < count; ++i) {
        const CnSceneProblem* problem = &found->items[i];
        const char* between = problem->path[0] != 0 ? ": " : "";
        if (problem->warning) {
            cn_report_warning(loader->errors, file->line, path, "%s:%d: %s%s%s", found->label,
                              problem->line, problem->path, between, problem->message);
        } else {
            cn_report_error(loader->errors, found->status, file->line, path, "%s:%d: %s%s%s",
                            found->label, problem->line, problem->path, between, problem->message);
        }
    }
}

static CnScene* load_part(CnSceneLoader* loader, const CnJson* file, const char* path) {
    CnSceneProblem items[MOST_PROBLEMS];
    CnErrorList errors;
    CnArena arena;
    char* text = NULL;
    size_t length = 0;
    CnScene* part = NULL;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, path, items, MOST_PROBLEMS);
    if (cn_file_read_regular(path, CN_JSON_MAX_BYTES, &arena, &text, &length, &errors)) {
        const CnJson* top = cn_json_parse(text, length, &arena, &errors);
        part = top != NULL ? cn_scene_load_included(top, path, loader, &errors) : NULL;
    }
    report_problems(loader, file, &errors);
    cn_arena_destroy(&arena);
    return part;
}

void cn_scene_load_include(CnSceneLoader* loader, const CnJson* value) {
    CnSceneIncludeFields fields = {.placement = cn_scene_placement_default()};
    CnFieldPath here = {""};
    CnError error;
    CnArenaMark mark = cn_arena_mark(&loader->scratch);
    if (cn_fields_read(&cn_scene_include_table, value, &fields, loader->errors) &&
        (fields.rotation == NULL ||
         cn_scene_read_rotation(loader, fields.rotation, &fields.placement.pose.rotation))) {
        const char* path = cn_scene_find_file(loader, fields.file, "an included scene");
        CnScene* part = path != NULL && check_chain(loader, fields.file, path)
                            ? load_part(loader, fields.file, path)
                            : NULL;
        if (part != NULL &&
            cn_scene_add_scene(loader->scene, part, &fields.placement, &error) != CN_OK) {
            cn_scene_report_refused(loader, value, &here, &error);
        }
        cn_scene_destroy(part);
    }
    cn_arena_release(&loader->scratch, mark);
}
