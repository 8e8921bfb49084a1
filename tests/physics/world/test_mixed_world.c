// test_mixed_world.c - scheme soft_step with bodies whose islands are solved exactly.
#include "cairn/joint.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0)
#define GRAVITY 9.81

static CnWorldDef mixed_def(void) {
    CnWorldDef def = run_soft_def();
    def.step.restitution_threshold = 0.5;
    return def;
}

static CnBodyId add_cube(CnWorld* world, CnMaterialId material, bool exact, CnVec3 position) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    shape.size = cn_vec3(1.0, 1.0, 1.0);
    def.material = material;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = position;
    def.exact = exact;
    return run_add(world, &def);
}

static void add_floor(CnWorld* world, CnMaterialId material) {
    run_add_box(world, CN_BODY_STATIC, cn_vec3(40.0, 40.0, 1.0), cn_vec3(0.0, 0.0, -0.5), material);
}

// Two stacks of five: the first has an exact body and does not give way, the other one is soft and
// sinks by g / omega^2 per contact and load, some tenths of a millimetre.
static void an_exact_stack_does_not_give_way_beside_a_soft_one(void) {
    CnWorldDef def = mixed_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyId top[2];
    CnStepReport report = {0};
    add_floor(world, material);
    for (int stack = 0; stack < 2; ++stack) {
        for (int i = 0; i < 5; ++i) {
            top[stack] =
                add_cube(world, material, stack == 0 && i == 2, cn_vec3(4.0 * stack, 0.0, 0.5 + i));
        }
    }
    for (int i = 0; i < 120; ++i) {
        report = run_step(world, DT);
    }
    CHECK_INT(report.island_count, 2);
    CHECK_INT(report.exact_islands, 1);
    CHECK_INT(report.not_converged, 0);
    CHECK(report.solver.certificate.worst <= def.solver.tolerance);
    CHECK_NEAR(run_state(world, top[0]).center.z, 4.5, 1e-7); // corrected to 1e-9 per contact
    CHECK(run_state(world, top[1]).center.z < 4.5 - 1e-4);
    cn_world_destroy(world);
}

// Forces of an exact cube are those of its weight to the solver's tolerance, 1e-8 m/s m / dt.
static void exact_contacts_carry_the_weight(void) {
    CnWorldDef def = mixed_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnContactPoint points[8];
    add_floor(world, material);
    CnBodyId cube = add_cube(world, material, true, cn_vec3(0.0, 0.0, 0.5));
    run_steps(world, DT, 30);
    CnMassProperties mass;
    cn_body_mass_properties(world, cube, &mass);
    double force = 0.0;
    CHECK_INT(cn_world_contacts(world, points, 8), 4);
    for (int i = 0; i < 4; ++i) {
        force += points[i].force.z;
    }
    CHECK_NEAR(force, mass.mass * GRAVITY, 4e-8 * mass.mass / DT);
    cn_world_destroy(world);
}

// A slide that starts at rest: a = g (sin - mu cos) from the first step on.
static void an_exact_cube_slides_with_the_exact_acceleration(void) {
    CnWorldDef def = mixed_def();
    double angle = 27.2 * CN_PI / 180.0;
    def.gravity = cn_vec3(GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle));
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_floor(world, material);
    CnBodyId cube = add_cube(world, material, true, cn_vec3(0.0, 0.0, 0.5));
    run_steps(world, DT, 60);
    double expected = GRAVITY * (sin(angle) - 0.5 * cos(angle));
    CHECK_NEAR(run_state(world, cube).velocity.x, expected, 1e-6); // 60 solves of 1e-8 m/s
    cn_world_destroy(world);
}

// A pendulum with a stop: joints and limits in exact islands.
static void joints_of_exact_bodies_are_kept_exactly(void) {
    CnWorldDef def = mixed_def();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(1.0, 0.0, 0.0));
    body.exact = true;
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_b = run_add(world, &body);
    hinge.axis = cn_vec3(0.0, 1.0, 0.0);
    hinge.axes[CN_AXIS_TURN_Z].limited = true;
    hinge.axes[CN_AXIS_TURN_Z].lower = -0.5;
    hinge.axes[CN_AXIS_TURN_Z].upper = 0.5;
    CnJointId joint = cn_world_add_joint(world, &hinge, NULL);
    CHECK(joint.index != 0);
    for (int i = 0; i < 120; ++i) {
        CnStepReport report = run_step(world, DT);
        CHECK(report.joint_error <= 1e-6); // one chord of a displacement of at most w^2 r dt^2 / 2
    }
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    CHECK_NEAR(fabs(state.position[CN_AXIS_TURN_Z]), 0.5, 1e-6);
    CHECK_NEAR(cn_vec3_length(run_state(world, hinge.body_b).velocity), 0.0, 1e-6);
    cn_world_destroy(world);
}

static void exact_is_read_back_and_changed(void) {
    CnWorldDef def = mixed_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_floor(world, material);
    CnBodyId cube = add_cube(world, material, false, cn_vec3(0.0, 0.0, 0.5));
    CnBodyInfo info;
    run_steps(world, DT, 60);
    double sunk = run_state(world, cube).center.z;
    CHECK(sunk < 0.5 - 1e-5);
    CHECK_INT(cn_body_set_exact(world, cube, true, NULL), CN_OK);
    CHECK_INT(cn_body_read(world, cube, &info), CN_OK);
    CHECK(info.exact);
    CnStepReport report = run_step(world, DT);
    CHECK_INT(report.exact_islands, 1);
    CHECK_NEAR(run_state(world, cube).center.z, 0.5, 1e-8); // overlap goes without speed
    CHECK_NEAR(cn_vec3_length(run_state(world, cube).velocity), 0.0, 1e-6);
    CHECK_INT(cn_body_set_exact(world, cube, false, NULL), CN_OK);
    report = run_step(world, DT);
    CHECK_INT(report.exact_islands, 0);
    run_steps(world, DT, 60);
    CHECK_NEAR(run_state(world, cube).center.z, sunk, 2e-5);
    cn_world_destroy(world);
}

static void a_solver_without_contacts_is_refused_with_a_sentence(void) {
    CnWorldDef def = mixed_def();
    CnError error = {0};
    def.solver.name = "direct";
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_floor(world, material);
    add_cube(world, material, true, cn_vec3(0.0, 0.0, 0.5));
    CHECK_INT(cn_world_step(world, DT, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "solver direct does not support the contacts");
    cn_world_destroy(world);
}

// ---- bits ----

static CnWorld* create_pile(const CnTasks* tasks) {
    CnWorldDef def = mixed_def();
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.2);
    add_floor(world, material);
    for (int i = 0; i < 24; ++i) {
        bool is_ball = i % 4 == 3;
        CnVec3 at = cn_vec3(1.3 * (i % 6), 0.1 * (i % 2), 0.8 + 1.2 * (i / 6));
        if (is_ball) {
            run_add_ball(world, 5.0, 0.4, at, cn_vec3(0.2, 0.0, 0.0), material);
        } else {
            add_cube(world, material, i % 9 == 0, at);
        }
    }
    return world;
}

static void mixed_worlds_are_the_same_for_workers_and_after_loading(void) {
    const int before = UNDER_SANITIZER ? 20 : 60, after = UNDER_SANITIZER ? 20 : 90;
    CnWorld* plain = create_pile(NULL);
    run_steps(plain, DT, before);
    CnWorld* copy = cn_world_clone(plain, NULL, NULL);
    run_steps(plain, DT, after);
    run_steps(copy, DT, after);
    CHECK(cn_world_hash(copy) == cn_world_hash(plain));
    CnTaskPool* pool = cn_task_pool_create(3, NULL);
    CnTasks tasks = cn_task_pool_tasks(pool);
    CnWorld* other = create_pile(&tasks);
    run_steps(other, DT, before + after);
    CHECK(cn_world_hash(other) == cn_world_hash(plain));
    cn_world_destroy(other);
    cn_world_destroy(copy);
    cn_world_destroy(plain);
    cn_task_pool_destroy(pool);
}

// A step that would leave a body too fast fails; the same steps after it have the same bits.
static void a_failed_step_leaves_no_trace(void) {
    const int steps = UNDER_SANITIZER ? 20 : 45;
    CnWorld* world = create_pile(NULL);
    CnWorld* twin = create_pile(NULL);
    run_steps(world, DT, steps);
    run_steps(twin, DT, steps);
    CnBodyId body = cn_world_body_at(world, 10); // an exact one
    CnVec3 push = cn_vec3(1e9, 0.0, 0.0), at = run_state(world, body).center;
    CHECK_INT(cn_body_apply_impulse(world, body, push, at, NULL), CN_OK);
    CHECK(cn_world_step(world, DT, NULL, NULL) != CN_OK);
    CHECK_INT(cn_body_apply_impulse(world, body, cn_vec3_negate(push), at, NULL), CN_OK);
    run_steps(world, DT, steps);
    run_steps(twin, DT, steps);
    CHECK(cn_world_hash(world) == cn_world_hash(twin));
    cn_world_destroy(world);
    cn_world_destroy(twin);
}

// Steps that are cut at impacts are graded apart from their solve: what came of exact islands lasts
// until then. The ball rests on the ground, as exact as the solver: gaps within 1e-9 m.
static void exact_islands_are_reported_where_steps_are_cut(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    CnWorld* world = run_create(&def);
    CnMaterialId none = {0};
    run_add_ground(world, none);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0, 0, 0.5), cn_vec3(0, 0, 0), none);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.1;
    CnBodyDef bullet = run_body(0.1, cn_vec3(1e-3, 1e-3, 1e-3), cn_vec3(9, 0, 5));
    bullet.shapes = &sphere;
    bullet.shape_count = 1;
    bullet.fast = true;
    run_add(world, &bullet);
    CHECK_INT(cn_body_set_exact(world, ball, true, NULL), CN_OK);
    for (int i = 0; i < 20; ++i) {
        CnStepReport report;
        CHECK_INT(cn_world_step(world, 0.01, &report, NULL), CN_OK);
        CHECK_INT(report.exact_islands, 1);
        CHECK(report.penetration <= 1e-9);
    }
    cn_world_destroy(world);
}

TEST_MAIN("physics/world/mixed_world", TEST(exact_islands_are_reported_where_steps_are_cut),
          TEST(an_exact_stack_does_not_give_way_beside_a_soft_one),
          TEST(exact_contacts_carry_the_weight),
          TEST(an_exact_cube_slides_with_the_exact_acceleration),
          TEST(joints_of_exact_bodies_are_kept_exactly), TEST(exact_is_read_back_and_changed),
          TEST(a_solver_without_contacts_is_refused_with_a_sentence),
          TEST(mixed_worlds_are_the_same_for_workers_and_after_loading),
          TEST(a_failed_step_leaves_no_trace))
