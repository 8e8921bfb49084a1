// test_positions.c - overlaps and joint errors stay below a micrometre where bodies roll and turn.
#include "builtin/builtin_scenes.h"
#include "cairn/scene.h"
#include "support/run.h"

#include <stdio.h>

// Projection ends at 1e-8 m/s * dt or 1e-11 m, whichever is larger; users are promised a
// micrometre.
#define PROMISED 1e-6 // [m or rad]

// The worst of the first steps of a scene with its own settings.
static void check_scene(const char* path, int steps) {
    CnScene* scene = cn_open_scene(path, NULL);
    CHECK(scene != NULL);
    double dt = cn_scene_settings(scene).dt;
    cn_scene_destroy(scene);
    CnWorld* world = run_open(path);
    double penetration = 0.0, joint = 0.0;
    int missed = 0;
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(world, dt);
        penetration = fmax(penetration, report.penetration);
        joint = fmax(joint, fmax(report.joint_error, report.joint_angle_error));
        missed += report.positions.missed;
    }
    CHECK(penetration <= PROMISED);
    CHECK(joint <= PROMISED);
    CHECK_INT(missed, 0);
    cn_world_destroy(world);
}

// Contacts at the edges of planks that turn: the rate of their gaps changes sign from step to step.
static void a_roller_does_not_sink_into_planks_on_ropes(void) {
    check_scene(TEST_SOURCE_DIR "/scenes/mechanisms/roller-bridge.json", 500);
}

static void wheels_do_not_sink_into_a_rope_bridge(void) {
    check_scene(TEST_SOURCE_DIR "/scenes/mechanisms/truck-bridge.json", 300);
}

// Balls, boxes and capsules; in step 247 the one point of a capsule along an edge jumps from end
// to end.
static void a_pile_does_not_sink_into_itself(void) {
    check_scene("@pile:2", UNDER_SANITIZER ? 40 : 260);
}

TEST_MAIN("physics/world/positions", TEST(a_roller_does_not_sink_into_planks_on_ropes),
          TEST(wheels_do_not_sink_into_a_rope_bridge), TEST(a_pile_does_not_sink_into_itself))
