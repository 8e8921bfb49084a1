// test_ledger.c - the books close in every combination of settings, on scenes with everything.
#include "cairn/random.h"
#include "support/run.h"
#include "support/shapes/random_poses.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnBodyId nobody = {0};

// Bodies of three different moments, turned and spinning: nothing is aligned with anything.
static CnBodyId add_potato(CnWorld* world, CnRandom* random, CnVec3 position,
                           CnMaterialId material) {
    CnBodyDef def = run_body(cn_random_between(random, 0.5, 2.0), cn_vec3(0.2, 0.3, 0.4), position);
    def.inertia[3] = 0.03;
    def.center = random_within(random, 0.1);
    def.rotation = cn_quat_exp(random_within(random, 2.0));
    def.velocity = random_within(random, 1.0);
    def.angular_velocity = random_within(random, 3.0);
    def.material = material;
    return run_add(world, &def);
}

static void add_load(CnWorld* world, CnRandom* random, CnBodyId body) {
    CnForceDef force = cn_force_def_default();
    force.body = body;
    force.point = random_within(random, 0.3);
    force.force = random_within(random, 5.0);
    force.torque = random_within(random, 1.0);
    force.frame = CN_FORCE_CARRIED;
    force.drag = 0.2;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
}

// A pinned body, tied to a second one that carries a load and scrapes along a moving belt with one
// point, far from the world's origin so that arms matter.
static void add_mechanism(CnWorld* world, CnRandom* random, bool with_contacts) {
    CnMaterialId material = run_add_material(world, 0.4, 0.3);
    CnVec3 here = cn_vec3(3.0, -2.0, 1.0);
    CnBodyId a = add_potato(world, random, here, material);
    CnBodyId b = add_potato(world, random, cn_vec3_add(here, cn_vec3(1.0, 0.0, 0.0)), material);
    add_load(world, random, b);
    CnVec3 arm = random_within(random, 0.5);
    CnBodyState sa = run_state(world, a), sb = run_state(world, b);
    sa.velocity = zero; // start on the constraints, as far as they are about a
    sa.angular_velocity = zero;
    CHECK_INT(cn_body_set_state(world, a, &sa, NULL), CN_OK);
    CnPinData pin = {arm, cn_vec3_add(sa.center, cn_quat_rotate(sa.rotation, arm))};
    run_add_constraint(world, cn_pin_kind(), a, nobody, &pin, sizeof pin);
    CnDistanceData tie = {zero, zero, cn_vec3_length(cn_vec3_sub(sb.center, sa.center))};
    run_add_constraint(world, cn_distance_kind(), a, b, &tie, sizeof tie);
    if (!with_contacts) {
        return;
    }
    CnBodyDef belt = cn_body_def_default();
    belt.type = CN_BODY_KINEMATIC;
    belt.velocity = cn_vec3(0.5, 0.2, 0.05);
    belt.angular_velocity = cn_vec3(0.1, 0.0, 0.3);
    belt.material = material;
    CnContactDef contact = cn_contact_def_default();
    contact.body_a = run_add(world, &belt);
    contact.body_b = b;
    contact.point = cn_vec3_add(sb.center, cn_vec3(0.1, -0.1, -0.3));
    contact.gap = 0.01;
    CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);
    for (int i = 0; i < 4; ++i) { // and a few balls in each other's way
        run_add_ball(world, 1.0, 0.2, cn_vec3(-2.0 + 0.39 * i, 5.0, 0.1 * (i % 2)),
                     cn_vec3(-0.5 * i, 0.1, 0.0), material);
    }
}

// run_step() holds every step to 1e-12 of the sum of the magnitudes.
static void run_scene(const CnWorldDef* def, uint64_t seed, bool with_contacts) {
    CnRandom random = {seed};
    CnWorld* world = run_create(def);
    add_mechanism(world, &random, with_contacts);
    for (int i = 0; i < 100; ++i) {
        CnStepReport report = run_step(world, 2e-3);
        CHECK(isfinite(report.energy.end) && report.energy.scale > 1.0);
    }
    cn_world_destroy(world);
}

static void the_books_close_for_every_rotation_update_theta_and_stabilisation(void) {
    const double thetas[] = {0.5, 0.7, 1.0};
    for (int r = 0; r < CN_ROTATION_COUNT; ++r) {
        for (int t = 0; t < 3; ++t) {
            for (int s = 0; s < CN_STABILISATION_COUNT; ++s) {
                CnWorldDef def = cn_world_def_default();
                def.step.rotation = (CnRotationUpdate)r;
                def.step.theta = thetas[t];
                def.step.stabilisation = (CnStabilisation)s;
                run_scene(&def, (uint64_t)(100 * r + 10 * t + s), true);
            }
        }
    }
}

static void the_books_close_with_substeps_and_quasi_statically(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 3;
    run_scene(&def, 7, true);
    def.step.scheme = CN_SCHEME_QUASI_STATIC;
    run_scene(&def, 8, true);
}

static void the_books_close_at_the_end_of_the_step(void) {
    for (int s = 0; s < CN_STABILISATION_COUNT; ++s) {
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = CN_SCHEME_IMPLICIT;
        def.step.stabilisation = (CnStabilisation)s;
        def.step.substeps = 1 + s % 2;
        run_scene(&def, (uint64_t)s, true);
    }
}

static void the_books_close_for_both_integrators(void) {
    for (int i = 0; i < CN_INTEGRATOR_COUNT; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = CN_SCHEME_ACCELERATION;
        def.step.integrator = (CnIntegrator)i;
        run_scene(&def, (uint64_t)i, false);
    }
}

// A load that changes between the two looks a step takes at it: the books hold the one that acted.
static void lie(const CnBodyState* body, double time, void* data, CnVec3* force, CnVec3* torque) {
    (void)body;
    (void)time;
    (void)torque;
    double* said = data;
    *said += 1.0;
    force->x += *said;
}

static void a_force_is_booked_as_it_was_used(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    double said = 0.0;
    CnForceDef force = cn_force_def_default();
    force.body = run_add(world, &body);
    force.function = lie;
    force.data = &said;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    CnStepReport report = run_step(world, 0.5);
    CHECK_NEAR(said, 2.0, 0.0); // looked twice; the second answer counts
    CHECK_NEAR(report.momentum.linear_loads.x, 1.0, 1e-15);
    CHECK_NEAR(report.energy.work[CN_WORK_LOADS], 0.5, 1e-15);
    cn_world_destroy(world);
}

TEST_MAIN("physics/world/ledger",
          TEST(the_books_close_for_every_rotation_update_theta_and_stabilisation),
          TEST(the_books_close_with_substeps_and_quasi_statically),
          TEST(the_books_close_at_the_end_of_the_step), TEST(the_books_close_for_both_integrators),
          TEST(a_force_is_booked_as_it_was_used))
