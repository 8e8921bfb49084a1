// test_machines.c - joints together: a robot's tree, a platform on six legs, a chain with a ball.
#include "cairn/joint.h"
#include "support/machines.h"
#include "support/run.h"

// Steps of 1 ms; `make soak` makes 60000.
#define STEPS (UNDER_SANITIZER ? 50 : 500)

static void check_machine(const char* scene) {
    MachineRun run = machine_run(scene, STEPS);
    ck_assert_msg(machine_run_is_good(&run),
                  "%s: %d steps, %d missed: %g m, %g rad, limits %g, ledgers %g %g. %s", scene,
                  run.steps, run.not_converged, run.joint_error, run.angle_error, run.limit_error,
                  run.energy_error, run.momentum_error, run.error.message);
}

// 30 hinges with motors that hold changing positions, and stops that some of them are pressed
// against.
static void a_robot_of_thirty_joints_keeps_together(void) {
    check_machine("@robot");
}

static void a_platform_on_six_legs_keeps_together(void) {
    check_machine("@stewart");
}

// 30 links of 1 kg with 1000 kg at the end, let go level and swinging through the lowest point at
// 60 Hz: no link is ever torn by more than a micrometre.
static void a_light_chain_holds_a_swinging_heavy_ball(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyId before = {0};
    double worst = 0.0; // [m]
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
        CHECK(cn_world_add_joint(world, &def, NULL).index != 0);
        before = def.body_b;
    }
    for (int i = 0; i < 180; ++i) {
        worst = fmax(worst, run_step(world, 1.0 / 60.0).joint_error);
    }
    CHECK(worst < 1e-6);
    cn_world_destroy(world);
}

TEST_MAIN("physics/machines", TEST(a_robot_of_thirty_joints_keeps_together),
          TEST(a_platform_on_six_legs_keeps_together),
          TEST(a_light_chain_holds_a_swinging_heavy_ball))
