// test_scene_change.c - single values that are set before a scene is loaded, and scenes that go on.
#include "support/scene_trips.h"

#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

static const char text[] =
    "{\"cairn\": 1, \"step\": {\"dt\": 0.01},\n"
    "\"materials\": {\"a.b\": {\"friction\": 0.3}},\n"
    "\"bodies\": [{\"name\": \"ball\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]},\n"
    " {\"name\": \"block\", \"position\": [3, 0, 0], \"shapes\": [{\"type\": \"box\",\n"
    "  \"size\": [1, 1, 1]}]}],\n"
    "\"repeat\": [{\"count\": 3, \"position\": [1, 0, 0], \"bodies\": [{\"name\": \"bead\",\n"
    " \"mass\": 1, \"inertia\": [1, 1, 1]}]}]}";

static CnScene* open_changed(const char* const* changes, int count, CnError* error) {
    char path[300];
    snprintf(path, sizeof path, "%s/change_%ld.json", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
    CnScene* scene = cn_scene_open_changed(path, changes, count, error);
    unlink(path);
    return scene;
}

static CnScene* changed(const char* change) {
    CnError error;
    CnScene* scene = open_changed(&change, 1, &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    return scene;
}

static double mass_of(const CnScene* scene, const char* name) {
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CnMassProperties mass;
    CHECK_INT(cn_body_mass_properties(world, cn_scene_find_body(scene, name), &mass), CN_OK);
    cn_world_destroy(world);
    return mass.mass;
}

static void values_go_by_name_and_by_index(void) {
    static const struct {
        const char *change, *body;
        double mass;
    } cases[] = {
        {"bodies.block.mass=2", "block", 2.0},
        {"bodies[1].mass=3", "block", 3.0},
        {"bodies.1.mass=4", "block", 4.0},
        {"bodies.ball.shapes[0].radius=1", "ball", 4000.0 / 3.0 * CN_PI},
        {"repeat[0].bodies.bead.mass=5", "bead_3", 5.0},
        {"bodies.bead_2.mass=6", "bead_2", 6.0}, // only the whole scene has it
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CnScene* scene = changed(cases[i].change);
        CHECK_NEAR(mass_of(scene, cases[i].body), cases[i].mass, 1e-12 * cases[i].mass);
        cn_scene_destroy(scene);
    }
}

static void settings_change_too_and_strings_need_no_quotes(void) {
    const char* const changes[] = {"step.dt=0.005", "solver.name=nsgs", "gravity=[0, 0, -1.5]",
                                   "materials.a.b.friction=0.7", "name=\"other one\""};
    CnError error;
    CnScene* scene = open_changed(changes, 5, &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnSceneSettings settings = cn_scene_settings(scene);
    CHECK_NEAR(settings.dt, 0.005, 0.0);
    CHECK_NEAR(settings.gravity.z, -1.5, 0.0);
    CHECK_STRING(settings.solver.name, "nsgs");
    CHECK_STRING(cn_scene_name(scene), "other one");
    cn_scene_destroy(scene);
}

static void mistakes_are_answered_with_the_nearest(void) {
    static const struct {
        const char *change, *words;
    } cases[] = {
        {"bodies.blok.mass=2", "bodies has no \"blok\"; did you mean \"block\"?"},
        {"bodies.block.mas=2", "unknown key \"mas\" in a body; did you mean \"mass\"?"},
        {"stp.dt=2", "unknown key \"stp\" in a scene; did you mean \"step\"?"},
        {"step.dt.x=2", "step.dt is a number, which has no parts"},
        {"bodies[9].mass=2", "bodies has no element 9; the first is 0"},
        {"bodies.block.mass=-2", "mass is -2 kg"},
        {"bodies.block.mass=heavy", "the string \"heavy\""},
        {"step.dt", "does not say what to set; write path=value"},
        {"=3", "does not say what to set"},
        {"step..dt=3", "is followed by an empty name"},
        {"bodies=[", "bodies is the string \"[\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CnError error;
        CHECK(open_changed(&cases[i].change, 1, &error) == NULL);
        CHECK_INT(error.status, CN_INVALID);
        ck_assert_msg(strstr(error.message, cases[i].words) != NULL, "%s", error.message);
    }
}

static void a_scene_in_memory_changes_into_a_new_one(void) {
    CnScene* scene = scene_from_text(text);
    const char* change = "bodies.block.position[0]=7";
    CnScene* other = cn_scene_change(scene, &change, 1, NULL);
    CHECK(other != NULL);
    CHECK(scene_hash_after(scene, 0) != scene_hash_after(other, 0));
    CnScene* same = cn_scene_change(scene, NULL, 0, NULL);
    CHECK(scene_hash_after(scene, 20) == scene_hash_after(same, 20));
    cn_scene_destroy(same);
    cn_scene_destroy(other);
    cn_scene_destroy(scene);
}

// ---- starts ----

static const char machine[] =
    "{\"cairn\": 1, \"step\": {\"dt\": 0.002}, \"solver\": {\"tolerance\": 1e-11},\n"
    "\"series\": {\"s\": {\"sine\": {\"amplitude\": 0.2, \"frequency\": 1.5}}},\n"
    "\"bodies\": [{\"name\": \"crank\", \"type\": \"kinematic\", \"motion\": {\"position\":\n"
    "  [\"s\", null, null]}},\n"
    " {\"name\": \"arm\", \"position\": [0.5, 0, 0], \"shapes\": [{\"type\": \"box\", \"size\":\n"
    "  [1, 0.1, 0.1]}]}, {\"name\": \"hand\", \"position\": [1.5, 0, 0], \"shapes\": [{\"type\":\n"
    "  \"box\", \"size\": [1, 0.1, 0.1]}]}],\n"
    "\"joints\": [{\"type\": \"hinge\", \"bodies\": [\"crank\", \"arm\"], \"point\": [0, 0, 0],\n"
    "  \"axis\": [0, 1, 0]}, {\"type\": \"hinge\", \"bodies\": [\"arm\", \"hand\"], \"point\":\n"
    "  [1, 0, 0], \"axis\": [0, 1, 0], \"spring\": {\"stiffness\": 20, \"rest\": 0.3}, "
    "\"limits\":\n"
    "  [-1, 1]}]}";

static CnWorld* run(const CnScene* scene, int steps) {
    CnError error;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(cn_world_step(world, 0.002, NULL, &error), CN_OK);
    }
    return world;
}

// The impulses of the last step, which a scene does not hold, are only a guess: both runs meet the
// tolerance of 1e-11 m/s in each of 100 steps of 2 ms, and the double pendulum amplifies the
// difference little in 0.2 s.
static void a_scene_goes_on_from_where_a_world_is(void) {
    CnScene* scene = scene_from_text(machine);
    CnWorld* whole = run(scene, 200);
    CnWorld* first = run(scene, 100);
    CHECK_INT(cn_scene_take_state(scene, first, NULL), CN_OK);
    CHECK_NEAR(cn_scene_settings(scene).start_time, cn_world_time(first), 0.0);
    check_scene_trip(scene, 100, TEST_BINARY_DIR);
    CnWorld* second = run(scene, 100);
    CHECK_NEAR(cn_world_time(second), cn_world_time(whole), 1e-12);
    for (int i = 0; i < cn_world_body_count(whole); ++i) {
        CnBodyState a, b;
        CnBodyId id = cn_world_body_at(whole, i);
        cn_body_state(whole, id, &a);
        cn_body_state(second, id, &b);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a.center, b.center)), 0.0, 1e-8);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a.velocity, b.velocity)), 0.0, 1e-7);
    }
    cn_world_destroy(whole);
    cn_world_destroy(first);
    cn_world_destroy(second);
    cn_scene_destroy(scene);
}

static void a_world_of_another_scene_is_refused(void) {
    CnScene* scene = scene_from_text(machine);
    CnScene* other = cn_scene_create("empty", NULL);
    CnWorld* world = cn_scene_build(other, NULL, NULL);
    CnError error;
    CHECK_INT(cn_scene_take_state(scene, world, &error), CN_STALE);
    ck_assert_msg(strstr(error.message, "not one that this scene builds") != NULL, "%s",
                  error.message);
    cn_world_destroy(world);
    cn_scene_destroy(other);
    cn_scene_destroy(scene);
}

TEST_MAIN("unit/io/scene_change", TEST(values_go_by_name_and_by_index),
          TEST(settings_change_too_and_strings_need_no_quotes),
          TEST(mistakes_are_answered_with_the_nearest),
          TEST(a_scene_in_memory_changes_into_a_new_one),
          TEST(a_scene_goes_on_from_where_a_world_is), TEST(a_world_of_another_scene_is_refused))
