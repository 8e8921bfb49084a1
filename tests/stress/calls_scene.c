// calls_scene.c - a random scene, built, saved and loaded: both worlds do the same.
#include "calls.h"

#include "checks.h"
#include "defs.h"
#include <stdio.h>
#include <unistd.h>

// Keeps hostile scenes short; about 0.1 s a step under sanitizers.
#define WORK_BUDGET 1e7

static void say(Session* session, CnStatus status, CnError* error) {
    check_refusal(session, status != CN_OK, error);
    *error = (CnError){0};
}

static void add_body(Session* session, CnScene* scene, const char* name, CnError* error) {
    BodyData data;
    CnBodyDef def = random_body(session, &data);
    CnSceneShape shapes[3];
    for (int i = 0; i < def.shape_count; ++i) {
        shapes[i] = (CnSceneShape){data.shapes[i], NULL};
    }
    def.name = name;
    CnSceneBody body = {def, dice_chance(&session->dice, 0.2) ? "skin" : NULL, shapes,
                        def.shape_count};
    say(session, cn_scene_add_body(scene, &body, error), error);
}

static void add_links(Session* session, CnScene* scene, CnError* error) {
    Dice* dice = &session->dice;
    CnSceneForce force = {cn_force_def_default(), "a", dice_chance(dice, 0.5) ? "ramp" : NULL};
    force.def.force = dice_vector(dice, 5.0);
    say(session, cn_scene_add_force(scene, &force, error), error);
    CnSceneConstraint tie = {.name = "tie",
                             .kind = "distance",
                             .body_a = "a",
                             .body_b = "b",
                             .point_a = dice_vector(dice, 1.0),
                             .point_b = dice_vector(dice, 1.0)};
    say(session, cn_scene_add_constraint(scene, &tie, error), error);
    CnSceneContact contact = {.def = cn_contact_def_default(), .body_a = "world", .body_b = "b"};
    contact.def.normal = dice_direction(dice);
    contact.def.gap = 0.1;
    say(session, cn_scene_add_contact(scene, &contact, error), error);
    char name[16];
    CnSceneJoint joint = {.def = random_joint(session, name), .body_a = "a", .body_b = "c"};
    joint.series = dice_chance(dice, 0.5) ? "ramp" : NULL;
    say(session, cn_scene_add_joint(scene, &joint, error), error);
    say(session, cn_scene_exclude_pair(scene, "a", "b", error), error);
}

static void fill(Session* session, CnScene* scene, CnError* error) {
    char name[16];
    CnMaterialDef skin = random_material(session, name);
    skin.name = "skin";
    say(session, cn_scene_add_material(scene, &skin, error), error);
    say(session,
        cn_scene_set_material_pair(scene, "skin", "skin", dice_number(&session->dice, 0.0, 1.0),
                                   0.0, 0.5, error),
        error);
    CnSeriesDef ramp = {"ramp", 2, (double[]){0.0, 1.0}, (double[]){0.0, 1.0}};
    say(session, cn_scene_add_series(scene, &ramp, error), error);
    add_body(session, scene, "a", error);
    add_body(session, scene, "b", error);
    add_body(session, scene, "c", error);
    add_links(session, scene, error);
}

// The state after a few steps; 0 when there is no world.
static uint64_t hash_after(Session* session, const CnScene* scene, int steps) {
    CnError error = {0};
    CnWorldDef hooks = cn_world_def_default();
    hooks.allocator = failing_allocator(&session->memory);
    CnWorld* world = cn_scene_build(scene, &hooks, &error);
    check_refusal(session, world == NULL, &error);
    if (world == NULL) {
        return 0;
    }
    for (int i = 0; i < steps; ++i) {
        cn_world_step(world, 0.01, NULL, NULL);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

// A scene that can be opened may still have masses or lengths that no world takes; then both say
// so.
static void compare_scenes(Session* session, const CnScene* scene, CnScene* opened,
                           bool has_problems) {
    CnSceneSettings settings = cn_scene_settings(opened);
    settings.solver.work_budget = WORK_BUDGET;
    cn_scene_set_settings(opened, &settings, NULL);
    uint64_t hash = hash_after(session, scene, 3);
    if (hash != hash_after(session, opened, 3)) {
        session_find(session, "a scene that was saved and opened does something else");
    } else if (has_problems && hash != 0) {
        session_find(session, "there are problems in a scene that can be built");
    }
}

static void save_and_open(Session* session, const CnScene* scene) {
    CnError error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn_stress_scene_%ld.json", (long)getpid());
    CnStatus status = cn_scene_save(scene, path, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK) {
        CnSceneProblem problems[2];
        CnScene* checked = NULL;
        cn_scene_check(path, problems, 2, &checked, &error);
        CnScene* opened = cn_scene_open(path, &error);
        if (opened == NULL) {
            session_find(session, "what was saved is refused: %s", error.message);
        } else {
            compare_scenes(session, scene, opened, checked == NULL);
        }
        cn_scene_destroy(opened);
        cn_scene_destroy(checked);
    }
    remove(path);
}

CallResult call_scene(Session* session) {
    CnError error = {0};
    CnScene* scene = cn_scene_create("stress", &error);
    CnSceneSettings settings = cn_scene_settings(scene);
    settings.solver.tolerance = dice_number(&session->dice, 1e-9, 1e-3);
    settings.solver.work_budget = WORK_BUDGET;
    say(session, cn_scene_set_settings(scene, &settings, &error), &error);
    fill(session, scene, &error);
    save_and_open(session, scene);
    static const char text[] =
        "{\"cairn\": 1, \"bodies\": [{\"shapes\": [{\"type\": \"sphere\"}]}]}";
    CnScene* parsed =
        cn_scene_parse(text, (size_t)dice_below(&session->dice, (int)sizeof text), "text", &error);
    check_refusal(session, parsed == NULL, &error);
    cn_scene_destroy(parsed);
    if (strcmp(cn_scene_name(scene), "stress") != 0) {
        session_find(session, "the scene is called %s", cn_scene_name(scene));
    }
    cn_scene_destroy(scene);
    return CALL_READ;
}
