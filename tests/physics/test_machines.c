// test_machines.c - joints together: a robot's tree, a platform on six legs, a chain with a ball.
#include "cairn/joint.h"
#include "support/run.h"

// Positions are projected to 1e-11; what is asked of machines is 1e-9.
#define JOINT_TOLERANCE 1e-9 // [m and rad]

// Steps of 1 ms; run with 60000 by hand for the full minute.
#define STEPS 1000

static CnJointId add_joint(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId joint = cn_world_add_joint(world, def, &error);
    ck_assert_msg(joint.index != 0, "%s", error.message);
    return joint;
}

// Every step closes its books (run_step) and keeps its joints together.
static void run_machine(CnWorld* world, double dt, int steps, double tolerance) {
    double worst = 0.0, worst_angle = 0.0;
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(world, dt);
        worst = fmax(worst, report.joint_error);
        worst_angle = fmax(worst_angle, report.joint_angle_error);
    }
    ck_assert_msg(worst < tolerance && worst_angle < tolerance, "%g m, %g rad", worst, worst_angle);
}

// A trunk that is pinned to the world and five limbs of six hinges each, axes by turns: 30 joints
// with motors that hold changing positions and limits that some of them run into.
static void a_robot_of_thirty_joints_keeps_together(void) {
    static const CnVec3 axes[3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    double times[] = {0.0, 0.5, 1.0, 1.5}, values[] = {0.0, 1.0, -1.0, 0.3};
    CnSeriesDef swing = {.count = 4, .times = times, .values = values};
    CnSeriesId series = cn_world_add_series(world, &swing, NULL);
    CnBodyDef trunk = run_body(20.0, cn_vec3(1.0, 1.2, 0.8), cn_vec3(0.0, 0.0, 0.0));
    CnBodyId root = run_add(world, &trunk);
    CnJointDef pin = cn_joint_def_default(CN_JOINT_FIX_POINT);
    CnJointId joints[30];
    int count = 0;

    pin.body_a = root;
    add_joint(world, &pin);
    for (int limb = 0; limb < 5; ++limb) {
        CnVec3 out = cn_vec3(cn_cos(1.2566 * limb), cn_sin(1.2566 * limb), -0.4);
        CnBodyId before = root;
        for (int i = 0; i < 6; ++i) {
            CnVec3 at = cn_vec3_scale(0.3 + 0.2 * i, out);
            CnBodyDef part = run_body(2.0 / (i + 1), cn_vec3(0.01, 0.012, 0.008),
                                      cn_vec3_add_scaled(at, 0.1, out));
            CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
            def.body_a = before;
            def.body_b = run_add(world, &part);
            def.point_a = at;
            def.axis = axes[(limb + i) % 3];
            def.axes[CN_AXIS_TURN_Z] = (CnJointAxis){
                .limited = true,
                .lower = -0.5,
                .upper = 0.5,
                .motor = CN_MOTOR_POSITION,
                .target = 0.7, // beyond the limit: some motors press against their stops
                .series = series,
                .stiffness = 30.0,
                .damping = 1.0,
                .max_force = 25.0,
            };
            joints[count++] = add_joint(world, &def);
            before = def.body_b;
        }
    }
    run_machine(world, 1e-3, UNDER_SANITIZER ? STEPS / 10 : STEPS, JOINT_TOLERANCE);
    for (int i = 0; i < count; ++i) { // limits are held too
        CnJointState state;
        CHECK_INT(cn_joint_read(world, joints[i], &state), CN_OK);
        CHECK(fabs(state.position[CN_AXIS_TURN_Z]) < 0.5 + 1e-9);
    }
    cn_world_destroy(world);
}

// Six legs between ground and platform: each a universal joint at the ground, a slider with a
// motor, and a ball joint at the platform: 6 * (4 + 5 + 3) = 72 rows on 13 bodies of 6 each, so six
// ways to move, all driven.
static void a_platform_on_six_legs_keeps_together(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    double times[] = {0.0, 0.4, 0.8, 1.2, 1.6}, values[] = {0.0, 1.0, -0.5, 0.8, 0.0};
    CnSeriesDef wave = {.count = 5, .times = times, .values = values};
    CnSeriesId series = cn_world_add_series(world, &wave, NULL);
    CnBodyDef plate = run_body(50.0, cn_vec3(4.0, 4.0, 8.0), cn_vec3(0.0, 0.0, 1.2));
    CnBodyId platform = run_add(world, &plate);

    for (int i = 0; i < 6; ++i) {
        double low_angle = 1.0471975512 * (i + (i % 2 == 0 ? 0.3 : -0.3));
        double high_angle = 1.0471975512 * (i + (i % 2 == 0 ? 0.8 : -0.8)) - 0.5235987756;
        CnVec3 low = cn_vec3(cn_cos(low_angle), cn_sin(low_angle), 0.0);
        CnVec3 high = cn_vec3(0.6 * cn_cos(high_angle), 0.6 * cn_sin(high_angle), 1.2);
        CnVec3 along = cn_vec3_normalize(cn_vec3_sub(high, low)), side, other;
        CnBodyDef tube = run_body(3.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3_add_scaled(low, 0.3, along));
        CnBodyDef rod =
            run_body(2.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3_add_scaled(high, -0.3, along));
        CnJointDef foot = cn_joint_def_default(CN_JOINT_UNIVERSAL);
        CnJointDef piston = cn_joint_def_default(CN_JOINT_SLIDER);
        CnJointDef top = cn_joint_def_default(CN_JOINT_BALL);

        cn_tangent_basis(along, &side, &other);
        foot.body_b = piston.body_a = run_add(world, &tube);
        piston.body_b = top.body_a = run_add(world, &rod);
        top.body_b = platform;
        foot.point_a = low;
        foot.axis = side;
        foot.axis_b = other;
        piston.point_a = cn_vec3_add_scaled(low, 0.5, along);
        piston.axis = along;
        piston.axes[CN_AXIS_Z] = (CnJointAxis){
            .limited = true,
            .lower = -0.2,
            .upper = 0.2,
            .motor = CN_MOTOR_POSITION,
            .target = i % 2 == 0 ? 0.1 : -0.05,
            .series = series,
            .stiffness = 2e5,
            .damping = 4e3,
        };
        top.point_a = high;
        add_joint(world, &foot);
        add_joint(world, &piston);
        add_joint(world, &top);
    }
    run_machine(world, 1e-3, UNDER_SANITIZER ? STEPS / 10 : STEPS, JOINT_TOLERANCE);
    CHECK(fabs(run_state(world, platform).center.z - 1.2) < 0.3); // it stands
    cn_world_destroy(world);
}

// 30 links of 1 kg with 1000 kg at the end, let go level and swinging through the lowest point at
// 60 Hz: no link is ever torn by more than a micrometre.
static void a_light_chain_holds_a_swinging_heavy_ball(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyId before = {0};
    for (int i = 0; i <= 30; ++i) {
        bool is_ball = i == 30;
        CnVec3 at = cn_vec3(0.2 * i, 0.0, 0.0);
        CnBodyDef link = run_body(is_ball ? 1000.0 : 1.0,
                                  is_ball ? cn_vec3(30.0, 30.0, 30.0) : cn_vec3(1e-3, 4e-3, 4e-3),
                                  cn_vec3_add(at, cn_vec3(is_ball ? 0.3 : 0.1, 0.0, 0.0)));
        CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
        def.body_a = before;
        def.body_b = run_add(world, &link);
        def.point_a = at;
        add_joint(world, &def);
        before = def.body_b;
    }
    run_machine(world, 1.0 / 60.0, 180, 1e-6);
    cn_world_destroy(world);
}

TEST_MAIN("physics/machines", TEST(a_robot_of_thirty_joints_keeps_together),
          TEST(a_platform_on_six_legs_keeps_together),
          TEST(a_light_chain_holds_a_swinging_heavy_ball))
