// test_joint_readings.c - U and R of joints along {t1, t2, n}: known answers, either body order.
#include "cairn/joint.h"
#include "support/run.h"

#define MASS 2.0     // [kg]
#define GRAVITY 10.0 // [m/s^2], along -z of the scene
#define WEIGHT (MASS * GRAVITY)
#define STEP 1e-3 // [s]

// Forces are impulses over the step, which the solver's 1e-10 m/s leaves to 2 kg / 1 ms.
#define FORCE_TOLERANCE 1e-6 // [N and N m]

// One body on one joint to the world, or to a second body that nothing moves.
typedef struct Setting {
    CnQuat turn;    // of the whole scene
    bool swapped;   // the body is B of the joint
    bool anchored;  // the other side is a static body in place of the world
    CnVec3 spin;    // of the body, scene axes [rad/s]
    CnVec3 start;   // velocity, scene axes [m/s]
    CnVec3 center;  // scene axes [m]
    CnJointDef def; // point_a on the body, point_b on the other side, scene axes
} Setting;

typedef struct Reading {
    CnJointState joint;
    CnBodyState body;
} Reading;

static CnVec3 turned(const Setting* setting, CnVec3 v) {
    return cn_quat_rotate(setting->turn, v);
}

static CnBodyId add_anchor(CnWorld* world, const Setting* setting) {
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.position = turned(setting, cn_vec3(0.3, -0.4, 0.2));
    return setting->anchored ? run_add(world, &def) : (CnBodyId){0};
}

static CnJointDef turned_def(const Setting* setting) {
    CnJointDef def = setting->def;
    CnVec3 on_body = turned(setting, def.point_a), on_other = turned(setting, def.point_b);
    def.point_a = setting->swapped && def.two_points ? on_other : on_body;
    def.point_b = setting->swapped && def.two_points ? on_body : on_other;
    def.axis = turned(setting, def.axis);
    def.axis_b = turned(setting, def.axis_b);
    return def;
}

// All that is read is read after `steps` steps; what R and U say in the world is true of the bodies
// whatever their axes: sum of axis times part is the force, and the velocity of A's point from B's.
static Reading read_after(const Setting* setting, int steps) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = turned(setting, cn_vec3(0.0, 0.0, -GRAVITY));
    world_def.solver.tolerance = 1e-10;
    CnWorld* world = run_create(&world_def);
    CnBodyDef body = run_body(MASS, cn_vec3(0.3, 0.3, 0.3), turned(setting, setting->center));
    body.velocity = turned(setting, setting->start);
    body.angular_velocity = turned(setting, setting->spin);
    CnBodyId moved = run_add(world, &body), other = add_anchor(world, setting);
    CnJointDef def = turned_def(setting);
    def.body_a = setting->swapped ? other : moved;
    def.body_b = setting->swapped ? moved : other;
    CnError error = {0};
    CnJointId joint = cn_world_add_joint(world, &def, &error);
    ck_assert_msg(joint.index != 0, "%s", error.message);
    run_steps(world, STEP, steps);
    Reading reading = {.body = run_state(world, moved)};
    CHECK_INT(cn_joint_read(world, joint, &reading.joint), CN_OK);
    cn_world_destroy(world);
    return reading;
}

static CnVec3 sum_along(const CnVec3 axes[3], CnVec3 parts) {
    CnVec3 sum = cn_vec3_scale(parts.x, axes[0]);
    return cn_vec3_add_scaled(cn_vec3_add_scaled(sum, parts.y, axes[1]), parts.z, axes[2]);
}

static void check_worlds_sums(const Setting* setting, const Reading* reading) {
    const CnJointState* joint = &reading->joint;
    double sign = setting->swapped ? -1.0 : 1.0;
    CnVec3 point = setting->swapped ? joint->frame_b.position : joint->frame_a.position;
    CnVec3 arm = cn_vec3_sub(point, reading->body.center);
    CnVec3 velocity =
        cn_vec3_add(reading->body.velocity, cn_vec3_cross(reading->body.angular_velocity, arm));
    CnVec3 force = sum_along(joint->local_axes, joint->local_force);
    CnVec3 motion = sum_along(joint->local_axes, joint->local_velocity);
    CnVec3 spin = sum_along(joint->local_axes, joint->local_spin);
    CnVec3 torque = sum_along(joint->local_axes, joint->local_torque);
    // Round-off of products of numbers up to 100.
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(force, joint->force)), 0.0, 1e-12);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(torque, joint->torque)), 0.0, 1e-12);
    CHECK_NEAR(cn_vec3_length(cn_vec3_add_scaled(motion, -sign, velocity)), 0.0, 1e-12);
    CHECK_NEAR(cn_vec3_length(cn_vec3_add_scaled(spin, -sign, reading->body.angular_velocity)), 0.0,
               1e-12);
}

static double across(CnVec3 parts) {
    return sqrt(parts.x * parts.x + parts.y * parts.y);
}

// Every case in the scene as it is and turned, both body orders, with the world and with a static
// body: `check` gets the sign of what A has, +1 where the body is A.
typedef void Check(const Reading* reading, double sign);

static void check_some(Setting setting, int count, int steps, Check* check) {
    const CnQuat turns[] = {cn_quat_identity(), cn_quat_exp(cn_vec3(0.7, -1.1, 0.4))};
    for (int i = 0; i < count; ++i) {
        setting.turn = turns[i & 1];
        setting.swapped = (i & 2) != 0;
        setting.anchored = (i & 4) != 0;
        Reading reading = read_after(&setting, steps);
        check_worlds_sums(&setting, &reading);
        check(&reading, setting.swapped ? -1.0 : 1.0);
    }
}

static void check_all(Setting setting, int steps, Check* check) {
    check_some(setting, 8, steps, check);
}

// A body that spins about the pin through its centre: R is the weight along axes that stay where
// they are, whatever the body does. z of them is (.6, 0, .8), x is (.8, 0, -.6).
static void check_pin(const Reading* reading, double sign) {
    CHECK_NEAR(reading->joint.local_force.x, -0.6 * WEIGHT * sign, FORCE_TOLERANCE);
    CHECK_NEAR(reading->joint.local_force.y, 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(reading->joint.local_force.z, 0.8 * WEIGHT * sign, FORCE_TOLERANCE);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_velocity), 0.0, 1e-9);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_torque), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_spin), 3.0, 1e-9);
}

static void a_fixed_point_reads_the_weight(void) {
    Setting setting = {.spin = cn_vec3(1.0, 2.0, -2.0)};
    setting.def = cn_joint_def_default(CN_JOINT_FIX_POINT);
    setting.def.axis = cn_vec3(0.6, 0.0, 0.8);
    setting.def.axis_b = cn_vec3(0.8, 0.0, -0.6);
    check_some(setting, 4, 100, check_pin); // between two bodies A carries the axes
}

// n = (.6, 0, .8): R = .8 of the weight along n, none across. Across n it falls: down the slope,
// along (.8, 0, -.6), by .6 g t, and goes on at 3 m/s along y.
static void check_slope(const Reading* reading, double sign) {
    CHECK_NEAR(reading->joint.local_force.z, 0.8 * WEIGHT * sign, FORCE_TOLERANCE);
    CHECK_NEAR(across(reading->joint.local_force), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(reading->joint.local_velocity.x, 0.6 * GRAVITY * 100.0 * STEP * sign, 1e-9);
    CHECK_NEAR(reading->joint.local_velocity.y, 3.0 * sign, 1e-9);
    CHECK_NEAR(reading->joint.local_velocity.z, 0.0, 1e-9);
}

static void a_fixed_direction_reads_its_share(void) {
    Setting setting = {.spin = cn_vec3(1.0, 2.0, -2.0), .start = cn_vec3(0.0, 3.0, 0.0)};
    setting.def = cn_joint_def_default(CN_JOINT_FIX_DIRECTION);
    setting.def.axis = cn_vec3(0.6, 0.0, 0.8);
    setting.def.axis_b = cn_vec3(0.8, 0.0, -0.6);
    setting.def.direction = CN_DIRECTION_FIXED;
    check_all(setting, 100, check_slope);
}

// A conical pendulum of 1 m, .6 m out and .8 m down: w^2 = g / .8, and the link pulls with
// weight / .8 towards the other point, whichever body is A. A circle of steps keeps w to (w h)^2.
static void check_conical(const Reading* reading, double sign) {
    const double rate = sqrt(GRAVITY / 0.8), error = rate * rate * STEP * STEP;
    (void)sign;
    CHECK_NEAR(reading->joint.local_force.z, WEIGHT / 0.8, WEIGHT / 0.8 * error);
    CHECK_NEAR(across(reading->joint.local_force), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(reading->joint.local_velocity.z, 0.0, 1e-9);
    CHECK_NEAR(across(reading->joint.local_velocity), 0.6 * rate, 0.6 * rate * error);
}

static void a_rigid_link_reads_its_tension(void) {
    Setting setting = {.center = cn_vec3(0.6, 0.0, -0.8),
                       .start = cn_vec3(0.0, 0.6 * sqrt(GRAVITY / 0.8), 0.0)};
    setting.def = cn_joint_def_default(CN_JOINT_RIGID_LINK);
    setting.def.point_a = setting.center;
    check_all(setting, 100, check_conical);
}

// Weight along a rope, and nothing that moves.
static void check_hanging(const Reading* reading, double sign) {
    (void)sign;
    CHECK_NEAR(reading->joint.local_force.z, WEIGHT, FORCE_TOLERANCE);
    CHECK_NEAR(across(reading->joint.local_force), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_velocity), 0.0, 1e-9);
}

static void a_rope_reads_the_weight(void) {
    Setting setting = {.center = cn_vec3(0.0, 0.0, -1.0)};
    setting.def = cn_joint_def_default(CN_JOINT_ROPE);
    setting.def.point_a = setting.center;
    check_all(setting, 100, check_hanging);
}

// Let go at rest, 1 m below, where the spring of 100 N/m is at rest: x = m g / k (1 - cos w t),
// v = (m g / k) w sin w t, w^2 = k / m. The force of the last step is that of its middle, and
// leapfrog errs by (w h)^2.
static void check_spring(const Reading* reading, double direction, double sign) {
    const double k = 100.0, rate = sqrt(k / MASS), t = 100.0 * STEP, sag = WEIGHT / k;
    double error = rate * rate * STEP * STEP;
    double pull = WEIGHT * (1.0 - cn_cos(rate * (t - 0.5 * STEP)));
    double falling = sag * rate * cn_sin(rate * t);
    // Along n from A to B both are the same in either order; along a given axis they change sign.
    double factor = direction == 0.0 ? 1.0 : sign * direction;
    CHECK_NEAR(reading->joint.local_force.z, pull * factor, WEIGHT * error);
    CHECK_NEAR(across(reading->joint.local_force), 0.0, 1e-12);
    CHECK_NEAR(reading->joint.local_velocity.z, -falling * factor, sag * rate * error);
    CHECK_NEAR(across(reading->joint.local_velocity), 0.0, 1e-9);
}

static void check_following(const Reading* reading, double sign) {
    check_spring(reading, 0.0, sign);
}

static void check_given(const Reading* reading, double sign) {
    check_spring(reading, 1.0, sign);
}

static void springs_read_their_force_in_every_direction(void) {
    Setting setting = {.center = cn_vec3(0.0, 0.0, -1.0)};
    setting.def = cn_joint_def_default(CN_JOINT_SPRING);
    setting.def.point_a = setting.center;
    setting.def.axes[CN_AXIS_Z].spring_stiffness = 100.0;
    for (int i = CN_DIRECTION_FOLLOW; i <= CN_DIRECTION_CARRIED_B; ++i) {
        setting.def.direction = (CnDirection)i;
        check_all(setting, 100, i == CN_DIRECTION_FOLLOW ? check_following : check_given);
    }
}

// On a slider along z with a stop right below: the stop carries the weight, along n of A's frame.
static void check_stop(const Reading* reading, double sign) {
    CHECK_NEAR(reading->joint.local_force.z, WEIGHT * sign, FORCE_TOLERANCE);
    CHECK_NEAR(across(reading->joint.local_force), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_velocity), 0.0, 1e-9);
    CHECK_NEAR(fabs(reading->joint.axis_force[CN_AXIS_Z]), WEIGHT, FORCE_TOLERANCE);
}

static void a_stop_reads_the_weight(void) {
    Setting setting = {.def = cn_joint_def_default(CN_JOINT_SLIDER)};
    setting.def.axes[CN_AXIS_Z] = (CnJointAxis){.limited = true}; // lower = upper = 0
    check_all(setting, 100, check_stop);
}

// On a hinge along y, .5 m out along x, with a stop that holds it level: weight and its moment,
// about n of A's frame, which is y.
static void check_beam(const Reading* reading, double sign) {
    CHECK_NEAR(reading->joint.local_torque.z, -0.5 * WEIGHT * sign, FORCE_TOLERANCE);
    CHECK_NEAR(across(reading->joint.local_torque), 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(across(reading->joint.local_force), WEIGHT, FORCE_TOLERANCE);
    CHECK_NEAR(reading->joint.local_force.z, 0.0, FORCE_TOLERANCE);
    CHECK_NEAR(cn_vec3_length(reading->joint.local_spin), 0.0, 1e-9);
}

static void a_hinge_at_its_stop_reads_the_moment(void) {
    Setting setting = {.center = cn_vec3(0.5, 0.0, 1.0)};
    setting.def = cn_joint_def_default(CN_JOINT_HINGE);
    setting.def.point_a = cn_vec3(0.0, 0.0, 1.0); // not at 0, where energies are all round-off
    setting.def.axis = cn_vec3(0.0, 1.0, 0.0);
    setting.def.axes[CN_AXIS_TURN_Z] = (CnJointAxis){.limited = true};
    check_all(setting, 100, check_beam);
}

TEST_MAIN("physics/joints/joint_readings", TEST(a_fixed_point_reads_the_weight),
          TEST(a_fixed_direction_reads_its_share), TEST(a_rigid_link_reads_its_tension),
          TEST(a_rope_reads_the_weight), TEST(springs_read_their_force_in_every_direction),
          TEST(a_stop_reads_the_weight), TEST(a_hinge_at_its_stop_reads_the_moment))
