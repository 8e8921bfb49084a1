// test_infeasible.c - worlds that cannot do what is asked of them: bounded work, and who asks.
#include "support/test.h"

#include "cairn/cairn.h"
#include "cairn/warning.h"
#include <stdio.h>

// What a step may take, velocities and positions together: at 2 to 5 million multiplications in a
// millisecond less than half a second. Without a bound the presses took minutes.
#define MOST_WORK 1e9

typedef struct Run {
    CnScene* scene;
    CnWorld* world;
    double most_work;   // of a step
    double joint_error; // [m]
    double penetration; // [m]
    int infeasible;     // steps
    CnWarning warning;  // of that
} Run;

static void read_warning(Run* run) {
    for (int i = 0; i < cn_world_warning_count(run->world); ++i) {
        CnWarning warning;
        CHECK_INT(cn_world_warning_at(run->world, i, &warning), CN_OK);
        if (warning.kind == CN_WARNING_INFEASIBLE) {
            run->warning = warning;
        }
    }
}

static void take_steps(Run* run, double dt, int steps) {
    for (int i = 0; i < steps; ++i) {
        CnStepReport report;
        CnError error;
        CnStatus status = cn_world_step(run->world, dt, &report, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
        run->most_work = fmax(run->most_work, report.work + report.correction_work);
        run->joint_error = fmax(run->joint_error, report.joint_error);
        run->penetration = fmax(run->penetration, report.penetration);
        run->infeasible += report.solver.infeasible_blocks > 0;
    }
    read_warning(run);
}

static Run press(const char* name) {
    char path[300];
    CnError error;
    Run run = {0};
    snprintf(path, sizeof path, "%s/tests/physics/world/%s.json", TEST_SOURCE_DIR, name);
    run.scene = cn_scene_open(path, &error);
    ck_assert_msg(run.scene != NULL, "%s", error.message);
    run.world = cn_scene_build(run.scene, NULL, &error);
    ck_assert_msg(run.world != NULL, "%s", error.message);
    take_steps(&run, 0.01, 10);
    return run;
}

static void close_run(Run* run) {
    cn_world_destroy(run->world);
    cn_scene_destroy(run->scene);
}

// Cubes that overlap by 0.3 m, as joints ask for, between the ground and a press that comes down at
// 1 m/s for 0.1 s. Joints hold; nothing gets deeper than it is, or than the press comes down.
static void a_press_that_cannot_move_is_named_and_costs_little(void) {
    static const char* const names[] = {"press-four", "press-nine"};
    for (int i = 0; i < (UNDER_SANITIZER ? 1 : 2); ++i) {
        Run run = press(names[i]);
        CHECK_INT(run.infeasible, 10);
        CHECK(run.most_work <= MOST_WORK);
        CHECK(run.joint_error <= 1e-6);
        CHECK(run.penetration <= 0.3 + 1e-6);
        CHECK_INT((int)run.warning.count, 10);
        CHECK_CONTAINS(run.warning.message, "contact press/b");
        CHECK_CONTAINS(run.warning.message, "kinematic body");
        close_run(&run);
    }
}

// A hundred capsules at one point: 4950 pairs, all at once. There is an answer, far away.
static void a_hundred_capsules_at_one_point_cost_a_budget(void) {
    CnWorldDef def = cn_world_def_default();
    Run run = {.world = cn_world_create(&def, NULL)};
    CnShapeDef capsule = cn_shape_def_default(CN_SHAPE_CAPSULE);
    CnBodyDef body = cn_body_def_default();
    body.shapes = &capsule;
    body.shape_count = 1;
    for (int i = 0; i < 100; ++i) {
        CHECK(cn_world_add_body(run.world, &body, NULL).index != 0);
    }
    take_steps(&run, 0.01, 2);
    CHECK(run.most_work <= 5e9); // 14,850 rows: 2.1e9 for velocities, as much again for positions
    cn_world_destroy(run.world);
}

TEST_MAIN("physics/world/infeasible", TEST(a_press_that_cannot_move_is_named_and_costs_little),
          TEST(a_hundred_capsules_at_one_point_cost_a_budget))
