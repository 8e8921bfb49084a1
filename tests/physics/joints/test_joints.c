// test_joints.c - joints at work: what they keep, let go, drive and carry.
#include "cairn/joint.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnVec3 unit_moments = {1.0, 1.0, 1.0};

static CnWorld* weightless(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    return run_create(&def);
}

static CnJointId add_joint(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId joint = cn_world_add_joint(world, def, &error);
    ck_assert_msg(joint.index != 0, "%s", error.message);
    return joint;
}

static CnJointState read(const CnWorld* world, CnJointId joint) {
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    return state;
}

// A body of 1 kg and unit moments at the origin, tumbling, on a joint to the world.
static CnBodyId add_tumbling(CnWorld* world) {
    CnBodyDef def = run_body(1.0, unit_moments, zero);
    def.velocity = cn_vec3(0.3, -0.2, 0.5);
    def.angular_velocity = cn_vec3(1.0, 2.0, -1.5);
    return run_add(world, &def);
}

// What each joint leaves free moves, all else stays: after 2 s at 1 ms the kept coordinates are
// zero to the projection's 1e-11.
static void joints_keep_what_they_promise(void) {
    static const CnJointType types[] = {CN_JOINT_BALL,        CN_JOINT_HINGE,     CN_JOINT_SLIDER,
                                        CN_JOINT_CYLINDRICAL, CN_JOINT_UNIVERSAL, CN_JOINT_PLANAR,
                                        CN_JOINT_WELD,        CN_JOINT_SCREW};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        for (int order = 0; order < 2; ++order) {
            CnWorld* world = weightless();
            CnBodyId body = add_tumbling(world);
            CnJointDef def = cn_joint_def_default(types[i]);
            *(order == 0 ? &def.body_a : &def.body_b) = body;
            def.point_a = cn_vec3(0.1, 0.2, -0.3);
            def.axis = cn_vec3(0.6, 0.0, 0.8);
            def.axis_b = cn_vec3(0.8, 0.0, -0.6);
            def.pitch = 0.2;
            CnJointId joint = add_joint(world, &def);
            run_steps(world, 1e-3, 2000);
            CnJointState state = read(world, joint);
            ck_assert_msg(state.error < 2e-11 && state.angle_error < 2e-11, "%s: %g m, %g rad",
                          cn_joint_type_name(types[i]), state.error, state.angle_error);
            cn_world_destroy(world);
        }
    }
}

// A door of 2 kg, its centre 0.5 m from the hinge line, in gravity along -x: the hinge carries the
// weight at rest, and its force on the door is what holds it.
static void a_hinge_carries_a_weight(void) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = cn_vec3(0.0, 0.0, -10.0);
    CnWorld* world = run_create(&world_def);
    CnBodyDef door = run_body(2.0, unit_moments, cn_vec3(0.5, 0.0, 0.0));
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_a = run_add(world, &door); // turns about z: gravity does nothing to it
    CnJointId joint = add_joint(world, &def);
    run_steps(world, 1e-2, 100);
    CnJointState state = read(world, joint);
    CHECK_NEAR(state.force.z, 20.0, 1e-9);
    CHECK_NEAR(state.torque.y, -10.0, 1e-9); // 20 N at half a metre
    cn_world_destroy(world);
}

// A velocity motor of 3 N m on unit inertia gains 3 rad/s^2 until it has its speed; a position
// motor ends where it is told.
static void motors_reach_their_targets(void) {
    CnWorld* world = weightless();
    CnBodyDef wheel = run_body(1.0, unit_moments, zero);
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_b = run_add(world, &wheel);
    def.axes[CN_AXIS_TURN_Z] =
        (CnJointAxis){.motor = CN_MOTOR_VELOCITY, .target = 6.0, .max_force = 3.0};
    CnJointId joint = add_joint(world, &def);
    run_steps(world, 1e-2, 100);
    CHECK_NEAR(read(world, joint).velocity[CN_AXIS_TURN_Z], 3.0, 1e-8);
    run_steps(world, 1e-2, 200);
    CHECK_NEAR(read(world, joint).velocity[CN_AXIS_TURN_Z], 6.0, 1e-8);
    CHECK(read(world, joint).position[CN_AXIS_TURN_Z] > 7.0); // more than a turn, counted on
    CnJointAxis hold = {
        .motor = CN_MOTOR_POSITION, .target = 20.0, .stiffness = 400.0, .damping = 40.0};
    CHECK_INT(cn_joint_set_axis(world, joint, CN_AXIS_TURN_Z, &hold, NULL), CN_OK);
    run_steps(world, 1e-2, 1000);
    CHECK_NEAR(read(world, joint).position[CN_AXIS_TURN_Z], 20.0, 1e-6);
    cn_world_destroy(world);
}

// Without a limit a motor has its speed after one step, against any load, and keeps no position.
static void a_motor_without_a_limit_takes_what_it_needs(void) {
    CnWorld* world = weightless();
    CnBodyDef wheel = run_body(1.0, unit_moments, zero);
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_b = run_add(world, &wheel);
    def.axes[CN_AXIS_TURN_Z] = (CnJointAxis){.motor = CN_MOTOR_VELOCITY, .target = 6.0};
    CnJointId joint = add_joint(world, &def);
    run_step(world, 1e-2);
    CHECK_NEAR(read(world, joint).velocity[CN_AXIS_TURN_Z], 6.0, 1e-8);
    run_steps(world, 1e-2, 100);
    CHECK_NEAR(read(world, joint).velocity[CN_AXIS_TURN_Z], 6.0, 1e-8);
    CHECK_NEAR(read(world, joint).position[CN_AXIS_TURN_Z], 6.0 * 1.01 - 0.03, 1e-6);
    cn_world_destroy(world);
}

// 3 m/s towards a stop 1 m away with e = 0.5: it comes back at 1.5 m/s.
static void limits_return_their_share(void) {
    CnWorld* world = weightless();
    CnBodyDef cart = run_body(1.0, unit_moments, zero);
    cart.velocity = cn_vec3(0.0, 0.0, 3.0);
    CnJointDef def = cn_joint_def_default(CN_JOINT_SLIDER);
    def.body_b = run_add(world, &cart);
    def.axes[CN_AXIS_Z] =
        (CnJointAxis){.limited = true, .lower = -1.0, .upper = 1.0, .restitution = 0.5};
    CnJointId joint = add_joint(world, &def);
    run_steps(world, 1e-3, 500);
    CHECK_NEAR(read(world, joint).velocity[CN_AXIS_Z], -1.5, 1e-8);
    CHECK(read(world, joint).position[CN_AXIS_Z] < 1.0);
    cn_world_destroy(world);
}

// Limits whose ends coincide are a lock: what turns is stopped in one step and stays where it is.
static void limits_that_coincide_lock_an_axis(void) {
    CnWorld* world = weightless();
    CnBodyDef wheel = run_body(1.0, unit_moments, zero);
    wheel.angular_velocity = cn_vec3(0.0, 0.0, 2.0);
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_b = run_add(world, &wheel);
    def.axes[CN_AXIS_TURN_Z] = (CnJointAxis){.limited = true, .lower = 0.1, .upper = 0.1};
    CnJointId joint = add_joint(world, &def);
    double worst = 0.0;
    for (int i = 0; i < 10; ++i) {
        run_step(world, 1e-2);
        worst = fmax(worst, fabs(read(world, joint).velocity[CN_AXIS_TURN_Z]));
    }
    CHECK_NEAR(worst, 0.0, 1e-9);
    CHECK_NEAR(read(world, joint).position[CN_AXIS_TURN_Z], 0.1, 1e-10);
    cn_world_destroy(world);
}

// Screws and gears keep their ratios to round-off of what they count.
static void ratios_are_exact(void) {
    CnWorld* world = weightless();
    CnBodyDef nut = run_body(1.0, unit_moments, zero);
    nut.angular_velocity = cn_vec3(0.0, 0.0, 30.0);
    CnJointDef screw = cn_joint_def_default(CN_JOINT_SCREW);
    screw.body_b = run_add(world, &nut);
    screw.pitch = 0.01;
    CnJointId joint = add_joint(world, &screw);
    run_steps(world, 1e-3, 2000);
    CnBodyState state = run_state(world, screw.body_b);
    double turns = read(world, joint).position[CN_AXIS_TURN_Z] / 6.283185307179586;
    CHECK(turns > 9.0);
    CHECK_NEAR(state.center.z, 0.01 * turns, 1e-12);
    cn_world_destroy(world);
}

// A rope that carries 30 N breaks when more than 25 N hang on it, in the first step that asks.
static void a_joint_breaks_above_its_strength(void) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = cn_vec3(0.0, 0.0, -10.0);
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = run_create(&world_def);
        CnBodyDef load = run_body(3.0, unit_moments, cn_vec3(0.0, 0.0, -1.0));
        CnJointDef def = cn_joint_def_default(CN_JOINT_ROPE);
        def.body_a = run_add(world, &load);
        def.point_a = cn_vec3(0.0, 0.0, -1.0);
        def.strength = i == 0 ? 35.0 : 25.0;
        CnJointId joint = add_joint(world, &def);
        run_steps(world, 1e-2, 100);
        CHECK_INT(read(world, joint).broken, i == 1);
        double z = run_state(world, def.body_a).center.z;
        CHECK(i == 0 ? fabs(z + 1.0) < 1e-9 : z < -5.0);
        cn_world_destroy(world);
    }
}

// The point follows the series exactly at the end of every step, and the reaction is m a + weight.
static void prescribed_motion_is_exact(void) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = cn_vec3(0.0, 0.0, -10.0);
    CnWorld* world = run_create(&world_def);
    double times[] = {0.0, 1.0, 2.0}, values[] = {0.0, 2.0, 2.0};
    CnSeriesDef lift = {.count = 3, .times = times, .values = values};
    CnBodyDef body = run_body(2.0, unit_moments, zero);
    CnJointDef def = cn_joint_def_default(CN_JOINT_SET_VELOCITY);
    def.body_a = run_add(world, &body);
    def.series = cn_world_add_series(world, &lift, NULL);
    CnJointId joint = add_joint(world, &def);
    run_steps(world, 1e-2, 50);
    CHECK_NEAR(run_state(world, def.body_a).center.z, 0.25, 1e-11); // t^2
    CHECK_NEAR(run_state(world, def.body_a).velocity.z, 1.0, 1e-9);
    CHECK_NEAR(read(world, joint).force.z, 2.0 * (10.0 + 2.0), 1e-6);
    run_steps(world, 1e-2, 100);
    CHECK_NEAR(run_state(world, def.body_a).center.z, 2.0, 1e-11);
    CHECK_NEAR(read(world, joint).force.z, 20.0, 1e-6);
    cn_world_destroy(world);
}

// A constant acceleration of 2 m/s^2 for a second on a body that moves at 3 m/s: from that velocity
// it is 4 m away and at 5 m/s, from rest 1 m and 2 m/s. Steps are exact for constant accelerations.
static void an_acceleration_starts_from_the_velocity_or_from_rest(void) {
    for (int from_rest = 0; from_rest < 2; ++from_rest) {
        CnWorld* world = weightless();
        double times[] = {0.0}, values[] = {2.0};
        CnSeriesDef constant = {.count = 1, .times = times, .values = values};
        CnBodyDef body = run_body(2.0, unit_moments, zero);
        body.velocity = cn_vec3(0.0, 0.0, 3.0);
        CnJointDef def = cn_joint_def_default(CN_JOINT_SET_ACCELERATION);
        def.body_a = run_add(world, &body);
        def.series = cn_world_add_series(world, &constant, NULL);
        def.from_rest = from_rest == 1;
        add_joint(world, &def);
        run_steps(world, 1e-2, 100);
        CnBodyState state = run_state(world, def.body_a);
        CHECK_NEAR(state.center.z, from_rest == 1 ? 1.0 : 4.0, 1e-9);
        CHECK_NEAR(state.velocity.z, from_rest == 1 ? 2.0 : 5.0, 1e-7);
        cn_world_destroy(world);
    }
}

static void removing_a_body_removes_its_joints(void) {
    CnWorld* world = weightless();
    CnBodyId body = add_tumbling(world);
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    def.body_a = body;
    def.name = "pin";
    CnJointId joint = add_joint(world, &def);
    CHECK_INT(cn_world_find_joint(world, "pin").index, joint.index);
    CHECK_INT(cn_world_remove_body(world, body), CN_OK);
    CHECK_INT(cn_world_joint_count(world), 0);
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_STALE);
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/joints", TEST(joints_keep_what_they_promise),
          TEST(a_hinge_carries_a_weight), TEST(motors_reach_their_targets),
          TEST(a_motor_without_a_limit_takes_what_it_needs), TEST(limits_return_their_share),
          TEST(limits_that_coincide_lock_an_axis), TEST(ratios_are_exact),
          TEST(a_joint_breaks_above_its_strength), TEST(prescribed_motion_is_exact),
          TEST(an_acceleration_starts_from_the_velocity_or_from_rest),
          TEST(removing_a_body_removes_its_joints))
