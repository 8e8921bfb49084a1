// test_correct.c - errors of position: measured, and put back where asked.
#include "cairn/joint.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static CnWorld* create(CnStabilisation stabilisation) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.stabilisation = stabilisation;
    return run_create(&def);
}

// Balls of 1 and 3 kg along x that overlap by 40 mm, at rest.
static CnStepReport step_overlap(CnStabilisation stabilisation, double* x_light, double* x_heavy) {
    CnWorld* world = create(stabilisation);
    CnBodyId light = run_add_ball(world, 1.0, 0.5, zero, zero, no_material);
    CnBodyId heavy = run_add_ball(world, 3.0, 0.5, cn_vec3(0.96, 0.0, 0.0), zero, no_material);
    CnStepReport report = run_step(world, 0.01);
    *x_light = run_state(world, light).center.x;
    *x_heavy = run_state(world, heavy).center.x - 0.96;
    if (stabilisation != CN_STABILISATION_BAUMGARTE) {
        CHECK_NEAR(cn_vec3_length(run_state(world, light).velocity), 0.0, 0.0);
    }
    cn_world_destroy(world);
    return report;
}

static void the_lighter_body_moves_the_further(void) {
    double light, heavy;
    CnStepReport report = step_overlap(CN_STABILISATION_PROJECTION, &light, &heavy);
    CHECK_NEAR(light, -0.03, 1e-11);
    CHECK_NEAR(heavy, 0.01, 1e-11);
    CHECK(report.penetration <= 1e-11);

    report = step_overlap(CN_STABILISATION_NONE, &light, &heavy);
    CHECK_NEAR(light, 0.0, 0.0);
    CHECK_NEAR(report.penetration, 0.04, 1e-15);

    double share = 0.2 * (0.04 - 1e-4); // beyond the slop
    report = step_overlap(CN_STABILISATION_SPLIT_IMPULSE, &light, &heavy);
    CHECK_NEAR(light, -0.75 * share, 1e-11);
    CHECK_NEAR(heavy, 0.25 * share, 1e-11);
    CHECK_NEAR(report.penetration, 0.04 - share, 1e-11);

    // As a velocity: half of the step is made with it.
    report = step_overlap(CN_STABILISATION_BAUMGARTE, &light, &heavy);
    CHECK_NEAR(light, -0.75 * 0.5 * share, 1e-10);
    CHECK_NEAR(heavy, 0.25 * 0.5 * share, 1e-10);
}

static void one_pass_moves_no_further_than_the_limit(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.stabilisation = CN_STABILISATION_SPLIT_IMPULSE;
    def.step.max_correction = 1e-3;
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.4), zero, no_material);
    run_step(world, 0.01);
    CHECK_NEAR(run_state(world, ball).center.z, 0.401, 1e-11);
    cn_world_destroy(world);
}

static void a_body_that_flies_apart_is_left_alone(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    run_add_ground(world, no_material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.4), cn_vec3(0.0, 0.0, 1.0), no_material);
    CnStepReport report = run_step(world, 0.01);
    CHECK_NEAR(run_state(world, ball).center.z, 0.41, 1e-15);
    CHECK_NEAR(report.penetration, 0.09, 1e-15);
    CHECK_NEAR(report.energy.work[CN_WORK_STABILISATION], 0.0, 0.0);
    cn_world_destroy(world);
}

// The first overlaps the second by 20 mm, the second touches the third, which touches a wall: all
// of it has to move to the left.
static void nobody_is_pressed_into_a_neighbour(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef wall = cn_body_def_default();
    plane.normal = cn_vec3(-1.0, 0.0, 0.0);
    plane.position = cn_vec3(3.0, 0.0, 0.0);
    wall.type = CN_BODY_STATIC;
    wall.shapes = &plane;
    wall.shape_count = 1;
    run_add(world, &wall);
    const double x[] = {0.52, 1.5, 2.5}, expected[] = {0.5, 1.5, 2.5};
    CnBodyId ball[3];
    for (int i = 0; i < 3; ++i) {
        ball[i] = run_add_ball(world, 1.0, 0.5, cn_vec3(x[i], 0.0, 0.0), zero, no_material);
    }
    run_step(world, 0.01);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(run_state(world, ball[i]).center.x, expected[i], 1e-10);
    }
    cn_world_destroy(world);
}

// A turning body put back to its pin: it moves and turns, but in its own axes spins as before.
static void kinetic_energy_is_not_touched(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnBodyDef body = run_body(2.0, cn_vec3(0.3, 0.5, 0.7), zero);
    CnBodyId id = run_add(world, &body);
    CnPinData pin = {cn_vec3(0.5, 0.2, 0.0), cn_vec3(0.52, 0.25, 0.03)}; // off by 62 mm
    CnConstraintId joint =
        run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
    CnStepReport report = run_step(world, 0.01);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
    CHECK_INT(cn_constraint_read(world, joint, force, value), CN_OK);
    CHECK(report.joint_error <= 1e-11);
    CHECK_NEAR(hypot(value[0], hypot(value[1], value[2])), 0.0, 2e-11);
    CHECK(cn_vec3_length(run_state(world, id).center) > 0.01); // it did move, and
    CHECK(run_state(world, id).rotation.w < 1.0 - 1e-6);       // turn
    CHECK_NEAR(report.energy.end, 0.0, 1e-18);
    cn_world_destroy(world);
}

// Two balls on a rod, one thrown square to it: the step is posed where the rod has kept its length,
// in the metric of the masses, and a world that has stepped before must know no more about it.
static void the_first_step_is_posed_like_any_other(void) {
    CnBodyState first[2], again[2];
    for (int later = 0; later < 2; ++later) {
        CnWorld* world = create(CN_STABILISATION_PROJECTION);
        CnBodyId ball[2];
        CnBodyState thrown[2];
        for (int i = 0; i < 2; ++i) {
            ball[i] = run_add_ball(world, 1.0 + 3.0 * i, 0.1, cn_vec3(1.0 * i, 0.0, 0.0),
                                   cn_vec3(0.0, i == 0 ? 5.0 : 0.0, 0.0), no_material);
            thrown[i] = run_state(world, ball[i]);
        }
        CnJointDef rod = cn_joint_def_default(CN_JOINT_DISTANCE);
        rod.body_a = ball[0];
        rod.body_b = ball[1];
        rod.point_b = cn_vec3(1.0, 0.0, 0.0);
        CHECK(cn_world_add_joint(world, &rod, NULL).index != 0);
        if (later == 1) {
            run_step(world, 0.01);
            for (int i = 0; i < 2; ++i) {
                CHECK_INT(cn_body_set_state(world, ball[i], &thrown[i], NULL), CN_OK);
            }
        }
        run_step(world, 0.01);
        for (int i = 0; i < 2; ++i) {
            (later == 1 ? again : first)[i] = run_state(world, ball[i]);
        }
        cn_world_destroy(world);
    }
    for (int i = 0; i < 2; ++i) {
        // The second starts from impulses of its past: equal to the solver's 1e-8 m/s.
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(first[i].velocity, again[i].velocity)), 0.0, 1e-7);
    }
}

TEST_MAIN("unit/world/correct", TEST(the_lighter_body_moves_the_further),
          TEST(one_pass_moves_no_further_than_the_limit),
          TEST(a_body_that_flies_apart_is_left_alone), TEST(nobody_is_pressed_into_a_neighbour),
          TEST(kinetic_energy_is_not_touched), TEST(the_first_step_is_posed_like_any_other))
