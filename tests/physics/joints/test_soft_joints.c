// test_soft_joints.c - scheme soft_step: joints of every type, motors, stops, springs, courses.
#include "cairn/joint.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0) // [s]
#define GRAVITY 9.81

static CnStepReport step(CnWorld* world) {
    CnStepReport report;
    CnError error = {0};
    CnStatus status = cn_world_step(world, DT, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return report;
}

static void steps(CnWorld* world, int count) {
    for (int i = 0; i < count; ++i) {
        step(world);
    }
}

static CnBodyId add_box(CnWorld* world, CnVec3 position) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = cn_vec3(0.2, 0.2, 0.2);
    box.group = -1;
    CnBodyDef def = cn_body_def_default();
    def.position = position;
    def.shapes = &box;
    def.shape_count = 1;
    return run_add(world, &def);
}

static CnJointId add_joint(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId id = cn_world_add_joint(world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

// A hinge about y at the origin, the box 1 m beside it.
static CnJointDef hinge_of(CnBodyId box) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_b = box;
    def.axis = cn_vec3(0.0, 1.0, 0.0);
    return def;
}

static double turn_of(const CnWorld* world, CnJointId hinge) {
    CnJointState state;
    CHECK_INT(cn_joint_read(world, hinge, &state), CN_OK);
    return state.position[CN_AXIS_TURN_Z];
}

// 8 kg at 1 m and its own inertia m a^2 / 6: from rest at the side it comes down with w^2 / 2 I =
// m g l sin, and loses no more than the scheme's first order, |w| h = 0.018 in a swing.
static void a_pendulum_swings_and_never_gains_energy(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnBodyId box = add_box(world, cn_vec3(1.0, 0.0, 0.0));
    CnJointDef hinge = hinge_of(box);
    add_joint(world, &hinge);
    double lowest = 0.0, highest = -2.0;
    for (int i = 0; i < 240; ++i) {
        CnStepReport report = step(world);
        CHECK(report.joint_error < 1e-3);
        CHECK(cn_world_energy(world) < 1e-3 * 8.0 * GRAVITY);
        double height = run_state(world, box).center.z;
        lowest = fmin(lowest, height);
        highest = i > 60 ? fmax(highest, height) : highest;
    }
    CHECK_NEAR(lowest, -1.0, 2e-3);
    CHECK(highest > -0.15); // of the 1 m that it fell
    cn_world_destroy(world);
}

static void a_joint_force_carries_the_weight(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnBodyId box = add_box(world, cn_vec3(0.0, 0.0, -1.0));
    CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
    ball.body_b = box;
    CnJointId joint = add_joint(world, &ball);
    steps(world, 240);
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    CHECK_NEAR(fabs(state.force.z), 8.0 * GRAVITY, 1e-3 * 8.0 * GRAVITY);
    CHECK_NEAR(state.force.x, 0.0, 1e-3);
    cn_world_destroy(world);
}

static void motors_stops_and_springs_do_what_they_say(void) {
    CnWorldDef def = run_soft_def();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnJointDef turning = hinge_of(add_box(world, cn_vec3(1.0, 0.0, 0.0)));
    turning.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_VELOCITY;
    turning.axes[CN_AXIS_TURN_Z].target = 2.0; // [rad/s]
    CnJointDef stopped = turning, held = hinge_of((CnBodyId){0});
    stopped.body_b = add_box(world, cn_vec3(1.0, 3.0, 0.0));
    stopped.axes[CN_AXIS_TURN_Z].max_force = 20.0; // [N m]
    stopped.axes[CN_AXIS_TURN_Z].limited = true;
    stopped.axes[CN_AXIS_TURN_Z].lower = -0.5;
    stopped.axes[CN_AXIS_TURN_Z].upper = 0.5;
    held.body_b = add_box(world, cn_vec3(1.0, 6.0, 0.0));
    held.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_POSITION;
    held.axes[CN_AXIS_TURN_Z].target = 0.7;
    held.axes[CN_AXIS_TURN_Z].stiffness = 500.0;
    held.axes[CN_AXIS_TURN_Z].damping = 100.0;
    CnJointId fast = add_joint(world, &turning), stop = add_joint(world, &stopped);
    CnJointId hold = add_joint(world, &held);
    steps(world, 300);
    double before = turn_of(world, fast);
    steps(world, 60);
    CHECK_NEAR(turn_of(world, fast) - before, 2.0, 0.01); // 1 s; the joint gives way by millimetres
    CHECK_NEAR(turn_of(world, stop), 0.5, 2e-3);
    CHECK_NEAR(turn_of(world, hold), 0.7, 1e-3);
    cn_world_destroy(world);
}

// Ends that are far away are left out of a step's first substeps, soft_step.md (J3a): one that an
// arm of 30 rad/s, an eighth of a radian a substep, reaches from 1 rad away stops it there all the
// same, and returns its speed.
static void an_end_far_away_stops_a_fast_arm(void) {
    for (int bounces = 0; bounces < 2; ++bounces) {
        CnWorldDef def = run_soft_def();
        def.gravity = cn_vec3(0.0, 0.0, 0.0);
        CnWorld* world = run_create(&def);
        CnBodyId box = add_box(world, cn_vec3(1.0, 0.0, 0.0));
        CnJointDef hinge = hinge_of(box);
        hinge.axes[CN_AXIS_TURN_Z].limited = true;
        hinge.axes[CN_AXIS_TURN_Z].lower = -1.0;
        hinge.axes[CN_AXIS_TURN_Z].upper = 1.0;
        hinge.axes[CN_AXIS_TURN_Z].restitution = bounces;
        CnJointId id = add_joint(world, &hinge);
        CnBodyState state = run_state(world, box);
        state.angular_velocity = cn_vec3(0.0, 30.0, 0.0); // arm x turns down
        state.velocity = cn_vec3(0.0, 0.0, -30.0);
        CHECK_INT(cn_body_set_state(world, box, &state, NULL), CN_OK);
        double furthest = 0.0;
        for (int i = 0; i < 4; ++i) { // 2 rad at full speed: it comes back to 0, or stays
            step(world);
            furthest = fmax(furthest, turn_of(world, id));
        }
        double speed = run_state(world, box).angular_velocity.y;
        CHECK(furthest > 0.5 && furthest < 1.0 + 1e-3);
        CHECK(bounces ? speed < -27.0 : fabs(speed) < 0.3); // a tenth, a hundredth of 30 rad/s
        cn_world_destroy(world);
    }
}

// An arm of 0.05 rad/s turns 8e-4 rad in a step: the rows of its end are read as the step begins,
// and their value follows the arm, soft_step.md (J3b). So it comes to rest at its end. Singles have
// 24 bits (6e-8 of 1 m arms), the second order is 8e-4^2 / 2 = 3e-7; a value that did not follow
// would let it pass by three substeps, 6e-4 rad.
static void a_slow_arm_stops_at_its_end(void) {
    for (int is_ball = 0; is_ball < 2; ++is_ball) {
        CnWorldDef def = run_soft_def();
        def.gravity = cn_vec3(0.0, 0.0, 0.0);
        CnWorld* world = run_create(&def);
        CnBodyId box = add_box(world, cn_vec3(1.0, 0.0, 0.0));
        CnJointDef joint = hinge_of(box);
        joint.type = is_ball ? CN_JOINT_BALL : CN_JOINT_HINGE; // of the ball: the twist about y
        joint.axes[CN_AXIS_TURN_Z].limited = true;
        joint.axes[CN_AXIS_TURN_Z].lower = -1.0;
        joint.axes[CN_AXIS_TURN_Z].upper = 0.0203;
        add_joint(world, &joint);
        CnBodyState state = run_state(world, box);
        state.angular_velocity = cn_vec3(0.0, 0.05, 0.0);
        state.velocity = cn_vec3(0.0, 0.0, -0.05);
        CHECK_INT(cn_body_set_state(world, box, &state, NULL), CN_OK);
        steps(world, 60);
        CnQuat turn = run_state(world, box).rotation;
        CHECK_NEAR(2.0 * atan2(turn.y, turn.w), 0.0203, 1e-6);
        cn_world_destroy(world);
    }
}

// A mass of 8 kg on a spring of 800 N/m: w = 10 rad/s, half a period in 0.314 s. The implicit rule
// damps by a share w h / 2 = 0.02 per radian.
static void a_spring_swings_with_its_frequency(void) {
    CnWorldDef def = run_soft_def();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnBodyId box = add_box(world, cn_vec3(1.2, 0.0, 0.0));
    CnJointDef slider = cn_joint_def_default(CN_JOINT_SLIDER);
    slider.body_b = box;
    slider.point_a = cn_vec3(1.0, 0.0, 0.0);
    slider.axis = cn_vec3(1.0, 0.0, 0.0);
    slider.axes[CN_AXIS_Z].spring_stiffness = 800.0;
    slider.axes[CN_AXIS_Z].spring_rest = -0.2; // the joint counts from where the box is
    add_joint(world, &slider);
    int crossings = 0;
    double last = 0.2;
    for (int i = 0; i < 188; ++i) { // 3.13 s: ten half periods
        step(world);
        double now = run_state(world, box).center.x - 1.0;
        crossings += now * last < 0.0;
        last = now;
        CHECK_NEAR(run_state(world, box).center.z, 0.0, 1e-4);
    }
    CHECK(crossings == 10 || crossings == 9);
    cn_world_destroy(world);
}

// Every built-in machine: joints of many types with motors, stops and courses. Trees with motors
// are solved at once, and what is left is the way along a bow of a substep: links of 0.3 m turn at
// up to 10 rad/s, h^2 w^2 r / 2 = 3e-4 m at 240 substeps a second. Loops and trees without are
// swept.
static void machines_hold_together(void) {
    const struct {
        const char* scene;
        double error; // [m]
    } rows[] = {{"@robot:3", 1e-3},   {"@grasp:4", 1e-3},    {"@hand:20", 1e-3},
                {"@stewart:1", 0.02}, {"@ragdolls:1", 0.02}, {"@net:8", 0.01}};
    for (int i = 0; i < 6; ++i) {
        CnWorld* world = run_open(rows[i].scene);
        CnStepDef settings = cn_world_read(world).step;
        settings.scheme = CN_SCHEME_SOFT_STEP;
        CHECK_INT(cn_world_set_step(world, &settings, NULL), CN_OK);
        for (int k = 0; k < 120; ++k) {
            CnStepReport report = step(world);
            ck_assert_msg(report.joint_error < rows[i].error, "%s: %g m at step %d", rows[i].scene,
                          report.joint_error, k);
        }
        cn_world_destroy(world);
    }
}

static uint64_t hash_with(int threads) {
    CnTaskPool* pool = cn_task_pool_create(threads, NULL);
    CnWorldDef def = run_soft_def();
    def.tasks = cn_task_pool_tasks(pool);
    CnWorld* scene = run_open("@chains:3");
    CnWorld* world = cn_world_clone(scene, &def, NULL);
    CHECK_INT(cn_world_set_step(world, &def.step, NULL), CN_OK);
    steps(world, 60);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    cn_world_destroy(scene);
    cn_task_pool_destroy(pool);
    return hash;
}

static void results_do_not_depend_on_the_number_of_workers(void) {
    CHECK(hash_with(1) == hash_with(4));
}

// 10 kg hang on a ball joint that gets a compliance of 1e-3 m/N and loses it: they fall by 98.1 mm
// at least and twice that at most, as a spring lets them with any damping, and come back. A clone,
// which is packed anew, does the same to the bit.
static void a_joint_gives_way_from_the_step_on_in_which_it_is_told(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(10.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, -1.0));
    CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
    ball.body_b = run_add(world, &body);
    CnJointId joint = cn_world_add_joint(world, &ball, NULL);
    CHECK(joint.index != 0);
    steps(world, 30);
    for (int i = 0; i < 2; ++i) {
        CnKeeping keep = ball.keep;
        keep.compliance = i == 0 ? 1e-3 : 0.0;
        CHECK_INT(cn_joint_set_keeping(world, joint, &keep, NULL), CN_OK);
        CnWorld* clone = cn_world_clone(world, NULL, NULL);
        double lowest = 0.0;
        for (int k = 0; k < 60; ++k) {
            steps(world, 1);
            steps(clone, 1);
            CHECK(cn_world_hash(clone) == cn_world_hash(world));
            lowest = fmin(lowest, run_state(world, ball.body_b).center.z);
        }
        CHECK(i == 1 || (lowest <= -1.098 && lowest >= -1.197));
        CHECK(i == 0 || fabs(run_state(world, ball.body_b).center.z + 1.0) <= 1e-3);
        cn_world_destroy(clone);
    }
    cn_world_destroy(world);
}

#define LINKS 5

// How fast the end of link B, at an arm from its centre before it turned, leaves a point of A, seen
// by who turns with A.
static double parting_speed(const CnBodyState* a, const CnBodyState* b, CnVec3 arm_b) {
    CnVec3 from_b = cn_quat_rotate(b->rotation, arm_b);
    CnVec3 at_b = cn_vec3_sub(cn_vec3_add(b->center, from_b), a->center); // moves with A
    CnVec3 fast = cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, from_b));
    CnVec3 carried = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, at_b));
    return cn_vec3_length(cn_vec3_sub(fast, carried));
}

// Links of 0.5 m on ball joints, let go level. A joint is worth the speed with which its two points
// part, which positions and velocities of the bodies tell: to the round-off of velocities of 10
// m/s.
static void joints_are_worth_the_speed_at_which_they_part(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnVec3 to_joint = cn_vec3(-0.25, 0.0, 0.0);
    CnBodyId links[LINKS];
    for (int i = 0; i < LINKS; ++i) {
        links[i] = add_box(world, cn_vec3(0.25 + 0.5 * i, 0.0, 0.0));
        CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
        ball.body_a = i == 0 ? (CnBodyId){0} : links[i - 1];
        ball.body_b = links[i];
        ball.point_a = cn_vec3(0.5 * i, 0.0, 0.0);
        ball.name = i == LINKS - 1 ? "last" : "one before it";
        add_joint(world, &ball);
    }
    for (int k = 0; k < 60; ++k) {
        CnStepReport report = step(world);
        double worst = 0.0, squares = 0.0;
        bool is_last = false;
        for (int i = 0; i < LINKS; ++i) {
            CnBodyState a = {.rotation = cn_quat_identity()}, b = run_state(world, links[i]);
            a = i == 0 ? a : run_state(world, links[i - 1]);
            double speed = parting_speed(&a, &b, to_joint);
            is_last = speed > worst ? i == LINKS - 1 : is_last;
            worst = fmax(worst, speed);
            squares += speed * speed;
        }
        char name[32];
        cn_world_block_name(world, report.certificate.worst_block, name, sizeof name);
        CHECK(report.is_graded);
        CHECK_INT(report.block_count, LINKS);
        CHECK_NEAR(report.certificate.worst, worst, 1e-13);
        CHECK_NEAR(report.certificate.rms, sqrt(squares / LINKS), 1e-13);
        CHECK_STRING(name, is_last ? "last" : "one before it");
        CHECK(k == 0 || worst > 1e-4); // one sweep leaves something
    }
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/soft_joints", TEST(joints_are_worth_the_speed_at_which_they_part),
          TEST(a_joint_gives_way_from_the_step_on_in_which_it_is_told),
          TEST(a_pendulum_swings_and_never_gains_energy), TEST(a_joint_force_carries_the_weight),
          TEST(motors_stops_and_springs_do_what_they_say), TEST(an_end_far_away_stops_a_fast_arm),
          TEST(a_slow_arm_stops_at_its_end), TEST(a_spring_swings_with_its_frequency),
          TEST(machines_hold_together), TEST(results_do_not_depend_on_the_number_of_workers))
