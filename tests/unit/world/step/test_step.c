// test_step.c - one step: what it refuses, what it leaves behind, what its report adds up.
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnVec3 unit_moments = {1.0, 1.0, 1.0};

static void a_step_needs_a_positive_finite_dt(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    const double wrong[] = {0.0, -1e-3, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 4; ++i) {
        CnError error = {0};
        CHECK_INT(cn_world_step(world, wrong[i], NULL, &error), CN_INVALID);
        CHECK_CONTAINS(error.message, "dt");
    }
    CHECK_NEAR(cn_world_time(world), 0.0, 0.0);
    cn_world_destroy(world);
}

// Half of the least number above zero is zero.
static void substeps_take_some_time(void) {
    for (int scheme = 0; scheme < CN_SCHEME_COUNT; ++scheme) {
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = (CnScheme)scheme;
        def.step.substeps = 2;
        CnWorld* world = run_create(&def);
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
        body.fast = scheme != CN_SCHEME_ACCELERATION;
        run_add(world, &body);
        CnError error = {0};
        CHECK_INT(cn_world_step(world, 5e-324, NULL, &error), CN_INVALID);
        CHECK_CONTAINS(error.message, "substeps");
        cn_world_destroy(world);
    }
}

static void an_empty_world_only_tells_the_time(void) {
    for (int i = 0; i < CN_SCHEME_COUNT * CN_ROTATION_COUNT; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = (CnScheme)(i % CN_SCHEME_COUNT);
        def.step.rotation = (CnRotationUpdate)(i / CN_SCHEME_COUNT);
        CnWorld* world = cn_world_create(&def, NULL);
        if (world == NULL) {
            continue; // some schemes have an update of their own
        }
        CnStepReport report = run_step(world, 0.25);
        CHECK_NEAR(report.time, 0.25, 0.0);
        CHECK_NEAR(cn_world_time(world), 0.25, 0.0);
        CHECK_INT(report.block_count, 0);
        CHECK_INT(report.certificate.worst_block, -1);
        cn_world_destroy(world);
    }
}

// The ball is 15 mm above the ground and falls at 10 m/s: two of four substeps of 1 ms are fine,
// the third finds it touching and scheme acceleration refuses.
static void a_refused_substep_leaves_the_whole_step_undone(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_ACCELERATION;
    def.step.substeps = 4;
    CnWorld* world = run_create(&def);
    CnMaterialId none = {0};
    run_add_ground(world, none);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.1, cn_vec3(0.0, 0.0, 0.115), cn_vec3(0.0, 0.0, -10.0), none);
    CnBodyState before = run_state(world, ball);
    uint64_t hash = cn_world_hash(world);
    CnError error = {0};
    CHECK_INT(cn_world_step(world, 4e-3, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "touch");
    CnBodyState after = run_state(world, ball);
    CHECK_NEAR(run_state_distance(&before, &after), 0.0, 0.0);
    CHECK_NEAR(cn_world_time(world), 0.0, 0.0);
    CHECK(cn_world_hash(world) == hash);
    CHECK_INT(cn_world_problem(world)->block_count, 0);
    cn_world_destroy(world);
}

typedef struct Meddler {
    CnWorld* world;
    CnBodyId body;
    CnForceId force;
    CnConstraintId constraint;
    CnContactId contact;
    int refused, tried;
} Meddler;

static void meddle(const CnBodyState* state, double time, void* data, CnVec3* force,
                   CnVec3* torque) {
    (void)time;
    (void)force;
    (void)torque;
    Meddler* m = data;
    CnBodyDef body = run_body(1.0, unit_moments, zero);
    CnForceDef push = cn_force_def_default();
    CnContactDef contact = cn_contact_def_default();
    CnConstraintDef pin = cn_constraint_def_default();
    CnPinData pin_data = {zero, zero};
    CnMaterialDef material = cn_material_def_default();
    CnSeriesDef series = {
        .name = "s", .count = 1, .times = &(double){0.0}, .values = &(double){1.0}};
    push.body = contact.body_b = pin.body_a = m->body;
    pin.kind = cn_pin_kind();
    pin.data = &pin_data;
    pin.data_size = sizeof pin_data;
    const bool refused[] = {
        cn_world_add_body(m->world, &body, NULL).index == 0,
        cn_world_add_force(m->world, &push, NULL).index == 0,
        cn_world_add_contact(m->world, &contact, NULL).index == 0,
        cn_world_add_constraint(m->world, &pin, NULL).index == 0,
        cn_world_add_material(m->world, &material, NULL).index == 0,
        cn_world_add_series(m->world, &series, NULL).index == 0,
        cn_world_exclude_pair(m->world, m->body, m->body, NULL) == CN_INVALID,
        cn_world_remove_body(m->world, m->body) == CN_INVALID,
        cn_world_remove_force(m->world, m->force) == CN_INVALID,
        cn_world_remove_constraint(m->world, m->constraint) == CN_INVALID,
        cn_world_remove_contact(m->world, m->contact) == CN_INVALID,
        cn_body_set_state(m->world, m->body, state, NULL) == CN_INVALID,
        cn_world_step(m->world, 1e-3, NULL, NULL) == CN_INVALID,
        cn_world_find_contacts(m->world, NULL, 0) == -1,
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        m->refused += refused[i];
        m->tried += 1;
    }
}

static void a_callback_cannot_change_the_world_it_is_called_from(void) {
    CnWorldDef def = cn_world_def_default();
    Meddler meddler = {.world = run_create(&def)};
    CnBodyDef body = run_body(1.0, unit_moments, zero);
    meddler.body = run_add(meddler.world, &body);
    CnPinData pin = {zero, zero};
    meddler.constraint = run_add_constraint(meddler.world, cn_pin_kind(), meddler.body,
                                            (CnBodyId){0}, &pin, sizeof pin);
    CnContactDef contact = cn_contact_def_default();
    contact.body_b = meddler.body;
    meddler.contact = cn_world_add_contact(meddler.world, &contact, NULL);
    CnForceDef force = cn_force_def_default();
    force.body = meddler.body;
    force.function = meddle;
    force.data = &meddler;
    meddler.force = cn_world_add_force(meddler.world, &force, NULL);
    run_step(meddler.world, 1e-3);
    CHECK(meddler.tried > 0);
    CHECK_INT(meddler.refused, meddler.tried);
    cn_world_destroy(meddler.world);
}

// dt is a power of two, so that times and step lengths are the same numbers in both worlds.
static void four_substeps_are_four_steps_and_one_report(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* whole = run_create(&def);
    def.step.substeps = 4;
    CnWorld* parts = run_create(&def);
    CnWorld* worlds[2] = {whole, parts};
    for (int i = 0; i < 2; ++i) {
        CnMaterialId rubber = run_add_material(worlds[i], 0.4, 0.5);
        run_add_ground(worlds[i], rubber);
        run_add_ball(worlds[i], 1.0, 0.5, cn_vec3(0.0, 0.0, 0.51), cn_vec3(1.0, 0.0, -2.0), rubber);
    }
    const double dt = 0x1p-8;
    double work[CN_WORK_COUNT] = {0.0};
    CnVec3 gravity = zero, external = zero;
    for (int i = 0; i < 4; ++i) {
        CnStepReport report = run_step(whole, dt);
        gravity = cn_vec3_add(gravity, report.momentum.linear_gravity);
        external = cn_vec3_add(external, report.momentum.linear_external);
        for (int k = 0; k < CN_WORK_COUNT; ++k) {
            work[k] += report.energy.work[k];
        }
    }
    CnStepReport report = run_step(parts, 4.0 * dt);
    CHECK(cn_world_hash(whole) == cn_world_hash(parts));
    for (int k = 0; k < CN_WORK_COUNT; ++k) {
        CHECK_NEAR(report.energy.work[k], work[k], 1e-14); // sums in the same order
    }
    CHECK(fabs(work[CN_WORK_CONTACT]) > 0.1); // it did bounce: 1.5 J of 2 J are lost
    CHECK_NEAR(report.momentum.linear_gravity.z, gravity.z, 1e-14);
    CHECK_NEAR(report.momentum.linear_external.z, external.z, 1e-14);
    CHECK_NEAR(report.time, 4.0 * dt, 0.0);
    cn_world_destroy(whole);
    cn_world_destroy(parts);
}

static bool acts_at_first(const CnBodyState* a, const CnBodyState* b, double time,
                          const void* data) {
    (void)a;
    (void)b;
    (void)data;
    return time < 1e-3;
}

// The worst block of a step may belong to a substep whose problem is gone: then no block of the
// present one is blamed for it.
static void the_worst_block_is_one_that_can_be_looked_at(void) {
    CnConstraintKind brief = *cn_pin_kind();
    brief.is_active = acts_at_first;
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 2;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(3.0, cn_vec3(0.7, 0.9, 1.1), cn_vec3(0.1, 0.2, 0.3));
    body.velocity = cn_vec3(1.0 / 3.0, 1.0 / 7.0, 1.0 / 9.0);
    CnBodyId id = run_add(world, &body);
    CnPinData pin = {cn_vec3(0.3, 0.1, 0.7), cn_vec3(0.4, 0.3, 1.0)};
    run_add_constraint(world, &brief, id, (CnBodyId){0}, &pin, sizeof pin);
    CnStepReport report = run_step(world, 2e-3);
    CHECK_INT(report.block_count, 0);
    CHECK(report.certificate.worst > 0.0); // the round-off of the first half
    CHECK_INT(report.certificate.worst_block, -1);
    CHECK_INT(report.solver.certificate.worst_block, -1);
    cn_world_destroy(world);
}

static void a_state_is_held_to_the_rules_of_a_def(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId ground = run_add_ground(world, (CnMaterialId){0});
    CnBodyDef body = run_body(1.0, unit_moments, zero);
    CnBodyId id = run_add(world, &body);
    CnBodyState state = run_state(world, id);
    CnError error = {0};

    state.center = cn_vec3(1.0, 2.0, 3.0);
    state.rotation = cn_quat(1.0 + 5e-7, 0.0, 0.0, 0.0); // within the tolerance: normalised
    CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
    CHECK_NEAR(run_state(world, id).rotation.w, 1.0, 0.0);
    CHECK_NEAR(run_state(world, id).center.y, 2.0, 0.0);

    state.velocity.x = (double)NAN;
    CHECK_INT(cn_body_set_state(world, id, &state, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "velocity");
    CHECK_NEAR(run_state(world, id).velocity.x, 0.0, 0.0);

    state = run_state(world, ground);
    state.velocity.x = 1.0;
    CHECK_INT(cn_body_set_state(world, ground, &state, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "static");
    CHECK_INT(cn_body_set_state(world, (CnBodyId){9, 1}, &state, &error), CN_STALE);
    cn_world_destroy(world);
}

// A belt that runs at 1 m/s under a body of 1 kg gives it the momentum 1 N s, whatever the
// friction: the belt's work is 1 J, half of it becomes kinetic energy and half is lost by sliding.
static void a_belt_gives_twice_the_energy_it_passes_on(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId rubber = run_add_material(world, 0.5, 0.0);
    CnBodyDef belt = cn_body_def_default();
    belt.type = CN_BODY_KINEMATIC;
    belt.velocity = cn_vec3(1.0, 0.0, 0.0);
    belt.material = rubber;
    CnBodyDef load = run_body(1.0, unit_moments, zero);
    load.material = rubber;
    CnContactDef contact = cn_contact_def_default();
    contact.body_a = run_add(world, &belt);
    contact.body_b = run_add(world, &load);
    CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);

    double drive = 0.0, friction = 0.0;
    for (int i = 0; i < 300; ++i) { // it sticks after v / (mu g) = 0.204 s
        CnStepReport report = run_step(world, 1e-3);
        drive += report.energy.work[CN_WORK_DRIVE];
        friction += report.energy.work[CN_WORK_FRICTION];
    }
    // 300 solves, each within 1e-8 m/s of a body of 1 kg.
    CHECK_NEAR(run_state(world, contact.body_b).velocity.x, 1.0, 1e-8);
    CHECK_NEAR(drive, 1.0, 3e-6);
    CHECK_NEAR(friction, -0.5, 3e-6);
    cn_world_destroy(world);
}

// From rest every step: v = f dt / m and the way of n steps is n f dt^2 / m; nothing adds up.
static void quasi_static_steps_start_from_rest(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_QUASI_STATIC;
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, unit_moments, zero);
    CnForceDef force = cn_force_def_default();
    force.body = run_add(world, &body);
    force.force = cn_vec3(3.0, 0.0, 0.0);
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_steps(world, 0.1, 7);
    CnBodyState state = run_state(world, force.body);
    CHECK_NEAR(state.velocity.x, 0.15, 1e-15);
    CHECK_NEAR(state.center.x, 7.0 * 0.015, 1e-15);
    cn_world_destroy(world);
}

// A contact that starts open by 5 mm is closed by one quasi-static step and then stays: errors of
// position are asked back in full.
static void a_quasi_static_body_lands_and_rests_without_overlap(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_QUASI_STATIC;
    def.step.stabilisation = CN_STABILISATION_NONE;
    CnWorld* world = run_create(&def);
    run_add_ground(world, (CnMaterialId){0});
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.505), zero, (CnMaterialId){0});
    for (int i = 0; i < 20; ++i) { // g dt^2 = 0.981 mm a step
        CnStepReport report = run_step(world, 0.01);
        CHECK(report.penetration <= 1e-10); // solver tolerance 1e-8 m/s, for 10 ms
    }
    CHECK_NEAR(run_state(world, ball).center.z, 0.5, 1e-10);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/step/step", TEST(a_step_needs_a_positive_finite_dt),
          TEST(substeps_take_some_time), TEST(an_empty_world_only_tells_the_time),
          TEST(a_refused_substep_leaves_the_whole_step_undone),
          TEST(a_callback_cannot_change_the_world_it_is_called_from),
          TEST(four_substeps_are_four_steps_and_one_report),
          TEST(the_worst_block_is_one_that_can_be_looked_at),
          TEST(a_state_is_held_to_the_rules_of_a_def),
          TEST(a_belt_gives_twice_the_energy_it_passes_on),
          TEST(quasi_static_steps_start_from_rest),
          TEST(a_quasi_static_body_lands_and_rests_without_overlap))
