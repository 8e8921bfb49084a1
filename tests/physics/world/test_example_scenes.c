// test_example_scenes.c - the scenes that show filters, sensors, fast bodies and surfaces.
#include "support/test.h"

#include "cairn/cairn.h"
#include <stdio.h>

#define GRAVITY 9.81 // [m/s^2]

typedef struct Run {
    CnScene* scene;
    CnWorld* world;
    double dt; // [s]
    int steps; // of the scene's duration
} Run;

static Run open_scene(const char* name) {
    char path[300];
    CnError error;
    Run run;
    snprintf(path, sizeof path, "%s/scenes/%s.json", TEST_SOURCE_DIR, name);
    run.scene = cn_scene_open(path, &error);
    ck_assert_msg(run.scene != NULL, "%s", error.message);
    run.world = cn_scene_build(run.scene, NULL, &error);
    ck_assert_msg(run.world != NULL, "%s", error.message);
    run.dt = cn_scene_settings(run.scene).dt;
    run.steps = (int)round(cn_scene_settings(run.scene).duration / run.dt);
    return run;
}

static void step(Run* run) {
    CnError error;
    CnStatus status = cn_world_step(run->world, run->dt, NULL, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
}

static Run finish_scene(const char* name) {
    Run run = open_scene(name);
    for (int i = 0; i < run.steps; ++i) {
        step(&run);
    }
    return run;
}

static void close_run(Run* run) {
    cn_world_destroy(run->world);
    cn_scene_destroy(run->scene);
}

static CnVec3 center_of(const Run* run, const char* name) {
    CnBodyState state;
    CHECK_INT(cn_body_state(run->world, cn_world_find_body(run->world, name), &state), CN_OK);
    return state.center;
}

// The sieve holds category 2 alone, and two of one negative group lie in each other.
static void filters_decide_who_is_held(void) {
    Run run = finish_scene("events/filters");
    // Contacts are kept to the solver's 1e-8 m/s and projection's tolerance.
    CHECK_NEAR(center_of(&run, "red").z, 1.3, 1e-6);
    CHECK_NEAR(center_of(&run, "blue").z, 0.2, 1e-6);
    CHECK_NEAR(center_of(&run, "one").z, 0.2, 1e-6);
    CHECK_NEAR(center_of(&run, "other").z, 0.2, 1e-6);
    close_run(&run);
}

// Over the pit of the tray the free space is the part above its floor and its four slopes, which
// rise 1/2 m over 3/4 m from the edges of a square of half width 3/4 m.
static double gap_in_tray(CnVec3 p, double radius) {
    double along = fmax(fabs(p.x), fabs(p.y));
    double over_slope = (0.75 * p.z - 0.5 * (along - 0.75)) / hypot(0.5, 0.75);
    return fmin(p.z, over_slope) - radius;
}

static void what_falls_into_a_tray_stays_in_it(void) {
    static const char* const names[] = {"gem", "bracket", "ball", "crate", "pill"};
    Run run = open_scene("surfaces/mesh-tray");
    double ball = HUGE_VAL, center = HUGE_VAL; // nearest to the surface [m]
    for (int i = 0; i < run.steps; ++i) {
        step(&run);
        ball = fmin(ball, gap_in_tray(center_of(&run, "ball"), 0.2));
        for (int k = 0; k < 5; ++k) {
            center = fmin(center, gap_in_tray(center_of(&run, names[k]), 0.0));
        }
    }
    CHECK_NEAR(ball, 0.0, 1e-6); // projection's tolerance, from above and from below
    CHECK(center > 0.05);        // the least half width of any of them is 0.1 m, the gem's cut less
    close_run(&run);
}

// Straight lines over a grid of 1/2 m miss the cosines of the hills by at most
// 2 (1/2)^2 / 8 |h''| = 0.0154 m with |h''| <= 0.4 (pi / 4)^2; millimetres were rounded.
#define HILL_ERROR 0.016

static double hill_height(CnVec3 p) {
    return 0.4 * cos(CN_PI * p.x / 4.0) * cos(CN_PI * p.y / 4.0);
}

static void a_ball_rolls_over_hills_without_leaving_them(void) {
    Run run = open_scene("surfaces/hills");
    double least = HUGE_VAL, most = 0.0; // above the ground, vertically [m]
    for (int i = 0; i < run.steps; ++i) {
        step(&run);
        CnVec3 p = center_of(&run, "ball");
        double height = p.z - hill_height(p);
        least = fmin(least, height);
        most = i * run.dt > 0.5 ? fmax(most, height) : most; // it has landed by then
    }
    double steepest = 0.4 * CN_PI / 4.0;
    CHECK(least > 0.2 - HILL_ERROR);
    CHECK(most < 0.2 * hypot(1.0, steepest) + HILL_ERROR);
    close_run(&run);
}

// A wall of 2 mm stands across a path of 0.4 m per step.
static void a_fast_body_is_stopped_by_a_thin_wall(void) {
    Run run = finish_scene("collisions/bullet");
    // It lies against the wall: at an impact gaps up to a hundredth of contact_margin count as
    // none.
    CHECK_NEAR(center_of(&run, "bullet").x, 2.1 - 0.001 - 0.01, 1e-5);
    close_run(&run);
}

// The ball, 0.1 m in radius, falls freely from 2 m and is in the gate between 0.9 m and 1.1 m while
// it has fallen 0.8 m to 1.2 m. The end of a step sees it.
static void a_gate_tells_when_a_ball_passes_and_does_not_hold_it(void) {
    Run run = open_scene("events/sensor-gate");
    double begin = 0.0, end = 0.0; // [s]
    for (int i = 0; i < run.steps; ++i) {
        CnEvent events[4];
        step(&run);
        int count = cn_world_events(run.world, events, 4);
        for (int k = 0; k < count && k < 4; ++k) {
            begin = events[k].type == CN_EVENT_SENSOR_BEGIN ? events[k].time : begin;
            end = events[k].type == CN_EVENT_SENSOR_END ? events[k].time : end;
        }
    }
    CHECK_NEAR(begin, sqrt(2.0 * 0.8 / GRAVITY) + 0.5 * run.dt, 0.5 * run.dt);
    CHECK_NEAR(end, sqrt(2.0 * 1.2 / GRAVITY) + 0.5 * run.dt, 0.5 * run.dt);
    // Trapezoids of a velocity that grows evenly are exact but for the rounding of 600 steps.
    CHECK_NEAR(center_of(&run, "ball").z, 2.0 - 0.5 * GRAVITY * 0.6 * 0.6, 1e-12);
    close_run(&run);
}

TEST_MAIN("physics/world/example_scenes", TEST(filters_decide_who_is_held),
          TEST(what_falls_into_a_tray_stays_in_it),
          TEST(a_ball_rolls_over_hills_without_leaving_them),
          TEST(a_fast_body_is_stopped_by_a_thin_wall),
          TEST(a_gate_tells_when_a_ball_passes_and_does_not_hold_it))
