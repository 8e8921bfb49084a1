// calls_scene.c - a random scene, built, saved and loaded: both worlds do the same.
#include "calls.h"

#include "checks.h"
#include "defs.h"
#include <stdio.h>

// Keeps hostile scenes short; about 0.1 s a step under sanitizers.
#define WORK_BUDGET 1e7

static void say(Session* session, CnStatus status, CnError* error) {
    check_refusal(session, status != CN_OK, error);
    *error = (CnError){0};
}

static CnBodyId add_body(Session* session, CnScene* scene, const char* name, CnMaterialId skin,
                         CnError* error) {
    BodyData data;
    CnBodyDef def = random_body(session, &data);
    for (int i = 0; i < def.shape_count; ++i) {
        data.shapes[i].material = (CnMaterialId){0}; // those of the session are not of this scene
    }
    def.name = dice_chance(&session->dice, 0.8) ? name : NULL;
    def.material = dice_chance(&session->dice, 0.2) ? skin : (CnMaterialId){0};
    if (dice_chance(&session->dice, 0.2)) {
        CnStatus status =
            cn_scene_scale_mass(scene, &def, dice_number(&session->dice, -1.0, 5.0), error);
        say(session, status, error);
    }
    CnBodyId id = cn_scene_add_body(scene, &def, error);
    say(session, id.index != 0 ? CN_OK : CN_INVALID, error);
    if (def.name != NULL && cn_scene_find_body(scene, name).index != id.index) {
        session_find(session, "the body %s is not found by its name", name);
    }
    return id;
}

static void add_tie(Session* session, CnScene* scene, const CnBodyId bodies[3], CnError* error) {
    CnDistanceData data = {dice_vector(&session->dice, 1.0), dice_vector(&session->dice, 1.0),
                           dice_number(&session->dice, 0.0, 2.0)};
    CnConstraintDef tie = cn_constraint_def_default();
    tie.name = "tie";
    tie.kind = cn_distance_kind();
    tie.body_a = bodies[0];
    tie.body_b = bodies[1];
    tie.data = &data;
    tie.data_size = sizeof data;
    bool ok = cn_scene_add_constraint(scene, &tie, error).index != 0;
    say(session, ok ? CN_OK : CN_INVALID, error);
}

static void add_links(Session* session, CnScene* scene, const CnBodyId bodies[3], CnSeriesId ramp,
                      CnError* error) {
    Dice* dice = &session->dice;
    CnForceDef force = cn_force_def_default();
    force.body = bodies[0];
    force.series = dice_chance(dice, 0.5) ? ramp : (CnSeriesId){0};
    force.frame = dice_chance(dice, 0.5) ? CN_FORCE_CARRIED : CN_FORCE_SPATIAL;
    force.force = dice_vector(dice, 5.0);
    bool ok = cn_scene_add_force(scene, &force, error).index != 0;
    say(session, ok ? CN_OK : CN_INVALID, error);
    add_tie(session, scene, bodies, error);
    CnContactDef contact = cn_contact_def_default();
    contact.body_b = bodies[1];
    contact.normal = dice_direction(dice);
    contact.gap = 0.1;
    ok = cn_scene_add_contact(scene, &contact, error).index != 0;
    say(session, ok ? CN_OK : CN_INVALID, error);
    char name[16];
    CnJointDef joint = random_joint(session, name);
    joint.body_a = bodies[0];
    joint.body_b = bodies[2];
    joint.series = dice_chance(dice, 0.5) ? ramp : (CnSeriesId){0};
    CnJointId id = cn_scene_add_joint(scene, &joint, error);
    say(session, id.index != 0 ? CN_OK : CN_INVALID, error);
    if (joint.name != NULL && cn_scene_find_joint(scene, joint.name).index != id.index) {
        session_find(session, "the joint %s is not found by its name", joint.name);
    }
    say(session, cn_scene_exclude_pair(scene, bodies[0], bodies[1], error), error);
}

static void fill(Session* session, CnScene* scene, CnError* error) {
    char name[16];
    CnMaterialDef def = random_material(session, name);
    def.name = dice_chance(&session->dice, 0.8) ? "skin" : NULL;
    CnMaterialId skin = cn_scene_add_material(scene, &def, error);
    say(session, skin.index != 0 ? CN_OK : CN_INVALID, error);
    CnMaterialPair pair = {skin, skin, dice_number(&session->dice, 0.0, 1.0), 0.5, 0.0};
    say(session, cn_scene_set_material_pair(scene, &pair, error), error);
    bool has_name = dice_chance(&session->dice, 0.8);
    CnSeriesDef line = {.name = has_name ? "ramp" : NULL,
                        .count = 2,
                        .times = (double[]){0.0, 1.0},
                        .values = (double[]){0.0, 1.0}};
    CnSeriesId ramp = cn_scene_add_series(scene, &line, error);
    say(session, ramp.index != 0 ? CN_OK : CN_INVALID, error);
    if (cn_scene_find_material(scene, "skin").index != (def.name != NULL ? skin.index : 0) ||
        cn_scene_find_series(scene, "ramp").index != (has_name ? ramp.index : 0)) {
        session_find(session, "a material or series is not found by its name");
    }
    CnBodyId bodies[3];
    for (int i = 0; i < 3; ++i) {
        const char* const names[3] = {"a", "b", "c"};
        bodies[i] = add_body(session, scene, names[i], skin, error);
    }
    add_links(session, scene, bodies, ramp, error);
    CnSceneProblem problems[2];
    cn_scene_find_problems(scene, problems, 2, error);
    *error = (CnError){0};
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
    char path[300];
    session_path("scene.json", path, sizeof path);
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

// A changed copy that takes in the scene itself under other names, and then goes on from a state.
static void change_and_join(Session* session, const CnScene* scene) {
    static const char* const changes[] = {"step.dt=0.02", "name=joined"};
    CnError error = {0};
    CnScene* joined = cn_scene_change(scene, changes, 2, &error);
    check_refusal(session, joined == NULL, &error);
    if (cn_scene_open_changed("/nonexistent/scene.json", changes, 1, NULL) != NULL) {
        session_find(session, "a file that is not there opens");
    }
    if (joined == NULL) {
        return;
    }
    CnScenePlacement placement = cn_scene_placement_default();
    placement.pose.position = dice_vector(&session->dice, 5.0);
    placement.prefix = "other ";
    say(session, cn_scene_add_scene(joined, scene, &placement, &error), &error);
    CnBodyState state = {.center = dice_vector(&session->dice, 2.0),
                         .rotation = {1.0, 0.0, 0.0, 0.0}};
    say(session, cn_scene_set_start(joined, cn_scene_find_body(joined, "a"), &state, &error),
        &error);
    CnWorld* world = cn_scene_build(joined, NULL, NULL);
    if (world != NULL) {
        say(session, cn_scene_take_state(joined, world, &error), &error);
    }
    cn_world_destroy(world);
    cn_scene_destroy(joined);
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
    change_and_join(session, scene);
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
