// test_scene_series.c - what moves by a formula in a scene.
#include "support/scene_trips.h"

static const char formulas[] =
    "{\"$schema\": \"scene.schema.json\", \"comment\": \"notes are read over everywhere\",\n"
    "\"cairn\": 1, \"gravity\": [0, 0, 0], \"step\": {\"comment\": \"\", \"dt\": 0.002},\n"
    "\"materials\": {\"comment\": \"none\"}, \"series\": {\"comment\": \"three\",\n"
    " \"hum\": {\"sine\": {\"amplitude\": 0.3, \"frequency\": 7.1, \"phase\": 0.2, \"offset\": "
    "0.1}},\n"
    " \"push\": {\"ramp\": {\"from\": 0.1, \"to\": 0.7, \"start\": 0.01, \"end\": 0.13}},\n"
    " \"knock\": {\"pulse\": {\"low\": -0.1, \"high\": 0.9, \"start\": 0.01, \"width\": 0.02,\n"
    "  \"rise\": 0.003, \"period\": 0.04}}},\n"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, 1]},\n"
    " {\"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1]},\n"
    " {\"name\": \"c\", \"mass\": 2, \"inertia\": [1, 1, 1]}],\n"
    "\"forces\": [{\"body\": \"a\", \"point\": [0, 0, 0], \"force\": [1, 0, 0], \"series\": "
    "\"hum\"},\n"
    " {\"body\": \"b\", \"point\": [0, 0, 0], \"force\": [1, 0, 0], \"series\": \"push\"},\n"
    " {\"body\": \"c\", \"point\": [0, 0, 0], \"force\": [1, 0, 0], \"series\": \"knock\"}]}";

static void formulas_are_saved_as_formulas(void) {
    CnScene* scene = scene_from_text(formulas);
    check_scene_trip(scene, 100, TEST_BINARY_DIR);
    cn_scene_destroy(scene);
}

// The velocity under a force F(t) is its integral over the mass. Loads are taken at the middle of a
// step: the error is h^2 / 24 times the jump of F', at most 2 pi 7.1 * 0.3 N/s here.
static void a_body_gains_the_integral_of_its_force(void) {
    CnScene* scene = scene_from_text(formulas);
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CnBodyId body = cn_scene_find_body(scene, "a");
    CnSeriesReading reading;
    CnBodyState state;
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(cn_world_step(world, 0.002, NULL, NULL), CN_OK);
        cn_world_read_series(world, cn_scene_find_series(scene, "hum"), cn_world_time(world),
                             &reading);
        cn_body_state(world, body, &state);
        CHECK_NEAR(state.velocity.x, reading.integral / 2.0, 0.002 * 0.002 / 24.0 * 2.0 * 14.0);
    }
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

TEST_MAIN("unit/io/scene_series", TEST(formulas_are_saved_as_formulas),
          TEST(a_body_gains_the_integral_of_its_force))
