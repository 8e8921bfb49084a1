// test_engine_scenes.c - the scenes that other engines run too: sizes, places and known answers.
#include "support/run.h"

#include "cairn/joint.h"

#define FRAME (1.0 / 60.0) // [s]

static void check_count(const char* scene, int bodies, int joints) {
    CnWorld* world = run_open(scene);
    CHECK_INT(cn_world_body_count(world), bodies);
    CHECK_INT(cn_world_joint_count(world), joints);
    cn_world_destroy(world);
}

static void scenes_have_the_bodies_that_their_tables_say(void) {
    check_count("@s1", 820 + 1, 0);
    check_count("@s2", 5500 + 1, 0);
    check_count("@s3", 2560 + 5, 0); // a ground and four walls
    check_count("@s6", 30 + 1, 30 + 1);
    check_count("@s7", 30 + 1, 0);
    check_count("@s9", 1 + 1, 0);
    check_count("@s10", 5000 + 5001, 0);
}

static void mixed_bodies_start_where_the_generator_puts_them(void) {
    // xorshift32 from 12345: 3336926330, 1697253807; u = (s >> 8) / 2^24.
    CnWorld* world = run_open("@s3:1");
    CnVec3 ball = run_state(world, cn_world_find_body(world, "ball 0")).center;
    double x = -3.5 * 1.5 - 0.1 + 0.2 * (3336926330u >> 8) / 16777216.0;
    double y = -3.5 * 1.5 - 0.1 + 0.2 * (1697253807u >> 8) / 16777216.0;
    CHECK_NEAR(ball.x, x, 1e-15);
    CHECK_NEAR(ball.y, y, 1e-15);
    CHECK_NEAR(ball.z, 1.0, 0.0);
    cn_world_destroy(world);
}

static void a_heavy_ball_hangs_on_light_links(void) {
    CnWorld* world = run_open("@s6:1000");
    double start = cn_world_energy(world);
    run_steps(world, FRAME, 120); // 2 s: it swings through the lowest point
    double length = cn_vec3_length(run_state(world, cn_world_find_body(world, "ball")).center);
    CHECK(length <= 15.5 + 1e-6); // the links are at most stretched out
    CHECK(cn_world_energy(world) <= start + 1e-9 * 1000.0 * 9.81 * 15.5);
    cn_world_destroy(world);
}

static void a_heavy_cube_stands_on_light_ones(void) {
    CnWorld* world = run_open("@s7:1000");
    run_steps(world, FRAME, 60);
    // The solver may leave 1e-8 m/s at each of the 30 contacts, for 1 s.
    CHECK_NEAR(run_state(world, cn_world_find_body(world, "cube 29")).center.z, 29.5, 3e-7);
    cn_world_destroy(world);
}

static void a_cube_sticks_below_the_angle_of_friction_and_slides_above(void) {
    const struct {
        const char* scene;
        double acceleration;                                // [m/s^2]
    } rows[] = {{"@s9:2600", 0.0}, {"@s9:2720", 0.121543}}; // g (sin - 0.5 cos), to six digits
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = run_open(rows[i].scene);
        run_steps(world, FRAME, 300);
        CnVec3 velocity = run_state(world, cn_world_find_body(world, "cube 0")).velocity;
        CHECK_NEAR(cn_vec3_length(velocity), 5.0 * rows[i].acceleration, 5.0 * 1e-6);
        cn_world_destroy(world);
    }
}

TEST_MAIN("physics/world/engine_scenes", TEST(scenes_have_the_bodies_that_their_tables_say),
          TEST(mixed_bodies_start_where_the_generator_puts_them),
          TEST(a_heavy_ball_hangs_on_light_links), TEST(a_heavy_cube_stands_on_light_ones),
          TEST(a_cube_sticks_below_the_angle_of_friction_and_slides_above))
