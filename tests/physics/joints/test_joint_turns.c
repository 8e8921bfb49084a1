// test_joint_turns.c - motors about a single free turn count on; leans are within half a turn.
#include "cairn/joint.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

// 0.1 kg m^2 held at its centre by a six_axis or ball joint whose frame stands askew.
static CnJointDef create_def(CnWorld* world, CnJointType type) {
    CnBodyDef wheel = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), zero);
    CnJointDef def = cn_joint_def_default(type);
    def.body_b = run_add(world, &wheel);
    def.axis = cn_vec3_normalize(cn_vec3(1.0, 2.0, -0.5));
    def.axis_b = cn_vec3(1.0, 0.0, 0.0);
    for (int i = 0; i < 3 && type == CN_JOINT_SIX_AXIS; ++i) {
        def.axes[i].motion = CN_AXIS_LOCKED;
    }
    return def;
}

static CnWorld* create_world(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    return run_create(&def);
}

// Stiffness 20 N m/rad and damping 4 N m s/rad on 0.1 kg m^2: overdamped, the slow root is 5.1/s
// and leaves exp(-5.1 * 8) = 2e-18 of 20 rad.
static CnJointAxis position_motor(double target) {
    return (CnJointAxis){
        .motor = CN_MOTOR_POSITION, .target = target, .stiffness = 20.0, .damping = 4.0};
}

// The coordinate, after 8 s.
static double turn_to(CnAxis axis, double target) {
    CnWorld* world = create_world();
    CnJointDef def = create_def(world, CN_JOINT_SIX_AXIS);
    CnJointState state;
    for (int i = CN_AXIS_TURN_X; i <= CN_AXIS_TURN_Z; ++i) {
        def.axes[i].motion = CN_AXIS_LOCKED;
    }
    def.axes[axis] = position_motor(target);
    CnJointId joint = cn_world_add_joint(world, &def, NULL);
    CHECK(joint.index != 0);
    run_steps(world, 0.01, 800);
    CHECK(cn_joint_read(world, joint, &state) == CN_OK);
    CHECK_NEAR(cn_vec3_length(run_state(world, def.body_b).angular_velocity), 0.0, 1e-8);
    cn_world_destroy(world);
    return state.position[axis];
}

// The solver's tolerance of 1e-8 m/s leaves a torque of that order over 20 N m/rad.
static void a_motor_about_the_only_free_turn_arrives(void) {
    const double targets[] = {1.0, 3.0, 3.3, 5.0, -5.0, 20.0}; // [rad]
    for (int axis = CN_AXIS_TURN_X; axis <= CN_AXIS_TURN_Z; ++axis) {
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(turn_to((CnAxis)axis, targets[i]), targets[i], 1e-7);
        }
    }
}

static void check_refused(CnWorld* world, const CnJointDef* def, const char* value) {
    CnError error;
    CHECK(cn_world_add_joint(world, def, &error).index == 0);
    CHECK(error.status == CN_INVALID);
    ck_assert_msg(strstr(error.message, value) != NULL &&
                      strstr(error.message, "a lean is within [-pi, pi]") != NULL,
                  "%s", error.message);
}

static void what_leans_is_refused_a_target_it_cannot_reach(void) {
    CnWorld* world = create_world();
    CnJointDef ball = create_def(world, CN_JOINT_BALL);
    CnJointDef two = create_def(world, CN_JOINT_SIX_AXIS); // turn_x and turn_y free
    two.axes[CN_AXIS_TURN_Z].motion = CN_AXIS_LOCKED;
    ball.axes[CN_AXIS_TURN_X] = position_motor(4.0);
    two.axes[CN_AXIS_TURN_Y] = position_motor(-5.0);
    check_refused(world, &ball, "turn_x is 4 rad");
    check_refused(world, &two, "turn_y is -5 rad");
    ball.axes[CN_AXIS_TURN_X] = (CnJointAxis){.spring_stiffness = 1.0, .spring_rest = 3.2};
    check_refused(world, &ball, "3.2 rad");
    ball.axes[CN_AXIS_TURN_X] = position_motor(3.0);
    ball.axes[CN_AXIS_TURN_Z] = position_motor(9.0); // a twist counts on
    CHECK(cn_world_add_joint(world, &ball, NULL).index != 0);
    cn_world_destroy(world);
}

static void a_series_must_stay_within_a_lean_too(void) {
    const double times[] = {0.0, 1.0}, values[] = {0.0, 2.0};
    CnWorld* world = create_world();
    CnJointDef ball = create_def(world, CN_JOINT_BALL);
    CnSeriesDef series = {.name = "way", .count = 2, .times = times, .values = values};
    ball.axes[CN_AXIS_TURN_Y] = position_motor(1.7); // 3.4 rad in the end
    ball.axes[CN_AXIS_TURN_Y].series = cn_world_add_series(world, &series, NULL);
    check_refused(world, &ball, "3.4 rad at 1 s");
    ball.axes[CN_AXIS_TURN_Y].target = 1.5; // 3 rad
    CnJointId joint = cn_world_add_joint(world, &ball, NULL);
    CHECK(joint.index != 0);
    CHECK(cn_joint_set_axis(world, joint, CN_AXIS_TURN_Y, &ball.axes[CN_AXIS_TURN_Y], NULL) ==
          CN_OK);
    CnJointAxis beyond = position_motor(4.0);
    CHECK(cn_joint_set_axis(world, joint, CN_AXIS_TURN_X, &beyond, NULL) == CN_INVALID);
    cn_world_destroy(world);
}

// Both turns of a universal joint count on, so its limits may be anywhere.
static void a_universal_joint_may_have_limits_beyond_half_a_turn(void) {
    CnWorld* world = create_world();
    CnJointDef def = create_def(world, CN_JOINT_UNIVERSAL);
    def.axis = cn_vec3(0.0, 0.0, 1.0);
    def.axes[CN_AXIS_TURN_X] = (CnJointAxis){.limited = true, .lower = -4.0, .upper = 4.0};
    CHECK(cn_world_add_joint(world, &def, NULL).index != 0);
    cn_world_destroy(world);
}

// A body that calls turn by a radian between steps has no velocity that would tell.
static void turns_made_by_calls_count_on(void) {
    CnWorld* world = create_world();
    CnBodyDef wheel = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), zero);
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_b = run_add(world, &wheel);
    CnJointId joint = cn_world_add_joint(world, &def, NULL);
    CHECK(joint.index != 0);
    for (int i = 1; i <= 40; ++i) {
        CnJointState state;
        CnTransform pose = {zero, cn_quat_exp(cn_vec3(0.0, 0.0, i))};
        CHECK_INT(cn_body_set_pose(world, def.body_b, pose, NULL), CN_OK);
        run_step(world, 0.01);
        CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
        CHECK_NEAR(state.position[CN_AXIS_TURN_Z], i, 1e-12); // round-off of 40 rad
    }
    cn_world_destroy(world);
}

// Wheels from a fastest one down to an eighth of its spin, each for at least two turns: none is
// read on the way, and slow ones are counted as often as the fastest asks for.
static void check_wheels(double fastest) {
    enum { WHEELS = 8 };
    CnWorld* world = create_world();
    CnJointId joint[WHEELS];
    double spin[WHEELS], dt = 0.02;
    for (int i = 0; i < WHEELS; ++i) {
        CnBodyDef wheel = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(i, 0.0, 0.0));
        CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
        spin[i] = (i % 2 == 0 ? fastest : -fastest) * (i + 1) / WHEELS;
        wheel.angular_velocity = cn_vec3(0.0, 0.0, spin[i]);
        def.body_b = run_add(world, &wheel);
        def.point_a = wheel.position;
        joint[i] = cn_world_add_joint(world, &def, NULL);
        CHECK(joint[i].index != 0);
    }
    int steps = (int)(2.0 * 2.0 * CN_PI * WHEELS / (fastest * dt));
    run_steps(world, dt, steps);
    for (int i = 0; i < WHEELS; ++i) {
        CnJointState state;
        CHECK_INT(cn_joint_read(world, joint[i], &state), CN_OK);
        CHECK_NEAR(state.position[CN_AXIS_TURN_Z] / (spin[i] * dt * steps), 1.0, 1e-6);
    }
    cn_world_destroy(world);
}

static void slow_and_fast_wheels_are_counted_right(void) {
    check_wheels(1.0);  // a part of the wheels in each step
    check_wheels(20.0); // a part, and the fast ones
}

TEST_MAIN("physics/joints/joint_turns", TEST(turns_made_by_calls_count_on),
          TEST(slow_and_fast_wheels_are_counted_right),
          TEST(a_motor_about_the_only_free_turn_arrives),
          TEST(what_leans_is_refused_a_target_it_cannot_reach),
          TEST(a_series_must_stay_within_a_lean_too),
          TEST(a_universal_joint_may_have_limits_beyond_half_a_turn))
