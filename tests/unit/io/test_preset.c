// test_preset.c - what the presets exact and real_time stand for, in C and in scenes.
#include "cairn/scene.h"
#include "support/test.h"

static CnSceneSettings settings_of(const char* text) {
    CnError error = {0};
    CnScene* scene = cn_scene_parse(text, strlen(text), "text", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnSceneSettings settings = cn_scene_settings(scene);
    cn_scene_destroy(scene);
    return settings;
}

static void real_time_is_soft_steps_that_sleep(void) {
    CnWorldDef def = cn_world_def_real_time();
    CnError error = {0};
    CHECK_INT(def.step.scheme, CN_SCHEME_SOFT_STEP);
    CHECK_INT(def.step.soft.substeps, 4);
    CHECK_INT(def.step.grade_every, 0); // graded on demand
    CHECK(def.step.sleep);
    CnWorld* world = cn_world_create(&def, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    cn_world_destroy(world);
}

static void exact_is_the_default(void) {
    CnStepDef step = cn_world_def_real_time().step, standard = cn_world_def_default().step;
    cn_step_def_use_preset(&step, CN_PRESET_EXACT);
    CHECK_INT(step.scheme, standard.scheme);
    CHECK_NEAR(step.contact_margin, standard.contact_margin, 0.0);
    CHECK_NEAR(step.restitution_threshold, standard.restitution_threshold, 0.0);
    CHECK_INT(step.sleep, standard.sleep);
    CHECK_INT(step.grade_every, standard.grade_every);
    CHECK_STRING(cn_preset_name(CN_PRESET_EXACT), "exact");
    CHECK_STRING(cn_preset_name(CN_PRESET_REAL_TIME), "real_time");
    CHECK_STRING(cn_preset_name((CnPreset)7), "unknown");
}

static void a_scene_names_its_preset_and_changes_it(void) {
    CnSceneSettings plain = settings_of("{\"cairn\": 1, \"preset\": \"real_time\"}");
    CHECK_INT(plain.step.scheme, CN_SCHEME_SOFT_STEP);
    CHECK_NEAR(plain.dt, 1.0 / 60.0, 0.0);
    CHECK(plain.step.sleep);
    // Whatever the order of the keys, "step" has the last word.
    CnSceneSettings changed = settings_of(
        "{\"cairn\": 1, \"step\": {\"dt\": 0.01, \"sleep\": false, \"soft_substeps\": 8},\n"
        " \"preset\": \"real_time\"}");
    CHECK_INT(changed.step.scheme, CN_SCHEME_SOFT_STEP);
    CHECK_NEAR(changed.dt, 0.01, 0.0);
    CHECK(!changed.step.sleep);
    CHECK_INT(changed.step.soft.substeps, 8);
    CnSceneSettings exact = settings_of("{\"cairn\": 1, \"preset\": \"exact\"}");
    CHECK_INT(exact.step.scheme, CN_SCHEME_MOREAU);
    CHECK_NEAR(exact.dt, settings_of("{\"cairn\": 1}").dt, 0.0);
}

static void an_unknown_preset_is_refused_with_the_nearest_name(void) {
    const char text[] = "{\"cairn\": 1,\n \"preset\": \"real_tim\"}";
    CnError error = {0};
    CHECK(cn_scene_parse(text, strlen(text), "text", &error) == NULL);
    CHECK_CONTAINS(error.message, "text:2");
    CHECK_CONTAINS(error.message, "preset");
    CHECK_CONTAINS(error.message, "real_time");
}

TEST_MAIN("unit/io/preset", TEST(real_time_is_soft_steps_that_sleep), TEST(exact_is_the_default),
          TEST(a_scene_names_its_preset_and_changes_it),
          TEST(an_unknown_preset_is_refused_with_the_nearest_name))
