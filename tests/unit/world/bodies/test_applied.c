// test_applied.c - forces and impulses for one step, damping, gravity of one body: books close.
#include "support/run.h"

#include <string.h>

static const CnMaterialId no_material = {0};
static const CnVec3 zero = {0.0, 0.0, 0.0};

static CnWorld* create(CnScheme scheme, CnVec3 gravity, int substeps) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = gravity;
    def.step.scheme = scheme;
    def.step.substeps = substeps;
    return run_create(&def);
}

static CnBodyId add_box(CnWorld* world, CnVec3 velocity, CnVec3 turning) {
    CnBodyDef def = run_body(2.0, cn_vec3(0.3, 0.4, 0.5), cn_vec3(1.0, 2.0, 3.0));
    def.velocity = velocity;
    def.angular_velocity = turning;
    return run_add(world, &def);
}

static void check_vector(CnVec3 v, CnVec3 expected, double tolerance) {
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(v, expected)), 0.0, tolerance);
}

// Momentum is the impulse, once, in every scheme and with substeps; run_step() checks the books.
static void an_impulse_is_all_in_the_next_step_and_gone_after_it(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_ACCELERATION, CN_SCHEME_IMPLICIT};
    for (int i = 0; i < 6; ++i) {
        CnWorld* world = create(schemes[i / 2], zero, 1 + 2 * (i % 2));
        CnBodyId body = add_box(world, zero, zero);
        CnVec3 impulse = cn_vec3(4.0, -2.0, 6.0), center = run_state(world, body).center;
        CHECK_INT(cn_body_apply_impulse(world, body, impulse, center, NULL), CN_OK);
        CHECK_INT(cn_body_apply_angular_impulse(world, body, cn_vec3(0.0, 0.0, 1e-3), NULL), CN_OK);
        CnBodyInfo info;
        CHECK_INT(cn_body_read(world, body, &info), CN_OK);
        check_vector(info.impulse, impulse, 0.0);
        CnStepReport report = run_step(world, 1e-2);
        check_vector(run_state(world, body).velocity, cn_vec3(2.0, -1.0, 3.0), 1e-14);
        check_vector(run_state(world, body).angular_velocity, cn_vec3(0.0, 0.0, 2e-3), 1e-14);
        // All of the energy is work of loads: m v^2 / 2 + p w / 2.
        CHECK_NEAR(report.energy.work[CN_WORK_LOADS], 14.0 + 1e-6, 1e-12);
        check_vector(report.momentum.linear_loads, impulse, 1e-14);
        cn_body_read(world, body, &info);
        check_vector(info.impulse, zero, 0.0);
        CnVec3 before = run_state(world, body).velocity;
        run_step(world, 1e-2);
        check_vector(run_state(world, body).velocity, before, 1e-15);
        cn_world_destroy(world);
    }
}

// A force at a point: its moment turns the body.
static void a_force_acts_through_one_step_at_its_point(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, zero, 1);
    CnBodyId body = add_box(world, zero, zero);
    CnVec3 point = cn_vec3_add(run_state(world, body).center, cn_vec3(0.5, 0.0, 0.0));
    CHECK_INT(cn_body_apply_force(world, body, cn_vec3(0.0, 3.0, 0.0), point, NULL), CN_OK);
    CHECK_INT(cn_body_apply_force(world, body, cn_vec3(0.0, 1.0, 0.0), point, NULL), CN_OK);
    CHECK_INT(cn_body_apply_torque(world, body, cn_vec3(0.0, 0.0, 0.5), NULL), CN_OK);
    run_step(world, 0.1);
    check_vector(run_state(world, body).velocity, cn_vec3(0.0, 0.2, 0.0), 1e-15);
    check_vector(run_state(world, body).angular_velocity, cn_vec3(0.0, 0.0, 0.1 * 2.5 / 0.5),
                 1e-14);
    cn_world_destroy(world);
}

// The table does not move: a contact takes the impulse, in the same step.
static void contacts_answer_an_impulse_in_its_step(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, -9.81), 1);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, no_material);
    run_steps(world, 1e-3, 5);
    CnVec3 center = run_state(world, ball).center;
    CHECK_INT(cn_body_apply_impulse(world, ball, cn_vec3(0.0, 0.0, -5.0), center, NULL), CN_OK);
    run_step(world, 1e-3);
    CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-8);
    CnContactPoint point;
    CHECK_INT(cn_world_contacts(world, &point, 1), 1);
    CHECK_NEAR(point.impulse.z, 5.0 + 9.81e-3, 1e-7);
    cn_world_destroy(world);
}

static void a_step_that_fails_leaves_what_was_applied(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, zero, 1);
    CnBodyId body = add_box(world, zero, zero);
    CnVec3 center = run_state(world, body).center;
    CHECK_INT(cn_body_apply_impulse(world, body, cn_vec3(1e9, 0.0, 0.0), center, NULL), CN_OK);
    CHECK(cn_world_step(world, 1e-2, NULL, NULL) != CN_OK); // beyond speed_limit
    CnBodyInfo info;
    cn_body_read(world, body, &info);
    CHECK(info.impulse.x == 1e9);
    CHECK_INT(cn_body_apply_impulse(world, body, cn_vec3(2.0 - 1e9, 0.0, 0.0), center, NULL),
              CN_OK);
    run_step(world, 1e-2);
    check_vector(run_state(world, body).velocity, cn_vec3(1.0, 0.0, 0.0), 1e-15);
    cn_world_destroy(world);
}

// What was applied goes with its body and stays with the others.
static void removing_a_body_forgets_what_it_was_given(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, zero, 1);
    CnBodyId bodies[3];
    for (int i = 0; i < 3; ++i) {
        bodies[i] = add_box(world, zero, zero);
        CnVec3 center = run_state(world, bodies[i]).center;
        CHECK_INT(cn_body_apply_impulse(world, bodies[i], cn_vec3(1.0 + i, 0.0, 0.0), center, NULL),
                  CN_OK);
    }
    CHECK_INT(cn_world_remove_body(world, bodies[0]), CN_OK);
    run_step(world, 1e-2);
    CHECK_NEAR(run_state(world, bodies[1]).velocity.x, 1.0, 1e-15);
    CHECK_NEAR(run_state(world, bodies[2]).velocity.x, 1.5, 1e-15);
    cn_world_destroy(world);
}

// v = v0 e^-ct, exact to round-off however long the step; terminal velocity g / c.
static void damping_is_exact_in_moreau(void) {
    const double c = 3.0;
    for (int parts = 1; parts <= 100; parts *= 10) {
        CnWorld* world = create(CN_SCHEME_MOREAU, zero, 1);
        CnBodyId body = add_box(world, cn_vec3(1.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 2.0));
        CHECK_INT(cn_body_set_damping(world, body, c, 2.0 * c, NULL), CN_OK);
        run_steps(world, 1.0 / parts, parts);
        CHECK_NEAR(run_state(world, body).velocity.x, cn_exp(-c), 1e-14);
        CHECK_NEAR(run_state(world, body).angular_velocity.z, 2.0 * cn_exp(-2.0 * c), 1e-14);
        cn_world_destroy(world);
    }
    CnWorld* world = create(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, -9.0), 1);
    CnBodyId body = add_box(world, zero, zero);
    CHECK_INT(cn_body_set_damping(world, body, c, 0.0, NULL), CN_OK);
    run_steps(world, 1.0, 20); // steps of three times the time constant
    CHECK_NEAR(run_state(world, body).velocity.z, -3.0, 1e-14);
    cn_world_destroy(world);
}

// RK4 has an error of (c h)^5 / 120 (1 + c h) a step; backward Euler of (c h)^2 / 2.
static void damping_in_the_other_schemes(void) {
    const double c = 2.0, h = 1e-2;
    const CnScheme schemes[2] = {CN_SCHEME_ACCELERATION, CN_SCHEME_IMPLICIT};
    const double errors[2] = {100.0 * 2.8e-11, 100.0 * 2e-4};
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = create(schemes[i], zero, 1);
        CnBodyId body = add_box(world, cn_vec3(1.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 1.0));
        CHECK_INT(cn_body_set_damping(world, body, c, c, NULL), CN_OK);
        run_steps(world, h, 100);
        CHECK_NEAR(run_state(world, body).velocity.x, cn_exp(-c), errors[i] * cn_exp(-c));
        CHECK_NEAR(run_state(world, body).angular_velocity.z, cn_exp(-c), errors[i] * cn_exp(-c));
        cn_world_destroy(world);
    }
}

// Energy counts the gravity that the body feels, in every scheme.
static void gravity_can_be_scaled(void) {
    for (int scheme = 0; scheme < CN_SCHEME_QUASI_STATIC; ++scheme) {
        CnWorld* world = create((CnScheme)scheme, cn_vec3(0.0, 0.0, -10.0), 1);
        CnBodyId body = add_box(world, zero, zero), other = add_box(world, zero, zero);
        CHECK_INT(cn_body_set_gravity_scale(world, body, -0.5, NULL), CN_OK);
        double energy = cn_world_energy(world);
        run_steps(world, 1e-2, 100);
        CHECK_NEAR(run_state(world, body).velocity.z, 5.0, 1e-12);
        CHECK_NEAR(run_state(world, other).velocity.z, -10.0, 1e-12);
        CHECK(scheme == CN_SCHEME_IMPLICIT ||
              fabs(cn_world_energy(world) - energy) <= 1e-11 * fabs(energy));
        cn_world_destroy(world);
    }
}

static void mistakes_are_told(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, zero, 1);
    CnBodyId ground = run_add_ground(world, no_material), body = add_box(world, zero, zero);
    CnBodyId none = {0};
    CnError error;
    CHECK_INT(cn_body_apply_force(world, none, zero, zero, &error), CN_STALE);
    CHECK_INT(cn_body_apply_torque(world, none, zero, &error), CN_STALE);
    CHECK_INT(cn_body_apply_impulse(world, none, zero, zero, &error), CN_STALE);
    CHECK_INT(cn_body_apply_angular_impulse(world, none, zero, &error), CN_STALE);
    CHECK_INT(cn_body_apply_force(world, ground, zero, zero, &error), CN_INVALID);
    CHECK(strstr(error.message, "dynamic") != NULL);
    CHECK_INT(cn_body_apply_force(world, body, cn_vec3(NAN, 0.0, 0.0), zero, &error), CN_INVALID);
    CHECK(strstr(error.message, "force") != NULL);
    CHECK_INT(cn_body_apply_force(world, body, zero, cn_vec3(0.0, INFINITY, 0.0), &error),
              CN_INVALID);
    CHECK(strstr(error.message, "point") != NULL);
    CHECK_INT(cn_body_set_damping(world, body, -1.0, 0.0, &error), CN_INVALID);
    CHECK(strstr(error.message, "linear_damping") != NULL);
    CHECK_INT(cn_body_set_damping(world, body, 0.0, NAN, &error), CN_INVALID);
    CHECK(strstr(error.message, "angular_damping") != NULL);
    CHECK_INT(cn_body_set_gravity_scale(world, body, INFINITY, &error), CN_INVALID);
    CHECK(strstr(error.message, "gravity_scale") != NULL);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/applied", TEST(an_impulse_is_all_in_the_next_step_and_gone_after_it),
          TEST(a_force_acts_through_one_step_at_its_point),
          TEST(contacts_answer_an_impulse_in_its_step),
          TEST(a_step_that_fails_leaves_what_was_applied),
          TEST(removing_a_body_forgets_what_it_was_given), TEST(damping_is_exact_in_moreau),
          TEST(damping_in_the_other_schemes), TEST(gravity_can_be_scaled), TEST(mistakes_are_told))
