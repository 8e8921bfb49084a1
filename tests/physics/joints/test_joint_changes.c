// test_joint_changes.c - joints that are driven, switched and read back while a world runs.
#include "cairn/joint.h"
#include "support/run.h"

#include <string.h>

#define STEP 0.01

static const CnVec3 zero = {0.0, 0.0, 0.0}, along_x = {1.0, 0.0, 0.0};

typedef struct Machine {
    CnWorld* world;
    CnBodyId body;
    CnJointId joint;
} Machine;

// A body of 2 kg and 0.5 kg m^2 on one joint to the world, its axis along x.
static Machine machine_make(CnJointType type, CnVec3 gravity, CnVec3 place,
                            const CnJointAxis* settings, CnAxis axis) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = gravity;
    Machine machine = {.world = run_create(&world_def)};
    CnBodyDef body = run_body(2.0, cn_vec3(0.5, 0.5, 0.5), place);
    machine.body = run_add(machine.world, &body);
    CnJointDef def = cn_joint_def_default(type);
    def.name = "drive";
    def.body_b = machine.body;
    def.axis = along_x;
    if (settings != NULL) {
        def.axes[axis] = *settings;
    }
    CnError error = {0};
    machine.joint = cn_world_add_joint(machine.world, &def, &error);
    ck_assert_msg(machine.joint.index != 0, "%s", error.message);
    return machine;
}

// 3 N on 2 kg for 1 s; and 3 N m on 0.5 kg m^2. Velocities are F t / m to round-off of 100 sums.
static void a_force_motor_gives_its_force(void) {
    const CnJointAxis push = {.motor = CN_MOTOR_FORCE, .target = 3.0};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, &push, CN_AXIS_Z);
    Machine hinge = machine_make(CN_JOINT_HINGE, zero, zero, &push, CN_AXIS_TURN_Z);
    run_steps(slider.world, STEP, 100);
    run_steps(hinge.world, STEP, 100);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 1.5, 1e-12);
    CHECK_NEAR(run_state(hinge.world, hinge.body).angular_velocity.x, 6.0, 1e-12);
    CnJointState state;
    CHECK_INT(cn_joint_read(slider.world, slider.joint, &state), CN_OK);
    CHECK_NEAR(state.axis_force[CN_AXIS_Z], 3.0, 1e-12);
    cn_world_destroy(slider.world);
    cn_world_destroy(hinge.world);
}

// Cut off at 2 N: 1 m/s.
static void a_force_motor_has_a_largest_force(void) {
    const CnJointAxis push = {.motor = CN_MOTOR_FORCE, .target = -3.0, .max_force = 2.0};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, &push, CN_AXIS_Z);
    run_steps(slider.world, STEP, 100);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, -1.0, 1e-12);
    cn_world_destroy(slider.world);
}

// A ramp from 0 to 3 N in 1 s is taken at the middle of each step, which is exact for a straight
// line: 1.5 N s.
static void a_force_motor_follows_its_series(void) {
    const double times[2] = {0.0, 1.0}, values[2] = {0.0, 1.0};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, NULL, CN_AXIS_Z);
    CnSeriesDef ramp = {.count = 2, .times = times, .values = values};
    CnJointAxis push = {.motor = CN_MOTOR_FORCE, .target = 3.0};
    push.series = cn_world_add_series(slider.world, &ramp, NULL);
    CHECK(push.series.index != 0);
    CHECK_INT(cn_joint_set_axis(slider.world, slider.joint, CN_AXIS_Z, &push, NULL), CN_OK);
    run_steps(slider.world, STEP, 100);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 0.75, 1e-12);
    cn_world_destroy(slider.world);
}

// As m x'' + k x = F from rest with k = m w^2: x = F/k (1 - cos w t). The spring is second order at
// w h = 0.02: (w h)^2 / 12 of w t = 2 is 7e-5 of 1.5.
static void a_force_motor_works_against_a_spring(void) {
    const CnJointAxis push = {.motor = CN_MOTOR_FORCE, .target = 3.0, .spring_stiffness = 8.0};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, &push, CN_AXIS_Z);
    run_steps(slider.world, STEP, 100);
    double expected = 3.0 / 8.0 * (1.0 - cos(2.0));
    CHECK_NEAR(run_state(slider.world, slider.body).center.x, expected, 1e-4);
    cn_world_destroy(slider.world);
}

static void a_target_holds_from_the_next_step_on(void) {
    const CnJointAxis drive = {.motor = CN_MOTOR_VELOCITY, .target = 1.0, .friction = 0.5};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, &drive, CN_AXIS_Z);
    run_step(slider.world, STEP);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 1.0, 1e-8);
    CHECK_INT(cn_joint_set_target(slider.world, slider.joint, CN_AXIS_Z, -2.0, NULL), CN_OK);
    run_step(slider.world, STEP);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, -2.0, 1e-8);
    CnJointAxis settings;
    CHECK_INT(cn_joint_axis(slider.world, slider.joint, CN_AXIS_Z, &settings), CN_OK);
    CHECK_NEAR(settings.target, -2.0, 0.0);
    CHECK_NEAR(settings.friction, 0.5, 0.0); // the rest of the axis stays
    cn_world_destroy(slider.world);
}

static void what_acts_on_an_axis_that_is_not_free_is_refused(void) {
    const CnJointAxis all[] = {
        {.limited = true, .upper = 1.0}, {.motor = CN_MOTOR_VELOCITY, .max_force = 1.0},
        {.spring_stiffness = 1.0},       {.spring_hertz = 1.0},
        {.spring_damping = 1.0},         {.friction = 1.0}};
    Machine hinge = machine_make(CN_JOINT_HINGE, zero, zero, NULL, CN_AXIS_Z);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
        CnError error = {0};
        def.body_b = hinge.body;
        def.axes[CN_AXIS_X] = all[i];
        CHECK_INT((int)cn_world_add_joint(hinge.world, &def, &error).index, 0);
        CHECK_INT(error.status, CN_INVALID);
        CHECK(strstr(error.message, "a joint of type hinge has no free axis x") != NULL);
        def.axes[CN_AXIS_X] = (CnJointAxis){0};
        def.axes[CN_AXIS_TURN_Z] = all[i];
        CHECK(cn_world_add_joint(hinge.world, &def, &error).index != 0);
    }
    cn_world_destroy(hinge.world);
}

static void a_target_is_refused_where_there_is_no_motor(void) {
    Machine hinge = machine_make(CN_JOINT_HINGE, zero, zero, NULL, CN_AXIS_Z);
    CnError error = {0};
    CHECK_INT(cn_joint_set_target(hinge.world, hinge.joint, CN_AXIS_TURN_Z, 1.0, &error),
              CN_INVALID);
    CHECK(strstr(error.message, "axis turn_z of joint \"drive\" has no motor") != NULL);
    CHECK_INT(cn_joint_set_target(hinge.world, hinge.joint, CN_AXIS_X, 1.0, &error), CN_INVALID);
    CHECK(strstr(error.message, "has no free axis x") != NULL);
    CHECK_INT(cn_joint_set_target(hinge.world, hinge.joint, (CnAxis)77, 1.0, NULL), CN_INVALID);
    CHECK_INT(cn_joint_set_target(hinge.world, (CnJointId){9, 9}, CN_AXIS_X, 1.0, NULL), CN_STALE);
    CnJointAxis drive = {.motor = CN_MOTOR_FORCE};
    CHECK_INT(cn_joint_set_axis(hinge.world, hinge.joint, CN_AXIS_TURN_Z, &drive, NULL), CN_OK);
    CHECK_INT(cn_joint_set_target(hinge.world, hinge.joint, CN_AXIS_TURN_Z, NAN, &error),
              CN_INVALID);
    drive.motor = CN_MOTOR_COUNT;
    CHECK_INT(cn_joint_set_axis(hinge.world, hinge.joint, CN_AXIS_TURN_Z, &drive, &error),
              CN_INVALID);
    CHECK(strstr(error.message, "motor 4 does not exist") != NULL);
    cn_world_destroy(hinge.world);
}

// Hangs from a ball joint; falls freely while the joint is off, g t to round-off; and is held
// again, where it was held before.
static void a_joint_that_is_off_does_nothing(void) {
    Machine machine = machine_make(CN_JOINT_BALL, cn_vec3(0.0, 0.0, -10.0), zero, NULL, CN_AXIS_Z);
    CnJointState state;
    CnJointInfo info;
    run_steps(machine.world, STEP, 10);
    CHECK_NEAR(run_state(machine.world, machine.body).velocity.z, 0.0, 1e-8);
    CHECK_INT(cn_joint_set_enabled(machine.world, machine.joint, false), CN_OK);
    run_steps(machine.world, STEP, 10);
    CHECK_NEAR(run_state(machine.world, machine.body).velocity.z, -1.0, 1e-8); // the tolerance
    CHECK_INT(cn_joint_read(machine.world, machine.joint, &state), CN_OK);
    CHECK_NEAR(cn_vec3_length(state.force), 0.0, 0.0);
    CHECK_NEAR(state.error, 0.0, 0.0);
    CHECK_INT(cn_joint_info(machine.world, machine.joint, &info), CN_OK);
    CHECK(!info.enabled);
    CHECK_INT(cn_joint_set_enabled(machine.world, machine.joint, true), CN_OK);
    run_steps(machine.world, STEP, 10);
    CHECK_INT(cn_joint_read(machine.world, machine.joint, &state), CN_OK);
    CHECK_NEAR(state.error, 0.0, 1e-11); // projection puts it back
    CHECK_INT(cn_joint_set_enabled(machine.world, (CnJointId){7, 7}, true), CN_STALE);
    cn_world_destroy(machine.world);
}

// Motors and limits that were off stay off, those that were on come back.
static void a_joint_is_switched_with_all_its_parts(void) {
    const CnJointAxis drive = {.motor = CN_MOTOR_FORCE, .target = 2.0};
    Machine slider = machine_make(CN_JOINT_SLIDER, zero, zero, &drive, CN_AXIS_Z);
    CHECK_INT(cn_joint_set_enabled(slider.world, slider.joint, false), CN_OK);
    run_steps(slider.world, STEP, 10);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 0.0, 0.0);
    // Changed while it is off: it stays off.
    const CnJointAxis other = {.motor = CN_MOTOR_VELOCITY, .target = 1.0, .max_force = 4.0};
    CHECK_INT(cn_joint_set_axis(slider.world, slider.joint, CN_AXIS_Z, &other, NULL), CN_OK);
    run_steps(slider.world, STEP, 10);
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 0.0, 0.0);
    CHECK_INT(cn_joint_set_enabled(slider.world, slider.joint, true), CN_OK);
    run_steps(slider.world, STEP, 10); // 4 N on 2 kg: 0.02 m/s each; the force of 2 N is no more
    CHECK_NEAR(run_state(slider.world, slider.body).velocity.x, 0.2, 1e-12);
    cn_world_destroy(slider.world);
}

static void a_joint_may_start_switched_off(void) {
    Machine machine = machine_make(CN_JOINT_BALL, zero, zero, NULL, CN_AXIS_Z);
    CnJointDef def = cn_joint_def_default(CN_JOINT_WELD);
    def.body_b = machine.body;
    def.enabled = false;
    CnJointId weld = cn_world_add_joint(machine.world, &def, NULL);
    CnJointInfo info;
    CHECK_INT(cn_joint_info(machine.world, weld, &info), CN_OK);
    CHECK(!info.enabled && info.type == CN_JOINT_WELD);
    CnStepReport report = run_step(machine.world, STEP);
    CHECK_INT(report.row_count, 3); // of the ball joint
    cn_world_destroy(machine.world);
}

// Frames in the bodies, put where the bodies are, are the frames that cn_joint_read() gives.
static void frames_and_bodies_are_read_back(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(i, 0.3 * i, 0.0));
        body.rotation = cn_quat_exp(cn_vec3(0.3, -0.2 * i, 0.5));
        bodies[i] = run_add(world, &body);
    }
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        CnJointDef def = cn_joint_def_default((CnJointType)type);
        const CnSeriesDef constant = {.count = 1, .times = &zero.x, .values = &zero.x};
        def.body_a = bodies[0];
        def.body_b = bodies[1];
        def.point_a = cn_vec3(0.5, 0.1, 0.2);
        def.point_b = cn_vec3(0.7, 0.1, 0.6);
        def.axis_b = along_x;
        def.series = cn_world_add_series(world, &constant, NULL);
        CnJointId joint = cn_world_add_joint(world, &def, NULL);
        CnJointInfo info;
        CnJointState state;
        CHECK_INT(cn_joint_info(world, joint, &info), CN_OK);
        CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
        CHECK_INT(info.body_a.index, bodies[0].index);
        CHECK_INT(info.body_b.index, bodies[1].index);
        const CnTransform own[2] = {info.frame_a, info.frame_b};
        const CnTransform shown[2] = {state.frame_a, state.frame_b};
        for (int i = 0; i < 2; ++i) {
            CnBodyState body = run_state(world, bodies[i]);
            CnVec3 point =
                cn_transform_point((CnTransform){body.center, body.rotation}, own[i].position);
            CHECK_NEAR(cn_vec3_length(cn_vec3_sub(point, shown[i].position)), 0.0, 1e-15);
        }
        bool is_line =
            type == CN_JOINT_DISTANCE || type == CN_JOINT_ROPE || type == CN_JOINT_RIGID_LINK;
        if (is_line) {
            CHECK_NEAR(info.length, sqrt(0.2 * 0.2 + 0.4 * 0.4), 1e-15);
        }
        CHECK_INT(info.free[CN_AXIS_TURN_Z],
                  type <= CN_JOINT_CYLINDRICAL
                      ? type != CN_JOINT_SLIDER
                      : type == CN_JOINT_UNIVERSAL || type == CN_JOINT_PLANAR ||
                            type == CN_JOINT_SIX_AXIS || type == CN_JOINT_SCREW);
    }
    CnJointId ids[2];
    CHECK_INT(cn_body_joints(world, bodies[0], ids, 2), CN_JOINT_MIMIC);
    CHECK_INT(ids[0].index, cn_world_joint_at(world, CN_JOINT_MIMIC - 1).index);
    CHECK_INT(cn_body_joints(world, (CnBodyId){99, 1}, ids, 2), -1);
    CnJointInfo info;
    CHECK_INT(cn_joint_info(world, (CnJointId){99, 1}, &info), CN_STALE);
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/joint_changes", TEST(a_force_motor_gives_its_force),
          TEST(a_force_motor_has_a_largest_force), TEST(a_force_motor_follows_its_series),
          TEST(a_force_motor_works_against_a_spring), TEST(a_target_holds_from_the_next_step_on),
          TEST(a_target_is_refused_where_there_is_no_motor),
          TEST(what_acts_on_an_axis_that_is_not_free_is_refused),
          TEST(a_joint_that_is_off_does_nothing), TEST(a_joint_is_switched_with_all_its_parts),
          TEST(a_joint_may_start_switched_off), TEST(frames_and_bodies_are_read_back))
