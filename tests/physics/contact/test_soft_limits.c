// test_soft_limits.c - scheme soft_step: how stiff contacts are, and how overlap fades.
#include "support/run.h"

#define DT (1.0 / 60.0)
#define GRAVITY 9.81

static CnWorldDef soft_def(int substeps, double hertz) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    def.step.soft.substeps = substeps;
    def.step.soft.contact_hertz = hertz;
    return def;
}

static void add_floor(CnWorld* world, CnMaterialId material) {
    run_add_box(world, CN_BODY_STATIC, cn_vec3(40.0, 40.0, 1.0), cn_vec3(0.0, 0.0, -0.5), material);
}

// Height of a unit cube on the floor, placed at `start`, after some steps.
static double height(CnWorldDef def, double start, int steps) {
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_floor(world, material);
    CnBodyId cube = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                                cn_vec3(0.0, 0.0, start), material);
    run_steps(world, DT, steps);
    double z = run_state(world, cube).center.z;
    cn_world_destroy(world);
    return z;
}

// (23): a point of a cube has the effective mass M / 4 and carries M g / 4, so that the depth is
// g / omega^2. Against the floor omega is that of twice the frequency; floats of 1e-8 m.
static void a_cube_sinks_by_gravity_over_the_square_of_its_frequency(void) {
    const struct {
        int substeps;
        double hertz;
    } cases[] = {{4, 30.0}, {8, 30.0}, {8, 60.0}, {16, 120.0}, {4, 10.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double omega = 2.0 * CN_PI * 2.0 * cases[i].hertz;
        double depth = 0.5 - height(soft_def(cases[i].substeps, cases[i].hertz), 0.5, 300);
        CHECK_NEAR(depth, GRAVITY / (omega * omega), 5e-8 + 1e-3 * GRAVITY / (omega * omega));
    }
}

// (22) without gravity: overlap of a ball, with one contact point, fades by 1 - g in each substep.
// The ball has radius 0.5 m: floats of gaps are right to 6e-8 of that.
static void overlap_fades_by_the_same_share_in_every_substep(void) {
    const double start = 1e-3;
    CnWorldDef def = soft_def(4, 30.0);
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_floor(world, material);
    CnBodyId ball = run_add_ball(world, 2.0, 0.5, cn_vec3(0.0, 0.0, 0.5 - start),
                                 cn_vec3(0.0, 0.0, 0.0), material);
    double h = DT / 4.0, turn = h * 2.0 * CN_PI * 60.0; // twice as stiff, half the damping ratio
    double share = turn * turn / (1.0 + 2.0 * 5.0 * turn + turn * turn);
    for (int i = 1; i <= 8; ++i) {
        run_steps(world, DT, 1);
        double left = 0.5 - run_state(world, ball).center.z;
        CHECK_NEAR(left, start * pow(1.0 - share, 4.0 * i), 4 * 3e-8);
        CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-6);
    }
    cn_world_destroy(world);
}

// More than 1 / (8 h) is not used.
static void hertz_are_bounded_by_the_rate_of_substeps(void) {
    double bound = 0.5 - height(soft_def(4, 30.0), 0.5, 200);
    double asked = 0.5 - height(soft_def(4, 5000.0), 0.5, 200);
    CHECK_NEAR(asked, bound, 0.0);
}

TEST_MAIN("physics/contact/soft_limits",
          TEST(a_cube_sinks_by_gravity_over_the_square_of_its_frequency),
          TEST(overlap_fades_by_the_same_share_in_every_substep),
          TEST(hertz_are_bounded_by_the_rate_of_substeps))
