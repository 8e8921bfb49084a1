// test_drive.c - kinematic bodies that follow series.
#include "support/test.h"

#include "cairn/diagnostics.h"
#include "cairn/state.h"
#include "cairn/world.h"

#include <math.h>
#include <string.h>

#define A 0.3                 // amplitude [m]
#define W (2.0 * CN_PI * 1.5) // [rad/s]
#define TURN 1.7              // [rad/s]
#define DT 0.004              // [s]

typedef struct Scene {
    CnWorld* world;
    CnBodyId body;
} Scene;

// Along a slanted line by a sine, turning about y at a constant rate; its centre of mass is off its
// origin.
static Scene make(CnScheme scheme, int substeps) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = scheme;
    def.step.substeps = substeps;
    CnWorld* world = cn_world_create(&def, NULL);
    const CnSeriesDef sine = {.kind = CN_SERIES_SINE, .sine = {A, 0.2, 1.5, 0.5}};
    const CnSeriesDef ramp = {.kind = CN_SERIES_RAMP, .ramp = {0.0, 100.0 * TURN, 0.0, 100.0}};
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.radius = 0.1;
    shape.position = cn_vec3(0.2, 0.0, 0.1);
    CnBodyDef body = cn_body_def_default();
    body.type = CN_BODY_KINEMATIC;
    body.position = cn_vec3(1.0, 2.0, 3.0);
    body.shapes = &shape;
    body.shape_count = 1;
    body.has_mass = true;
    body.center = cn_vec3(0.2, 0.0, 0.1);
    body.motion.position[2] = cn_world_add_series(world, &sine, NULL);
    body.motion.axes = cn_quat_from_axis_angle(cn_vec3(1.0, 0.0, 0.0), 0.4);
    body.motion.axis = cn_vec3(0.0, 1.0, 0.0);
    body.motion.angle = cn_world_add_series(world, &ramp, NULL);
    CnError error;
    CnBodyId id = cn_world_add_body(world, &body, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return (Scene){world, id};
}

// Closed forms; a dozen roundings of numbers of order 3.
static void check_on_series(const Scene* scene) {
    double t = cn_world_time(scene->world);
    double s = A * (sin(W * t + 0.5) - sin(0.5)), v = A * W * cos(W * t + 0.5);
    double angle = TURN * t;
    CnTransform pose;
    CnBodyState state;
    CHECK_INT(cn_body_pose(scene->world, scene->body, &pose), CN_OK);
    CHECK_INT(cn_body_state(scene->world, scene->body, &state), CN_OK);
    CHECK_NEAR(pose.position.x, 1.0, 1e-14);
    CHECK_NEAR(pose.position.y, 2.0 - s * sin(0.4), 1e-14);
    CHECK_NEAR(pose.position.z, 3.0 + s * cos(0.4), 1e-14);
    CHECK_NEAR(pose.rotation.w, cos(0.5 * angle), 1e-14);
    CHECK_NEAR(pose.rotation.y, sin(0.5 * angle), 1e-14);
    CHECK_NEAR(state.angular_velocity.y, TURN, 1e-14);
    double arm_x = 0.2 * cos(angle) + 0.1 * sin(angle), arm_z = 0.1 * cos(angle) - 0.2 * sin(angle);
    CHECK_NEAR(state.velocity.x, TURN * arm_z, 1e-13);
    CHECK_NEAR(state.velocity.y, -v * sin(0.4), 1e-13);
    CHECK_NEAR(state.velocity.z, v * cos(0.4) - TURN * arm_x, 1e-13);
}

static void it_is_on_its_series_after_every_step_of_every_scheme(void) {
    for (int scheme = 0; scheme < CN_SCHEME_COUNT; ++scheme) {
        for (int substeps = 1; substeps <= 3; substeps += 2) {
            Scene scene = make((CnScheme)scheme, substeps);
            check_on_series(&scene);
            for (int i = 0; i < 200; ++i) {
                CnError error;
                CnStatus status = cn_world_step(scene.world, DT, NULL, &error);
                ck_assert_msg(status == CN_OK, "%s", error.message);
                check_on_series(&scene);
            }
            cn_world_destroy(scene.world);
        }
    }
}

// A box on a lift that goes up and down with at most 0.3 g: it never leaves the floor of it. The
// lift moves by the mean velocity of each step, the box by the average of two of these, which
// differ by h times the acceleration: they part by no more than h^2 0.3 g.
static void a_box_rides_on_a_lift(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    const CnSeriesDef sine = {.kind = CN_SERIES_SINE,
                              .sine = {0.3 * 9.81 / (W * W), 0.0, 1.5, 0.0}};
    CnShapeDef floor_shape = cn_shape_def_default(CN_SHAPE_BOX), box_shape = floor_shape;
    floor_shape.size = cn_vec3(2.0, 2.0, 0.2);
    box_shape.size = cn_vec3(0.4, 0.4, 0.4);
    CnBodyDef lift = cn_body_def_default(), box = lift;
    lift.type = CN_BODY_KINEMATIC;
    lift.shapes = &floor_shape;
    lift.shape_count = box.shape_count = 1;
    lift.motion.position[2] = cn_world_add_series(world, &sine, NULL);
    box.shapes = &box_shape;
    box.position = cn_vec3(0.0, 0.0, 0.3);
    CnBodyId lift_id = cn_world_add_body(world, &lift, NULL);
    box.velocity = cn_vec3(0.0, 0.0, 0.3 * 9.81 / W);
    CnBodyId box_id = cn_world_add_body(world, &box, NULL);
    for (int i = 0; i < 500; ++i) {
        CnStepReport report;
        CnBodyState a, b;
        CHECK_INT(cn_world_step(world, 0.002, &report, NULL), CN_OK);
        cn_body_state(world, lift_id, &a);
        cn_body_state(world, box_id, &b);
        CHECK_NEAR(b.center.z - a.center.z, 0.3, 0.002 * 0.002 * 0.3 * 9.81);
        // The box has the mean velocity of the step: half a step behind, times 0.3 g.
        CHECK_NEAR(b.velocity.z, a.velocity.z, 0.5 * 0.002 * 0.3 * 9.81 + 1e-6);
    }
    cn_world_destroy(world);
}

static void copies_follow_too(void) {
    Scene scene = make(CN_SCHEME_MOREAU, 1);
    for (int i = 0; i < 10; ++i) {
        CHECK_INT(cn_world_step(scene.world, DT, NULL, NULL), CN_OK);
    }
    Scene copy = {cn_world_clone(scene.world, NULL, NULL), scene.body};
    cn_world_destroy(scene.world);
    for (int i = 0; i < 10; ++i) {
        CHECK_INT(cn_world_step(copy.world, DT, NULL, NULL), CN_OK);
        check_on_series(&copy);
    }
    CnBodyInfo info;
    CHECK_INT(cn_body_read(copy.world, copy.body, &info), CN_OK);
    CHECK(info.motion.position[2].index != 0 && info.motion.position[0].index == 0);
    CHECK_INT(cn_world_remove_body(copy.world, copy.body), CN_OK);
    CHECK_INT(cn_world_step(copy.world, DT, NULL, NULL), CN_OK);
    cn_world_destroy(copy.world);
}

static void a_motion_of_a_stale_series_is_refused(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnBodyDef body = cn_body_def_default();
    CnError error;
    body.type = CN_BODY_KINEMATIC;
    body.motion.angle = (CnSeriesId){7, 1};
    CHECK_INT((int)cn_world_add_body(world, &body, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    CHECK_INT(cn_world_body_count(world), 0);
    cn_world_destroy(world);
}

// Its slope overflows between the last two points: the step that ends there is not made.
static void a_step_to_no_finite_velocity_is_refused(void) {
    const double times[] = {0.0, 0.01, 0.01 + 1e-9}, values[] = {0.0, 0.0, 1e305};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    const CnSeriesDef steep = {
        .kind = CN_SERIES_TABLE, .count = 3, .times = times, .values = values};
    CnBodyDef body = cn_body_def_default();
    body.name = "lift";
    body.type = CN_BODY_KINEMATIC;
    body.motion.position[2] = cn_world_add_series(world, &steep, NULL);
    CHECK(cn_world_add_body(world, &body, NULL).index != 0);
    CHECK_INT(cn_world_step(world, 0.005, NULL, NULL), CN_OK);
    uint64_t hash = cn_world_hash(world);
    CnError error = {0};
    CHECK_INT(cn_world_step(world, 0.005 + 5e-10, NULL, &error), CN_UNSUPPORTED);
    CHECK(strstr(error.message, "\"lift\"") != NULL);
    CHECK(cn_world_hash(world) == hash);
    CHECK_INT(cn_world_step(world, 0.004, NULL, NULL), CN_OK);
    cn_world_destroy(world);
}

static void a_motion_that_starts_without_a_finite_velocity_is_refused(void) {
    const double times[] = {0.0, 1e-9}, values[] = {0.0, 1e305};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    const CnSeriesDef steep = {
        .kind = CN_SERIES_TABLE, .count = 2, .times = times, .values = values};
    CnBodyDef body = cn_body_def_default();
    body.type = CN_BODY_KINEMATIC;
    body.motion.position[2] = cn_world_add_series(world, &steep, NULL);
    CnError error = {0};
    CHECK_INT(cn_world_add_body(world, &body, &error).index, 0);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_CONTAINS(error.message, "no finite value or slope at t = 0 s");
    CHECK_INT(cn_world_body_count(world), 0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/drive",
          TEST(a_motion_that_starts_without_a_finite_velocity_is_refused),
          TEST(a_step_to_no_finite_velocity_is_refused),
          TEST(it_is_on_its_series_after_every_step_of_every_scheme), TEST(a_box_rides_on_a_lift),
          TEST(copies_follow_too), TEST(a_motion_of_a_stale_series_is_refused))
