// scene_mistakes.c - tables of mistakes in scene files, and what must be said about each.
#include "support/scene_mistakes.h"

#include "io/scene/scene_loader.h"
#include <stdio.h>

#define THINGS                                                                                     \
    "{\"cairn\": 1, \"materials\": {\"stone\": {}, \"ice\": {\"friction\": 0}},\n"                 \
    "\"series\": {\"shake\": {\"times\": [0, 1], \"values\": [0, 1]}}, \"bodies\": [\n"            \
    "{\"name\": \"ground\", \"type\": \"static\"}, {\"name\": \"wall\", \"type\": \"static\"},\n"  \
    "{\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1]},"                                   \
    "{\"name\": \"cube\", \"mass\": 1, \"inertia\": [1, 1, 1]}"

static const char* const templates[] = {
    [TOP] = "{\"cairn\": 1,\n%s}",
    [MATERIALS] = "{\"cairn\": 1,\n\n\n\"materials\": {\"stone\": {},\n%s}}",
    [SERIES] = "{\"cairn\": 1,\n\n\n\"series\": {\n%s}}",
    [BODIES] = THINGS ",\n%s]}",
    [CONTACTS] = THINGS "], \"contacts\": [\n%s]}",
    [CONSTRAINTS] = THINGS "], \"constraints\": [\n%s]}",
    [FORCES] = THINGS "], \"forces\": [\n%s]}",
    [EXCLUDE] = THINGS "], \"collide\": {\"exclude\": [\n%s]}}",
};

static const char* scene_with(const Mistake* mistake) {
    static char text[4096];
    const char* hole = strstr(templates[mistake->place], "%s");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - templates[mistake->place]),
             templates[mistake->place], mistake->text, hole + 2);
    return text;
}

static void check_sentence(const Mistake* m) {
    const char* text = scene_with(m);
    CnError error = {.status = CN_OK};
    char start[300];
    CnScene* scene = cn_scene_parse(text, strlen(text), "s.json", &error);
    ck_assert_msg(scene == NULL, "%s was accepted", m->text);
    snprintf(start, sizeof start, "s.json:%d: %s%s", m->line, m->path, m->path[0] != 0 ? ": " : "");
    ck_assert_msg(strncmp(error.message, start, strlen(start)) == 0,
                  "%s\n  gave     \"%s\"\n  expected \"%s\"", m->text, error.message, start);
    ck_assert_msg(strstr(error.message, m->words) != NULL, "%s\n  gave \"%s\"", m->text,
                  error.message);
    CHECK_INT(error.status, CN_INVALID);
}

static void check_one_sentence(const Mistake* mistake) {
    CnArena arena;
    CnErrorList errors;
    CnSceneProblem items[4];
    char* text = (char*)(uintptr_t)scene_with(mistake);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "s.json", items, 4);
    const CnJson* top = cn_json_parse(text, strlen(text), &arena, &errors);
    if (top != NULL) {
        CHECK(cn_scene_load(top, "", "s", &errors) == NULL);
    }
    ck_assert_msg(errors.count == 1, "%s: %d errors, the second is \"%s\"", mistake->text,
                  errors.count, items[1].message);
    cn_arena_destroy(&arena);
}

void check_mistakes(const Mistake* mistakes, int count) {
    for (int i = 0; i < count; ++i) {
        check_sentence(&mistakes[i]);
        check_one_sentence(&mistakes[i]);
    }
}
