// test_soft_damping.c - scheme soft_step: damped bodies press and hang with their whole weight.
#include "cairn/joint.h"
#include "support/run.h"

#define DT (1.0 / 60.0)
#define GRAVITY 9.81

static const double shares[] = {0.001, 0.1, 0.45, 2.0, 8.0}; // damping times DT
#define SHARES ((int)(sizeof shares / sizeof shares[0]))

static double force_of_contacts(const CnWorld* world) {
    CnContactPoint points[8];
    int count = cn_world_contacts(world, points, 8);
    double force = 0.0;
    for (int i = 0; i < count; ++i) {
        force += points[i].force.z;
    }
    return force;
}

// (25): m g for any damping, after steps of another length too, for which the masses of rows
// differ. Impulses are floats of substeps that have converged: 1e-5 of the weight.
static void check_weight(bool exact) {
    for (int i = 0; i < SHARES; ++i) {
        CnWorldDef def = run_soft_def();
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.5, 0.0);
        run_add_ground(world, material);
        CnBodyId cube = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                                    cn_vec3(0.0, 0.0, 0.5), material);
        CnMassProperties mass;
        cn_body_mass_properties(world, cube, &mass);
        double weight = mass.mass * GRAVITY;
        CHECK_INT(cn_body_set_exact(world, cube, exact, NULL), CN_OK);
        CHECK_INT(cn_body_set_damping(world, cube, shares[i] / DT, 30.0, NULL), CN_OK);
        run_steps(world, DT, 300);
        CHECK_NEAR(force_of_contacts(world), weight, 1e-5 * weight);
        run_steps(world, 0.5 * DT, 300);
        CHECK_NEAR(force_of_contacts(world), weight, 1e-5 * weight);
        cn_world_destroy(world);
    }
}

static void a_cube_presses_with_its_weight(void) {
    check_weight(false);
}

static void an_exact_cube_presses_with_its_weight(void) {
    check_weight(true);
}

// A ball of `heavy` kg on one of 1 kg on a fixed point: swept, or solved as a tree from 100 on.
static void check_hanging(double heavy) {
    for (int i = 0; i < SHARES; ++i) {
        CnWorldDef def = run_soft_def();
        CnWorld* world = run_create(&def);
        const double masses[2] = {1.0, heavy};
        CnJointId joints[2];
        CnBodyId above = {0};
        for (int k = 0; k < 2; ++k) {
            double moment = 0.1 * masses[k];
            CnBodyDef ball =
                run_body(masses[k], cn_vec3(moment, moment, moment), cn_vec3(0.0, 0.0, -1.0 - k));
            ball.linear_damping = shares[i] / DT;
            ball.angular_damping = 0.5 * shares[i] / DT;
            CnBodyId body = run_add(world, &ball);
            CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
            joint.body_a = above;
            joint.body_b = body;
            joint.point_a = cn_vec3(0.0, 0.0, -0.5 - k);
            joints[k] = cn_world_add_joint(world, &joint, NULL);
            above = body;
        }
        run_steps(world, DT, 300);
        CnJointState state;
        CHECK_INT(cn_joint_read(world, joints[0], &state), CN_OK);
        CHECK_NEAR(fabs(state.force.z), (1.0 + heavy) * GRAVITY, 1e-5 * (1.0 + heavy) * GRAVITY);
        CHECK_INT(cn_joint_read(world, joints[1], &state), CN_OK);
        CHECK_NEAR(fabs(state.force.z), heavy * GRAVITY, 1e-5 * (1.0 + heavy) * GRAVITY);
        cn_world_destroy(world);
    }
}

static void balls_hang_with_their_weight(void) {
    check_hanging(3.0);
}

static void trees_hang_with_their_weight(void) {
    check_hanging(500.0);
}

TEST_MAIN("physics/contact/soft_damping", TEST(a_cube_presses_with_its_weight),
          TEST(an_exact_cube_presses_with_its_weight), TEST(balls_hang_with_their_weight),
          TEST(trees_hang_with_their_weight))
