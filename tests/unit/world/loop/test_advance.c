// test_advance.c - frames cut into steps, poses between steps.
#include "cairn/loop.h"

#include "cairn/state.h"
#include "support/failing_allocator.h"
#include "support/run.h"

#define FRAME (1.0 / 60.0) // the default step [s]

static const CnMaterialId no_material = {0};

// A ball of 1 kg at the origin, without gravity.
static CnWorld* floating_ball(CnVec3 velocity, CnVec3 spin, CnBodyId* ball) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    *ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.0), velocity, no_material);
    CnBodyState state = run_state(world, *ball);
    state.angular_velocity = spin;
    CHECK_INT(cn_body_set_state(world, *ball, &state, NULL), CN_OK);
    return world;
}

static CnAdvanceReport advance(CnWorld* world, double elapsed) {
    CnAdvanceReport report;
    CnError error = {0};
    CnStatus status = cn_world_advance(world, elapsed, NULL, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return report;
}

static CnTransform drawn(const CnWorld* world, double fraction) {
    CnTransform pose;
    CHECK(cn_world_read_poses_at(world, fraction, &pose, NULL, 1) >= 1);
    return pose;
}

static void frames_of_any_length_make_the_steps_that_fit(void) {
    CnBodyId ball;
    CnWorld* world = floating_ball(cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), &ball);
    int steps = 0;
    for (int i = 1; i <= 144; ++i) {
        steps += advance(world, 1.0 / 144.0).steps;
        CHECK_INT(steps, i * 60 / 144); // whole steps in i frames
    }
    CHECK_INT(steps, 60);
    CHECK_INT(advance(world, 0.05).steps, 3); // though 0.05 in binary is not three times 1/60
    CnAdvanceReport report = advance(world, 0.0);
    CHECK_INT(report.steps, 0);
    CHECK_NEAR(report.fraction, 0.0, 1e-9);
    CHECK_NEAR(cn_world_time(world), 1.05, 1e-12); // 63 sums, each within 2^-53 of 1
    cn_world_destroy(world);
}

static void steps_are_those_of_cn_world_step(void) {
    CnWorld* frames = run_open("@stack:3");
    CnWorld* steps = run_open("@stack:3");
    for (int i = 0; i < 30; ++i) {
        advance(frames, 1.0 / 30.0);
        cn_world_step(steps, FRAME, NULL, NULL);
        cn_world_step(steps, FRAME, NULL, NULL);
    }
    CHECK(cn_world_hash(frames) == cn_world_hash(steps));
    cn_world_destroy(frames);
    cn_world_destroy(steps);
}

static void time_beyond_the_largest_number_of_steps_is_dropped_and_told(void) {
    CnBodyId ball;
    CnWorld* world = floating_ball(cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), &ball);
    CnAdvanceReport report = advance(world, 1.0 + 0.25 * FRAME);
    CHECK_INT(report.steps, 8);
    CHECK_NEAR(report.dropped, 52.0 * FRAME, 1e-12);
    CHECK_NEAR(report.fraction, 0.25, 1e-9); // the part of a step is kept
    CHECK_INT(advance(world, 0.75 * FRAME).steps, 1);
    CnAdvanceSettings settings = cn_advance_settings_default();
    settings.max_steps = 100;
    CHECK_INT(cn_world_advance(world, 1.0, &settings, &report, NULL), CN_OK);
    CHECK_INT(report.steps, 60);
    CHECK_NEAR(report.dropped, 0.0, 0.0);
    CHECK_INT(cn_world_advance(world, 1e12, NULL, &report, NULL), CN_OK);
    CHECK_INT(report.steps, 8);
    CHECK(report.remainder < FRAME);
    cn_world_destroy(world);
}

static void what_is_drawn_moves_with_the_clock_one_step_behind(void) {
    CnBodyId ball;
    CnWorld* world = floating_ball(cn_vec3(3.0, 0.0, -1.0), cn_vec3(0.0, 0.0, 0.0), &ball);
    double elapsed = 0.0;
    advance(world, FRAME);
    elapsed += FRAME;
    for (int i = 0; i < 100; ++i) {
        double frame = i % 2 == 0 ? 0.004 : 0.013; // [s]
        CnAdvanceReport report = advance(world, frame);
        elapsed += frame;
        CnVec3 position = drawn(world, report.fraction).position;
        CHECK_NEAR(position.x, 3.0 * (elapsed - FRAME), 1e-12); // 100 sums of numbers below 3
        CHECK_NEAR(position.z, -1.0 * (elapsed - FRAME), 1e-12);
    }
    cn_world_destroy(world);
}

static void rotations_are_drawn_on_the_shorter_arc(void) {
    CnBodyId ball;
    CnWorld* world = floating_ball(cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 60.0), &ball);
    advance(world, FRAME); // 1 rad about z
    CnVec3 x = cn_vec3(1.0, 0.0, 0.0);
    const struct {
        double fraction, angle, tolerance;
    } rows[] = {{0.0, 0.0, 1e-15}, {0.25, 0.25, 0.005}, {0.5, 0.5, 1e-14}, {0.75, 0.75, 0.005},
                {1.0, 1.0, 1e-12}, {7.0, 1.0, 1e-12},   {-1.0, 0.0, 1e-15}};
    for (int i = 0; i < 7; ++i) {
        CnVec3 turned = cn_quat_rotate(drawn(world, rows[i].fraction).rotation, x);
        CHECK_NEAR(atan2(turned.y, turned.x), rows[i].angle, rows[i].tolerance);
    }
    cn_world_destroy(world);
}

static void the_frame_of_a_body_turns_about_its_centre_of_mass(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnBodyDef rod = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
    rod.center = cn_vec3(1.0, 0.0, 0.0);
    rod.angular_velocity = cn_vec3(0.0, 0.0, 60.0);
    run_add(world, &rod);
    advance(world, FRAME); // 1 rad about the point (1, 0, 0)
    CnVec3 origin = drawn(world, 0.5).position;
    CHECK_NEAR(origin.x, 1.0 - cos(0.5), 1e-12);
    CHECK_NEAR(origin.y, -sin(0.5), 1e-12);
    cn_world_destroy(world);
}

static void bodies_added_set_or_moved_in_the_list_are_drawn_right(void) {
    CnBodyId first, second;
    CnVec3 zero = cn_vec3(0.0, 0.0, 0.0), still = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = floating_ball(cn_vec3(6.0, 0.0, 0.0), zero, &first);
    second =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 9.0, 0.0), cn_vec3(6.0, 0.0, 0.0), no_material);
    advance(world, FRAME); // both move by 0.1 m
    CnTransform poses[3];
    CHECK_INT(cn_world_read_poses_at(world, 0.5, poses, NULL, 3), 2);
    CHECK_NEAR(poses[0].position.x, 0.05, 1e-15);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, -9.0, 0.0), still, no_material);
    CHECK_INT(cn_world_read_poses_at(world, 0.5, poses, NULL, 3), 3);
    CHECK_NEAR(poses[2].position.y, -9.0, 0.0); // it has no pose before
    CHECK_INT(
        cn_body_set_pose(world, first, (CnTransform){{5.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, NULL),
        CN_OK);
    cn_world_read_poses_at(world, 0.5, poses, NULL, 3);
    CHECK_NEAR(poses[0].position.x, 5.0, 0.0); // not on the way there
    CHECK_INT(cn_world_remove_body(world, first), CN_OK);
    CHECK_INT(cn_world_read_poses_at(world, 0.5, poses, NULL, 3), 2);
    CHECK_NEAR(poses[0].position.y, -9.0, 0.0); // the last one took the place
    CHECK_NEAR(poses[1].position.x, 0.05, 1e-15);
    CHECK_INT(cn_world_step(world, FRAME, NULL, NULL), CN_OK);
    cn_world_read_poses_at(world, 0.5, poses, NULL, 3);
    CHECK_NEAR(poses[1].position.x, 0.2, 1e-15); // a step of its own: where it is now
    (void)second;
    cn_world_destroy(world);
}

static void a_clone_and_a_saved_state_go_on_with_the_same_frames(void) {
    CnError error = {0};
    CnWorld* world = run_open("@chain:3");
    for (int i = 0; i < 10; ++i) {
        advance(world, 0.01);
    }
    CnWorld* clone = cn_world_clone(world, NULL, &error);
    CnWorld* loaded = run_open("@chain:3");
    size_t size = 0;
    void* state = NULL;
    CHECK_INT(cn_world_save_state_memory(world, &state, &size, &error), CN_OK);
    CHECK_INT(cn_world_load_state_memory(loaded, state, size, &error), CN_OK);
    CnTransform here[3], there[3];
    for (int i = 0; i < 10; ++i) {
        double fraction = advance(world, 0.01).fraction;
        CHECK(advance(clone, 0.01).fraction == fraction);
        CHECK(advance(loaded, 0.01).fraction == fraction);
        cn_world_read_poses_at(world, fraction, here, NULL, 3);
        cn_world_read_poses_at(loaded, fraction, there, NULL, 3);
        CHECK(memcmp(here, there, sizeof here) == 0);
        cn_world_read_poses_at(clone, fraction, there, NULL, 3);
        CHECK(memcmp(here, there, sizeof here) == 0);
    }
    cn_world_release_state(world, state);
    cn_world_destroy(loaded);
    cn_world_destroy(clone);
    cn_world_destroy(world);
}

static void a_step_that_fails_leaves_its_time_waiting(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.speed_limit = 0.25; // reached in the second step of 0.1635 m/s each
    CnWorld* world = run_create(&def);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), no_material);
    CnAdvanceReport report;
    CnError error = {0};
    CHECK(cn_world_advance(world, 3.0 * FRAME, NULL, &report, &error) != CN_OK);
    CHECK_INT(report.steps, 1);
    CHECK_NEAR(report.remainder, 2.0 * FRAME, 1e-15);
    CHECK_NEAR(report.fraction, 1.0, 0.0);
    CHECK_CONTAINS(error.message, "speed");
    cn_world_destroy(world);
}

static void bad_times_are_refused_with_a_sentence(void) {
    CnBodyId ball;
    CnWorld* world = floating_ball(cn_vec3(1.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), &ball);
    CnAdvanceSettings zero = {0}, short_step = cn_advance_settings_default(), none = short_step;
    short_step.dt = 0.0;
    none.max_steps = 0;
    const struct {
        double elapsed;
        const CnAdvanceSettings* settings;
        const char* message;
    } rows[] = {
        {-0.1, NULL, "elapsed is -0.1 s; it must be from 0 to 1e+12"},
        {(double)NAN, NULL, "it must be from 0 to 1e+12"},
        {2e12, NULL, "elapsed is 2e+12 s"},
        {0.1, &zero, "settings were not made by cn_advance_settings_default()"},
        {0.1, &short_step, "dt is 0 s; it must be positive"},
        {0.1, &none, "max_steps is 0; it must be from 1 to 1000000"},
    };
    for (int i = 0; i < 6; ++i) {
        CnError error = {0};
        CHECK_INT(cn_world_advance(world, rows[i].elapsed, rows[i].settings, NULL, &error),
                  CN_INVALID);
        CHECK_CONTAINS(error.message, rows[i].message);
    }
    CHECK_NEAR(advance(world, FRAME).remainder, 0.0, 0.0); // nothing was added
    CHECK_NEAR(run_state(world, ball).center.x, FRAME, 1e-15);
    cn_world_destroy(world);
}

static void refused_memory_changes_nothing(void) {
    FailingAllocator failing = {0};
    CnWorldDef def = cn_world_def_default();
    def.allocator = failing_allocator(&failing);
    CnWorld* world = run_create(&def);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), no_material);
    CHECK_INT(cn_world_step(world, FRAME, NULL, NULL), CN_OK);
    uint64_t hash = cn_world_hash(world);
    failing.refuse_at = failing.requests + 1;
    CnAdvanceReport report;
    CHECK_INT(cn_world_advance(world, FRAME, NULL, &report, NULL), CN_NO_MEMORY);
    CHECK(cn_world_hash(world) == hash);
    CHECK_INT(cn_world_advance(world, FRAME, NULL, &report, NULL), CN_OK);
    CHECK_INT(report.steps, 1); // the time of the call that failed was not kept
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/loop/advance", TEST(frames_of_any_length_make_the_steps_that_fit),
          TEST(steps_are_those_of_cn_world_step),
          TEST(time_beyond_the_largest_number_of_steps_is_dropped_and_told),
          TEST(what_is_drawn_moves_with_the_clock_one_step_behind),
          TEST(rotations_are_drawn_on_the_shorter_arc),
          TEST(the_frame_of_a_body_turns_about_its_centre_of_mass),
          TEST(bodies_added_set_or_moved_in_the_list_are_drawn_right),
          TEST(a_clone_and_a_saved_state_go_on_with_the_same_frames),
          TEST(a_step_that_fails_leaves_its_time_waiting),
          TEST(bad_times_are_refused_with_a_sentence), TEST(refused_memory_changes_nothing))
