// test_mimic.c - axes that follow those of other joints: docs/theory/joints.md (19)-(21).
#include "cairn/attribution.h"
#include "cairn/diagnostics.h"
#include "cairn/joint.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT 0.005 // [s]

typedef struct Scheme {
    const char* name;
    CnScheme scheme;
    CnIntegrator integrator;
} Scheme;

static const Scheme schemes[] = {
    {"moreau", CN_SCHEME_MOREAU, CN_INTEGRATOR_RK4},
    {"implicit", CN_SCHEME_IMPLICIT, CN_INTEGRATOR_RK4},
    {"acceleration, rk4", CN_SCHEME_ACCELERATION, CN_INTEGRATOR_RK4},
};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static CnWorld* create(Scheme scheme, CnVec3 gravity) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = gravity;
    def.step.scheme = scheme.scheme;
    def.step.integrator = scheme.integrator;
    def.step.attribution = true;
    def.solver.tolerance = 1e-12;
    return run_create(&def);
}

static const CnVec3 weightless = {0.0, 0.0, 0.0};

static CnJointId add(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId id = cn_world_add_joint(world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

// Between two bodies, or the world and a body, at a point.
static CnJointId add_joint(CnWorld* world, CnJointType type, CnBodyId a, CnBodyId b, CnVec3 point,
                           CnVec3 axis, const char* name) {
    CnJointDef def = cn_joint_def_default(type);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = axis;
    return add(world, &def);
}

static CnJointDef mimic_def(CnJointId leader, CnAxis leader_axis, CnJointId follower,
                            CnAxis follower_axis, double ratio, double offset) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_MIMIC);
    def.name = "mimic";
    def.leader = leader;
    def.leader_axis = leader_axis;
    def.follower = follower;
    def.follower_axis = follower_axis;
    def.ratio = ratio;
    def.offset = offset;
    return def;
}

static CnJointId add_mimic(CnWorld* world, CnJointId leader, CnAxis leader_axis, CnJointId follower,
                           CnAxis follower_axis, double ratio, double offset) {
    CnJointDef def = mimic_def(leader, leader_axis, follower, follower_axis, ratio, offset);
    return add(world, &def);
}

static void drive(CnWorld* world, CnJointId joint, CnAxis axis, CnMotor motor, double target) {
    CnJointAxis settings = {.motor = motor, .target = target};
    CnError error = {0};
    ck_assert_msg(cn_joint_set_axis(world, joint, axis, &settings, &error) == CN_OK, "%s",
                  error.message);
}

static CnJointState read(const CnWorld* world, CnJointId joint) {
    CnJointState state;
    CHECK(cn_joint_read(world, joint, &state) == CN_OK);
    return state;
}

static CnBodyId add_body(CnWorld* world, double mass, CnVec3 moments, CnVec3 position) {
    CnBodyDef def = run_body(mass, moments, position);
    return run_add(world, &def);
}

static const CnBodyId none = {0};
static const CnVec3 x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0}, z_axis = {0.0, 0.0, 1.0};

// ---- two flywheels on the world ----

typedef struct Flywheels {
    CnWorld* world;
    CnJointId leader, follower, mimic;
} Flywheels;

#define I1 2.0
#define I2 0.3

static Flywheels flywheels(Scheme scheme, double ratio, double offset) {
    Flywheels own = {.world = create(scheme, weightless)};
    CnBodyId first = add_body(own.world, 1.0, cn_vec3(1.5, 1.5, I1), cn_vec3(0.0, 0.0, 0.0));
    CnBodyId second = add_body(own.world, 1.0, cn_vec3(0.2, I2, 0.2), cn_vec3(1.0, 0.0, 0.0));
    own.leader = add_joint(own.world, CN_JOINT_HINGE, none, first, weightless, z_axis, "first");
    own.follower = add_joint(own.world, CN_JOINT_HINGE, none, second, cn_vec3(1.0, 0.0, 0.0),
                             y_axis, "second");
    own.mimic = add_mimic(own.world, own.leader, CN_AXIS_TURN_Z, own.follower, CN_AXIS_TURN_Z,
                          ratio, offset);
    return own;
}

// tau = (I1 + r^2 I2) alpha, and what the mimic carries is the torque that turns the second wheel.
static void a_torque_feels_both_flywheels(void) {
    const double ratio = -2.5, torque = 1.7;
    double alpha = torque / (I1 + ratio * ratio * I2);
    for (int s = 0; s < SCHEMES; ++s) {
        Flywheels own = flywheels(schemes[s], ratio, 0.0);
        drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_FORCE, torque);
        run_steps(own.world, DT, 200); // 1 s: the second wheel makes more than a turn
        CnJointState leader = read(own.world, own.leader), follower = read(own.world, own.follower);
        CnJointState mimic = read(own.world, own.mimic);
        CHECK_NEAR(leader.velocity[CN_AXIS_TURN_Z], alpha, 1e-10);
        CHECK_NEAR(follower.velocity[CN_AXIS_TURN_Z], ratio * alpha, 1e-10);
        CHECK_NEAR(follower.position[CN_AXIS_TURN_Z], ratio * leader.position[CN_AXIS_TURN_Z],
                   1e-10);
        CHECK_NEAR(mimic.axis_force[CN_AXIS_TURN_Z], I2 * ratio * alpha, 1e-9);
        CHECK_NEAR(mimic.position[CN_AXIS_TURN_Z], follower.position[CN_AXIS_TURN_Z], 1e-15);
        CHECK_NEAR(mimic.velocity[CN_AXIS_TURN_Z], follower.velocity[CN_AXIS_TURN_Z], 1e-15);
        cn_world_destroy(own.world);
    }
}

// The follower may be driven as well: leader and follower are only names.
static void driving_the_follower_moves_the_leader(void) {
    Flywheels own = flywheels(schemes[0], 4.0, 0.0);
    drive(own.world, own.follower, CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, 2.0);
    run_steps(own.world, DT, 400);
    CHECK_NEAR(read(own.world, own.leader).velocity[CN_AXIS_TURN_Z], 0.5, 1e-10);
    CHECK_NEAR(read(own.world, own.leader).position[CN_AXIS_TURN_Z], 1.0, 2.0 * DT);
    cn_world_destroy(own.world);
}

// The offset is reached by the correction of positions in the first step and kept from then on.
static void an_offset_is_kept(void) {
    for (int s = 0; s < 2; ++s) {
        Flywheels own = flywheels(schemes[s], 1.5, 0.4);
        drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, 3.0);
        run_steps(own.world, DT, 2000); // 10 s, 30 rad
        CnJointState leader = read(own.world, own.leader), follower = read(own.world, own.follower);
        CHECK(leader.position[CN_AXIS_TURN_Z] > 25.0);
        CHECK_NEAR(follower.position[CN_AXIS_TURN_Z], 1.5 * leader.position[CN_AXIS_TURN_Z] + 0.4,
                   1e-10);
        CHECK_NEAR(read(own.world, own.mimic).angle_error, 0.0, 1e-10);
        cn_world_destroy(own.world);
    }
}

// ---- mechanisms that fly ----

// A gripper: a palm, a slider for each of two fingers, the second mirrors the first. Nothing else
// holds it: momentum stays zero while the motor of one finger closes both.
typedef struct Gripper {
    CnWorld* world;
    CnBodyId palm, fingers[2];
    CnJointId slides[2], mimic;
} Gripper;

static Gripper gripper(Scheme scheme, CnVec3 gravity) {
    Gripper own = {.world = create(scheme, gravity)};
    own.palm = add_body(own.world, 2.0, cn_vec3(0.02, 0.03, 0.04), cn_vec3(0.0, 0.0, 0.0));
    for (int i = 0; i < 2; ++i) {
        CnVec3 place = cn_vec3(0.1, i == 0 ? -0.1 : 0.1, 0.02);
        own.fingers[i] = add_body(own.world, 0.3, cn_vec3(1e-3, 2e-3, 3e-3), place);
        own.slides[i] = add_joint(own.world, CN_JOINT_SLIDER, own.palm, own.fingers[i], place,
                                  y_axis, i == 0 ? "left" : "right");
    }
    own.mimic = add_mimic(own.world, own.slides[0], CN_AXIS_Z, own.slides[1], CN_AXIS_Z, -1.0, 0.0);
    return own;
}

// Symmetric masses: the palm does not move, each finger carries half of the motor's force.
static void fingers_of_a_flying_gripper_close_alike(void) {
    const double force = 0.6, mass = 0.3;
    for (int s = 0; s < SCHEMES; ++s) {
        Gripper own = gripper(schemes[s], weightless);
        drive(own.world, own.slides[0], CN_AXIS_Z, CN_MOTOR_FORCE, force);
        run_steps(own.world, DT, 60); // 0.3 s
        CnBodyState left = run_state(own.world, own.fingers[0]);
        CnBodyState right = run_state(own.world, own.fingers[1]);
        double speed = 0.5 * force / mass * 0.3;
        CHECK_NEAR(left.velocity.y, speed, 1e-10);
        CHECK_NEAR(right.velocity.y, -speed, 1e-10);
        CHECK_NEAR(run_state(own.world, own.palm).velocity.y, 0.0, 1e-10);
        CHECK_NEAR(read(own.world, own.mimic).axis_force[CN_AXIS_Z], -0.5 * force, 1e-9);
        cn_world_destroy(own.world);
    }
}

// Rows on three bodies that all move: what a finger gets, the palm and the other finger give.
static void internal_forces_cancel(void) {
    Gripper own = gripper(schemes[0], weightless);
    CnStepReport report;
    drive(own.world, own.slides[0], CN_AXIS_Z, CN_MOTOR_FORCE, 0.6);
    for (int i = 0; i < 40; ++i) {
        report = run_step(own.world, DT); // checks both ledgers
        CHECK(report.momentum.internal_error < 1e-12);
        CHECK_NEAR(cn_vec3_length(report.momentum.linear_external), 0.0, 1e-15);
    }
    CnAttribution shares[64];
    CnChannelShare totals[CN_CHANNEL_COUNT] = {0};
    int count = cn_world_attribution(own.world, shares, 64);
    cn_attribution_sum(shares, count, CN_ALL_ISLANDS, totals);
    CHECK_NEAR(cn_attribution_error(totals, &report), 0.0, 1e-12);
    CHECK(totals[CN_CHANNEL_TRANSMISSION].impulse != 0.0);
    cn_world_destroy(own.world);
}

// A rack from a slide and a hinge on a sled that moves itself: x = r phi, four bodies.
static void a_slide_and_a_hinge_make_a_rack(void) {
    const double radius = 0.04;
    for (int s = 0; s < SCHEMES; ++s) {
        CnWorld* world = create(schemes[s], cn_vec3(0.0, 0.0, -9.81));
        CnBodyId sled = add_body(world, 5.0, cn_vec3(0.5, 0.5, 0.5), cn_vec3(0.0, 0.0, 0.0));
        CnBodyId cart = add_body(world, 1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(0.0, 1.0, 0.0));
        CnBodyId pinion = add_body(world, 0.2, cn_vec3(1e-3, 1e-3, 1e-3), cn_vec3(0.1, 0.0, 0.1));
        CnBodyId rack = add_body(world, 0.4, cn_vec3(1e-2, 1e-2, 1e-2), cn_vec3(0.2, 1.0, 0.1));
        add_joint(world, CN_JOINT_SLIDER, none, sled, weightless, x_axis, "rail");
        add_joint(world, CN_JOINT_SLIDER, none, cart, cn_vec3(0.0, 1.0, 0.0), x_axis, "rail_2");
        CnJointId hinge = add_joint(world, CN_JOINT_HINGE, sled, pinion, cn_vec3(0.1, 0.0, 0.1),
                                    y_axis, "pinion");
        CnJointId slide =
            add_joint(world, CN_JOINT_SLIDER, cart, rack, cn_vec3(0.2, 1.0, 0.1), z_axis, "rack");
        add_mimic(world, hinge, CN_AXIS_TURN_Z, slide, CN_AXIS_Z, radius, 0.0);
        run_steps(world, DT, 40);                // 0.2 s: the rack falls and turns the pinion
        double alone = 1e-3 / (radius * radius); // the pinion's inertia as a mass on the rack
        double speed = -0.4 * 9.81 / (0.4 + alone) * 0.2;
        CHECK_NEAR(read(world, slide).velocity[CN_AXIS_Z], speed, 1e-9);
        CHECK_NEAR(read(world, hinge).velocity[CN_AXIS_TURN_Z], speed / radius, 1e-8);
        cn_world_destroy(world);
    }
}

// Three links in a row, the second and the third follow: three bodies for each mimic. The motor of
// the first curls all of them; after 10 s they are still right.
static void a_chain_of_mimics_curls_a_finger(void) {
    const double ratios[2] = {0.8, 1.25};
    for (int s = 0; s < 2; ++s) {
        CnWorld* world = create(schemes[s], cn_vec3(0.0, 0.0, -9.81));
        CnBodyId before = none;
        CnJointId hinges[3];
        for (int i = 0; i < 3; ++i) {
            CnBodyId link =
                add_body(world, 0.2, cn_vec3(1e-4, 3e-4, 3e-4), cn_vec3(0.05 + 0.1 * i, 0.0, 0.0));
            hinges[i] = add_joint(world, CN_JOINT_HINGE, before, link, cn_vec3(0.1 * i, 0.0, 0.0),
                                  y_axis, NULL);
            before = link;
        }
        for (int i = 0; i < 2; ++i) {
            add_mimic(world, hinges[i], CN_AXIS_TURN_Z, hinges[i + 1], CN_AXIS_TURN_Z, ratios[i],
                      0.0);
        }
        drive(world, hinges[0], CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, -0.5);
        double worst = 0.0;
        for (int i = 0; i < 2000; ++i) {
            worst = fmax(worst, run_step(world, DT).joint_angle_error);
        }
        double first = read(world, hinges[0]).position[CN_AXIS_TURN_Z];
        CHECK_NEAR(first, -5.0, DT); // the first step reaches the speed
        CHECK_NEAR(read(world, hinges[1]).position[CN_AXIS_TURN_Z], 0.8 * first, 1e-10);
        CHECK_NEAR(read(world, hinges[2]).position[CN_AXIS_TURN_Z], first, 1e-10);
        CHECK_NEAR(worst, 0.0, 1e-10);
        cn_world_destroy(world);
    }
}

// Two axes of one joint: a cylindrical joint becomes a screw.
static void two_axes_of_one_joint_make_a_screw(void) {
    CnWorld* world = create(schemes[0], cn_vec3(0.0, 0.0, -9.81));
    CnBodyId nut = add_body(world, 2.0, cn_vec3(0.1, 0.1, 0.05), weightless);
    CnJointId thread =
        add_joint(world, CN_JOINT_CYLINDRICAL, none, nut, weightless, z_axis, "thread");
    add_mimic(world, thread, CN_AXIS_TURN_Z, thread, CN_AXIS_Z, 0.1, 0.0);
    run_steps(world, DT, 100); // 0.5 s; the turn adds a mass of I / lead^2
    double speed = -2.0 * 9.81 / (2.0 + 0.05 / 0.01) * 0.5;
    CHECK_NEAR(read(world, thread).velocity[CN_AXIS_Z], speed, 1e-9);
    cn_world_destroy(world);
}

static void quasi_static_steps_follow_too(void) {
    Scheme scheme = {"quasi_static", CN_SCHEME_QUASI_STATIC, CN_INTEGRATOR_RK4};
    Flywheels own = flywheels(scheme, 0.5, 0.1);
    drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, 1.0);
    run_steps(own.world, DT, 200);
    CnJointState leader = read(own.world, own.leader), follower = read(own.world, own.follower);
    CHECK(leader.position[CN_AXIS_TURN_Z] > 0.9);
    CHECK_NEAR(follower.position[CN_AXIS_TURN_Z], 0.5 * leader.position[CN_AXIS_TURN_Z] + 0.1,
               1e-10);
    cn_world_destroy(own.world);
}

static void soft_steps_refuse_it_with_a_sentence(void) {
    CnWorldDef def = cn_world_def_real_time();
    CnError error = {0};
    Flywheels own = {.world = run_create(&def)};
    CnBodyId wheel = add_body(own.world, 1.0, cn_vec3(1.0, 1.0, 1.0), weightless);
    own.leader =
        add_joint(own.world, CN_JOINT_CYLINDRICAL, none, wheel, weightless, z_axis, "wheel");
    own.mimic = add_mimic(own.world, own.leader, CN_AXIS_Z, own.leader, CN_AXIS_TURN_Z, 1.0, 0.0);
    CHECK_INT(cn_world_step(own.world, DT, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "soft_step does not take joint \"mimic\" of type mimic");
    CHECK(cn_joint_set_enabled(own.world, own.mimic, false) == CN_OK);
    CHECK_INT(cn_world_step(own.world, DT, NULL, &error), CN_OK);
    cn_world_destroy(own.world);
}

// A mimic with compliance gives way: C = -compliance torque, between a brake and a torque.
static void a_soft_mimic_gives_way(void) {
    Flywheels own = flywheels(schemes[0], 1.0, 0.0);
    CnKeeping keep = {.compliance_turn = 1e-3, .alpha = 10.0, .beta = 10.0};
    CHECK(cn_joint_set_keeping(own.world, own.mimic, &keep, NULL) == CN_OK);
    CnJointAxis brake = {.motor = CN_MOTOR_VELOCITY};
    CHECK(cn_joint_set_axis(own.world, own.follower, CN_AXIS_TURN_Z, &brake, NULL) == CN_OK);
    drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_FORCE, 2.0);
    CnJointAxis damped = {.motor = CN_MOTOR_FORCE, .target = 2.0, .spring_damping = 30.0};
    CHECK(cn_joint_set_axis(own.world, own.leader, CN_AXIS_TURN_Z, &damped, NULL) == CN_OK);
    run_steps(own.world, DT, 2000);
    CHECK_NEAR(read(own.world, own.leader).position[CN_AXIS_TURN_Z], 2.0 * 1e-3, 1e-9);
    cn_world_destroy(own.world);
}

// ---- changes ----

static void a_ratio_can_be_changed(void) {
    Flywheels own = flywheels(schemes[0], 2.0, 0.0);
    CnError error = {0};
    CnJointInfo info;
    drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, 1.0);
    run_steps(own.world, DT, 20);
    CHECK(cn_joint_set_ratio(own.world, own.mimic, 0.5, 0.3, &error) == CN_OK);
    run_steps(own.world, DT, 20);
    CnJointState leader = read(own.world, own.leader), follower = read(own.world, own.follower);
    CHECK_NEAR(follower.position[CN_AXIS_TURN_Z], 0.5 * leader.position[CN_AXIS_TURN_Z] + 0.3,
               1e-10);
    CHECK(cn_joint_info(own.world, own.mimic, &info) == CN_OK);
    CHECK_NEAR(info.ratio, 0.5, 0.0);
    CHECK_NEAR(info.offset, 0.3, 0.0);
    CHECK_INT(info.leader.index, own.leader.index);
    CHECK_INT(info.follower.index, own.follower.index);
    CHECK_INT(info.follower_axis, CN_AXIS_TURN_Z);
    CHECK(cn_joint_set_ratio(own.world, own.mimic, 0.0, 0.0, &error) == CN_INVALID);
    CHECK_CONTAINS(error.message, "ratio is 0");
    CHECK(cn_joint_set_ratio(own.world, own.leader, 1.0, 0.0, &error) == CN_INVALID);
    CHECK_CONTAINS(error.message, "\"first\" (hinge) is no mimic");
    cn_world_destroy(own.world);
}

static void mimics_rest_while_a_joint_is_off(void) {
    Flywheels own = flywheels(schemes[0], 2.0, 0.0);
    drive(own.world, own.leader, CN_AXIS_TURN_Z, CN_MOTOR_VELOCITY, 1.0);
    CHECK(cn_joint_set_enabled(own.world, own.mimic, false) == CN_OK);
    run_steps(own.world, DT, 20);
    CHECK_NEAR(read(own.world, own.follower).velocity[CN_AXIS_TURN_Z], 0.0, 1e-15);
    CHECK(cn_joint_set_enabled(own.world, own.mimic, true) == CN_OK);
    CHECK(cn_joint_set_enabled(own.world, own.follower, false) == CN_OK);
    run_steps(own.world, DT, 20);
    CHECK_NEAR(read(own.world, own.mimic).axis_force[CN_AXIS_TURN_Z], 0.0, 0.0);
    CHECK(cn_joint_set_enabled(own.world, own.follower, true) == CN_OK);
    run_steps(own.world, DT, 20);
    CnJointState leader = read(own.world, own.leader), follower = read(own.world, own.follower);
    CHECK_NEAR(follower.position[CN_AXIS_TURN_Z], 2.0 * leader.position[CN_AXIS_TURN_Z], 1e-10);
    cn_world_destroy(own.world);
}

static void a_mimic_goes_with_its_joints(void) {
    Gripper own = gripper(schemes[0], weightless);
    CHECK_INT(cn_world_joint_count(own.world), 3);
    CHECK(cn_world_remove_joint(own.world, own.mimic) == CN_OK);
    own.mimic = add_mimic(own.world, own.slides[0], CN_AXIS_Z, own.slides[1], CN_AXIS_Z, 1.0, 0.0);
    CHECK(cn_world_remove_joint(own.world, own.slides[0]) == CN_OK);
    CHECK_INT(cn_world_joint_count(own.world), 1);
    CHECK_INT(cn_joint_type(own.world, own.mimic), CN_JOINT_TYPE_COUNT);
    run_steps(own.world, DT, 3);
    cn_world_destroy(own.world);
    own = gripper(schemes[0], weightless);
    CHECK(cn_world_remove_body(own.world, own.fingers[1]) == CN_OK);
    CHECK_INT(cn_world_joint_count(own.world), 1);
    run_steps(own.world, DT, 3);
    cn_world_destroy(own.world);
}

// The same bits after a state is loaded, and in a clone.
static void states_carry_mimics(void) {
    Gripper own = gripper(schemes[0], cn_vec3(0.0, 0.0, -9.81));
    void* bytes = NULL;
    size_t size = 0;
    drive(own.world, own.slides[0], CN_AXIS_Z, CN_MOTOR_FORCE, 0.6);
    run_steps(own.world, DT, 10);
    CHECK(cn_joint_set_ratio(own.world, own.mimic, -0.7, 0.01, NULL) == CN_OK);
    run_steps(own.world, DT, 10);
    CHECK(cn_world_save_state_memory(own.world, &bytes, &size, NULL) == CN_OK);
    CnWorld* clone = cn_world_clone(own.world, NULL, NULL);
    run_steps(own.world, DT, 10);
    uint64_t expected = cn_world_hash(own.world);
    run_steps(clone, DT, 10);
    CHECK(cn_world_hash(clone) == expected);
    CHECK(cn_joint_set_ratio(own.world, own.mimic, 1.0, 0.0, NULL) == CN_OK);
    CHECK(cn_world_load_state_memory(own.world, bytes, size, NULL) == CN_OK);
    run_steps(own.world, DT, 10);
    CHECK(cn_world_hash(own.world) == expected);
    cn_world_release_state(own.world, bytes);
    cn_world_destroy(clone);
    cn_world_destroy(own.world);
}

static void check_refused(CnWorld* world, CnJointDef def, CnStatus status, const char* words) {
    CnError error = {0};
    int count = cn_world_joint_count(world);
    CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    CHECK_INT(error.status, status);
    CHECK_CONTAINS(error.message, words);
    CHECK_INT(cn_world_joint_count(world), count);
}

static void mistakes_are_refused(void) {
    Flywheels own = flywheels(schemes[0], 2.0, 0.0);
    CnBodyId third = add_body(own.world, 1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 3.0, 0.0));
    CnJointId last =
        add_joint(own.world, CN_JOINT_HINGE, none, third, cn_vec3(0.0, 3.0, 0.0), z_axis, "third");
    const CnAxis turn = CN_AXIS_TURN_Z;
    CnJointId missing = {77, 1};
    check_refused(own.world, mimic_def(missing, turn, own.follower, turn, 1.0, 0.0), CN_STALE,
                  "the leader of the mimic does not exist");
    check_refused(own.world, mimic_def(own.leader, turn, missing, turn, 1.0, 0.0), CN_STALE,
                  "the follower of the mimic does not exist");
    check_refused(own.world, mimic_def(own.leader, CN_AXIS_X, last, turn, 1.0, 0.0), CN_INVALID,
                  "axis x of the leader, joint \"first\" (hinge), is not free");
    check_refused(own.world, mimic_def(own.leader, turn, own.mimic, turn, 1.0, 0.0), CN_INVALID,
                  "axis turn_z of the follower, joint \"mimic\" (mimic), is not free");
    check_refused(own.world, mimic_def(last, turn, last, turn, 1.0, 0.0), CN_INVALID,
                  "cannot follow itself");
    check_refused(own.world, mimic_def(own.leader, turn, last, turn, 0.0, 0.0), CN_INVALID,
                  "ratio is 0");
    check_refused(own.world, mimic_def(own.leader, turn, last, turn, 1.0, (double)NAN), CN_INVALID,
                  "offset is nan");
    CnJointDef soft = mimic_def(own.leader, turn, last, turn, 1.0, 0.0);
    soft.keep.compliance = 1e-3; // the follower's axis is an angle
    check_refused(own.world, soft, CN_INVALID, "keeps no length that could give way");
    CnJointDef bodies = mimic_def(own.leader, turn, last, turn, 1.0, 0.0);
    bodies.body_a = third;
    check_refused(own.world, bodies, CN_INVALID, "a mimic has no bodies of its own");
    // third = 3 second = 6 first: 6 closes the cycle, anything else contradicts it
    add_mimic(own.world, own.follower, turn, last, turn, 3.0, 0.1);
    check_refused(own.world, mimic_def(own.leader, turn, last, turn, 5.0, 0.1), CN_INVALID,
                  "already follows axis turn_z of joint \"first\" with ratio 6 and offset 0.1");
    check_refused(own.world, mimic_def(last, turn, own.leader, turn, 1.0 / 6.0, 0.0), CN_INVALID,
                  "contradict the other mimics");
    CnJointId closing = add_mimic(own.world, own.leader, turn, last, turn, 6.0, 0.1);
    CHECK(cn_joint_set_ratio(own.world, closing, 7.0, 0.1, NULL) == CN_INVALID);
    drive(own.world, own.leader, turn, CN_MOTOR_VELOCITY, 0.1);
    run_steps(own.world, DT, 20); // one row too many, which contradicts nothing
    CHECK_NEAR(read(own.world, last).velocity[turn], 0.6, 1e-9);
    cn_world_destroy(own.world);
}

TEST_MAIN("physics/joints/mimic", TEST(a_torque_feels_both_flywheels),
          TEST(driving_the_follower_moves_the_leader), TEST(an_offset_is_kept),
          TEST(fingers_of_a_flying_gripper_close_alike), TEST(internal_forces_cancel),
          TEST(a_slide_and_a_hinge_make_a_rack), TEST(a_chain_of_mimics_curls_a_finger),
          TEST(two_axes_of_one_joint_make_a_screw), TEST(quasi_static_steps_follow_too),
          TEST(soft_steps_refuse_it_with_a_sentence), TEST(a_soft_mimic_gives_way),
          TEST(a_ratio_can_be_changed), TEST(mimics_rest_while_a_joint_is_off),
          TEST(a_mimic_goes_with_its_joints), TEST(states_carry_mimics), TEST(mistakes_are_refused))
