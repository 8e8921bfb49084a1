// test_gears.c - gears and racks on carriers that move: ratios, accelerations, books.
#include "cairn/joint.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnVec3 along_x = {1.0, 0.0, 0.0}, along_z = {0.0, 0.0, 1.0};

// Rows are projected to 1e-11 rad; angles of gears are two hinges' and the gear's own.
#define ANGLE_TOLERANCE 1e-10

static CnWorld* weightless(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.solver.tolerance = 1e-11;
    return run_create(&def);
}

static CnBodyId add_body(CnWorld* world, double mass, double moment, CnVec3 center) {
    CnBodyDef def = run_body(mass, cn_vec3(moment, moment, moment), center);
    return run_add(world, &def);
}

static CnJointId add_joint(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId joint = cn_world_add_joint(world, def, &error);
    ck_assert_msg(joint.index != 0, "%s", error.message);
    return joint;
}

static CnJointId add_bearing(CnWorld* world, CnJointType type, CnBodyId carrier, CnBodyId moved,
                             CnVec3 point, CnVec3 axis) {
    CnJointDef def = cn_joint_def_default(type);
    def.body_a = carrier;
    def.body_b = moved;
    def.point_a = point;
    def.axis = axis;
    return add_joint(world, &def);
}

typedef struct Mesh {
    CnBodyId a, b;
    CnVec3 point_a, axis_a, point_b, axis_b;
    double ratio;
} Mesh;

static CnJointId add_mesh(CnWorld* world, CnJointType type, Mesh mesh) {
    CnJointDef def = cn_joint_def_default(type);
    def.body_a = mesh.a;
    def.body_b = mesh.b;
    def.point_a = mesh.point_a;
    def.axis = mesh.axis_a;
    def.point_b = mesh.point_b;
    def.axis_b = mesh.axis_b;
    def.two_points = true;
    def.ratio = mesh.ratio;
    return add_joint(world, &def);
}

static CnJointState read(const CnWorld* world, CnJointId joint) {
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    return state;
}

static double turn_of(const CnWorld* world, CnJointId joint) {
    return read(world, joint).position[CN_AXIS_TURN_Z];
}

// A sun of radius .1, a planet of .2 on a carrier, all tumbling in space, nothing held: as seen
// from the carrier the sun has turned twice as far as the planet, and the other way.
static void wheels_keep_their_ratio_on_a_tumbling_carrier(void) {
    CnWorld* world = weightless();
    CnVec3 at = cn_vec3(0.3, 0.0, 0.0);
    CnBodyDef frame = run_body(2.0, cn_vec3(0.2, 0.3, 0.4), cn_vec3(0.1, 0.1, 0.0));
    frame.angular_velocity = cn_vec3(1.0, -0.7, 2.0);
    CnBodyId carrier = run_add(world, &frame);
    CnBodyId sun = add_body(world, 0.5, 0.01, zero), planet = add_body(world, 0.8, 0.02, at);
    CnJointId first = add_bearing(world, CN_JOINT_HINGE, carrier, sun, zero, along_z);
    CnJointId second = add_bearing(world, CN_JOINT_HINGE, carrier, planet, at, along_z);
    add_mesh(world, CN_JOINT_GEAR, (Mesh){sun, planet, zero, along_z, at, along_z, 2.0});
    CnJointAxis motor = {.motor = CN_MOTOR_VELOCITY, .target = 30.0, .max_force = 2.0};
    CHECK_INT(cn_joint_set_axis(world, first, CN_AXIS_TURN_Z, &motor, NULL), CN_OK);
    run_steps(world, 1e-3, UNDER_SANITIZER ? 100 : 1000);
    double a = turn_of(world, first), b = turn_of(world, second);
    CHECK(UNDER_SANITIZER || a > 15.0);
    CHECK_NEAR(a + 2.0 * b, 0.0, ANGLE_TOLERANCE);
    CHECK_NEAR(b / a, -0.5, 1e-12 + ANGLE_TOLERANCE / fabs(a));
    cn_world_destroy(world);
}

// Sun of radius .1, three planets of .1 and a ring of .3 that does not turn: the carrier makes a
// quarter of the sun's turns, planets turn half as fast the other way. With T on the sun, I of all
// bodies .01 and planets of 1 kg at .2 m:
// w_sun' = T / (.01 + (.01 + 3 . 1 . .04) / 16 + 3 . .01 / 4).
static void a_planetary_gear_divides_by_four(void) {
    const double torque = 0.5, moment = 0.01, h = 1e-3;
    const double sum = moment + (moment + 3.0 * 0.04) / 16.0 + 3.0 * moment / 4.0;
    CnWorld* world = weightless();
    CnBodyId none = {0}, sun = add_body(world, 1.0, moment, zero);
    CnBodyId carrier = add_body(world, 1.0, moment, zero);
    CnJointId first = add_bearing(world, CN_JOINT_HINGE, none, sun, zero, along_z);
    CnJointId last = add_bearing(world, CN_JOINT_HINGE, none, carrier, zero, along_z);
    for (int i = 0; i < 3; ++i) {
        double angle = 2.0 * CN_PI * i / 3.0;
        CnVec3 at = cn_vec3(0.2 * cn_cos(angle), 0.2 * cn_sin(angle), 0.0);
        CnBodyId planet = add_body(world, 1.0, moment, at);
        add_bearing(world, CN_JOINT_HINGE, carrier, planet, at, along_z);
        add_mesh(world, CN_JOINT_GEAR, (Mesh){sun, planet, zero, along_z, at, along_z, 1.0});
        add_mesh(world, CN_JOINT_GEAR, (Mesh){planet, none, at, along_z, zero, along_z, -3.0});
    }
    CnForceDef force = cn_force_def_default();
    force.body = sun;
    force.torque = cn_vec3(0.0, 0.0, torque);
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_steps(world, h, 1000);
    double turned = turn_of(world, first), expected = 0.5 * torque / sum;
    CHECK_NEAR(turn_of(world, last) / turned, 0.25, 1e-12 + ANGLE_TOLERANCE / turned);
    // A step of w h is a chord: it turns by (w h)^2 / 12 less per radian, and loses as much speed.
    double rate = torque / sum / 4.0 * h;
    CHECK_NEAR(turned, expected, expected * rate * rate);
    cn_world_destroy(world);
}

// A cage that turns, two side wheels on its axis, a bevel wheel across it that meshes with both:
// the cage has the mean of the two turns, whatever brakes one of them.
static void a_differential_shares_its_turns(void) {
    CnWorld* world = weightless();
    CnVec3 up = cn_vec3(0.0, 0.0, 0.1), down = cn_vec3(0.0, 0.0, -0.1);
    CnBodyId none = {0}, cage = add_body(world, 3.0, 0.05, zero);
    CnBodyId left = add_body(world, 1.0, 0.02, up), right = add_body(world, 1.0, 0.03, down);
    CnBodyId spider = add_body(world, 0.5, 0.005, cn_vec3(0.1, 0.0, 0.0));
    CnJointId drive = add_bearing(world, CN_JOINT_HINGE, none, cage, zero, along_z);
    CnJointId sides[2] = {add_bearing(world, CN_JOINT_HINGE, none, left, up, along_z),
                          add_bearing(world, CN_JOINT_HINGE, none, right, down, along_z)};
    add_bearing(world, CN_JOINT_HINGE, cage, spider, zero, along_x);
    add_mesh(world, CN_JOINT_GEAR, (Mesh){left, spider, up, along_z, zero, along_x, 1.0});
    add_mesh(world, CN_JOINT_GEAR, (Mesh){right, spider, down, along_z, zero, along_x, -1.0});
    CnJointAxis motor = {.motor = CN_MOTOR_VELOCITY, .target = 20.0, .max_force = 3.0};
    CnJointAxis brake = {.friction = 0.7};
    CHECK_INT(cn_joint_set_axis(world, drive, CN_AXIS_TURN_Z, &motor, NULL), CN_OK);
    CHECK_INT(cn_joint_set_axis(world, sides[0], CN_AXIS_TURN_Z, &brake, NULL), CN_OK);
    run_steps(world, 1e-3, UNDER_SANITIZER ? 100 : 1000);
    double a = turn_of(world, sides[0]), b = turn_of(world, sides[1]), c = turn_of(world, drive);
    CHECK(UNDER_SANITIZER || (c > 5.0 && b - a > 1.0)); // it is the free side that turns
    CHECK_NEAR(a + b, 2.0 * c, ANGLE_TOLERANCE);
    cn_world_destroy(world);
}

// A rack along x and its pinion of .05 m about z on one sledge that tumbles.
static void a_rack_keeps_its_ratio_on_a_tumbling_sledge(void) {
    CnWorld* world = weightless();
    CnBodyDef frame = run_body(3.0, cn_vec3(0.3, 0.2, 0.4), zero);
    frame.angular_velocity = cn_vec3(0.5, 1.0, -0.8);
    CnVec3 at = cn_vec3(0.0, -0.05, 0.0);
    CnBodyId sledge = run_add(world, &frame), pinion = add_body(world, 0.5, 0.002, zero);
    CnBodyId rack = add_body(world, 1.0, 0.05, at);
    CnJointId hinge = add_bearing(world, CN_JOINT_HINGE, sledge, pinion, zero, along_z);
    CnJointId slide = add_bearing(world, CN_JOINT_SLIDER, sledge, rack, at, along_x);
    add_mesh(world, CN_JOINT_RACK_AND_PINION,
             (Mesh){pinion, rack, zero, along_z, at, along_x, 0.05});
    CnJointAxis motor = {.motor = CN_MOTOR_VELOCITY, .target = 8.0, .max_force = 0.5};
    CHECK_INT(cn_joint_set_axis(world, hinge, CN_AXIS_TURN_Z, &motor, NULL), CN_OK);
    run_steps(world, 1e-3, UNDER_SANITIZER ? 100 : 1000);
    double turned = turn_of(world, hinge), moved = read(world, slide).position[CN_AXIS_Z];
    CHECK(UNDER_SANITIZER || turned > 4.0);
    CHECK_NEAR(moved, 0.05 * turned, ANGLE_TOLERANCE);
    cn_world_destroy(world);
}

// On bearings that do not move, gears seen from there and from the world are the same.
static void a_gear_on_fixed_bearings_is_the_same_either_way(void) {
    double turns[2];
    CnVec3 at = cn_vec3(0.0, 0.3, 0.0);
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = weightless();
        CnBodyId none = {0}, first = add_body(world, 1.0, 0.01, zero);
        CnBodyId second = add_body(world, 1.0, 0.04, at);
        CnJointId hinge = add_bearing(world, CN_JOINT_HINGE, none, first, zero, along_z);
        add_bearing(world, CN_JOINT_HINGE, none, second, at, along_z);
        CnJointDef def = cn_joint_def_default(CN_JOINT_GEAR);
        def.body_a = first;
        def.body_b = second;
        def.axis_b = along_z;
        def.point_b = at;
        def.two_points = i == 1;
        def.ratio = 2.0;
        add_joint(world, &def);
        CnJointAxis motor = {.motor = CN_MOTOR_VELOCITY, .target = 50.0, .max_force = 0.3};
        CHECK_INT(cn_joint_set_axis(world, hinge, CN_AXIS_TURN_Z, &motor, NULL), CN_OK);
        run_steps(world, 1e-3, 500);
        turns[i] = turn_of(world, hinge);
        cn_world_destroy(world);
    }
    CHECK_NEAR(turns[0], 0.5 * 0.3 / (0.01 + 0.04 / 4.0) * 0.25, 1e-9);
    CHECK_NEAR(turns[1], turns[0], 1e-9);
}

static void gears_without_a_line_between_them_are_refused(void) {
    CnWorld* world = weightless();
    CnError error = {0};
    CnJointDef def = cn_joint_def_default(CN_JOINT_GEAR);
    def.body_a = add_body(world, 1.0, 1.0, zero);
    def.body_b = add_body(world, 1.0, 1.0, zero);
    def.axis_b = along_z;
    def.point_b = cn_vec3(0.0, 0.0, 1.0);
    def.two_points = true;
    CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    CHECK(strstr(error.message, "one axis") != NULL);
    def.type = CN_JOINT_RACK_AND_PINION;
    CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    CHECK(strstr(error.message, "across") != NULL);
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/gears", TEST(wheels_keep_their_ratio_on_a_tumbling_carrier),
          TEST(a_planetary_gear_divides_by_four), TEST(a_differential_shares_its_turns),
          TEST(a_rack_keeps_its_ratio_on_a_tumbling_sledge),
          TEST(a_gear_on_fixed_bearings_is_the_same_either_way),
          TEST(gears_without_a_line_between_them_are_refused))
