// scene_trips.c - scenes from texts, and there and back through a file.
#include "support/scene_trips.h"

#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

#define LIMIT (1u << 24u) // [bytes]

CnScene* scene_from_text(const char* text) {
    CnError error;
    CnScene* scene = cn_scene_parse(text, strlen(text), "text", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    return scene;
}

uint64_t scene_hash_after(const CnScene* scene, int steps) {
    CnError error;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    for (int i = 0; i < steps; ++i) {
        CnStatus status = cn_world_step(world, cn_scene_settings(scene).dt, NULL, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void check_same_bytes(const char* first, const char* second) {
    CnArena arena;
    CnErrorList errors;
    char *a, *b;
    size_t a_length, b_length;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "", NULL, 0);
    CHECK(cn_file_read(first, LIMIT, &arena, &a, &a_length, &errors));
    CHECK(cn_file_read(second, LIMIT, &arena, &b, &b_length, &errors));
    CHECK_STRING(a, b);
    cn_arena_destroy(&arena);
}

void check_scene_trip(const CnScene* scene, int steps, const char* folder) {
    char first[300], second[300];
    CnError error;
    snprintf(first, sizeof first, "%s/trip_%ld_a.json", folder, (long)getpid());
    snprintf(second, sizeof second, "%s/trip_%ld_b.json", folder, (long)getpid());
    CHECK_INT(cn_scene_save(scene, first, NULL), CN_OK);
    CnScene* loaded = cn_scene_open(first, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    CHECK_INT(cn_scene_save(loaded, second, NULL), CN_OK);
    check_same_bytes(first, second);
    CHECK(scene_hash_after(scene, 0) == scene_hash_after(loaded, 0));
    CHECK(scene_hash_after(scene, steps) == scene_hash_after(loaded, steps));
    cn_scene_destroy(loaded);
    unlink(first);
    unlink(second);
}
