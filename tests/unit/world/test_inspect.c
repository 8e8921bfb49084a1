// test_inspect.c - reading what the last step did.
#include "support/run.h"
#include "world/world.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static void blocks_are_named_after_what_they_hold(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(5.0, 0.0, 0.0));
    body.name = "crate";
    CnBodyId crate = run_add(world, &body);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, no_material);
    CnContactDef foot = cn_contact_def_default();
    foot.body_b = crate;
    foot.point = body.position;
    CHECK(cn_world_add_contact(world, &foot, NULL).index != 0);
    foot.name = "left foot";
    CHECK(cn_world_add_contact(world, &foot, NULL).index != 0);
    CnAnchorDistanceData data = {zero, zero, 5.0};
    run_add_constraint(world, cn_anchor_distance_kind(), crate, (CnBodyId){0}, &data, sizeof data);
    CnStepReport report = run_step(world, 1e-3);
    const char* const names[] = {"contact body 0/body 2", "contact world/crate", "left foot",
                                 "anchor_distance crate/world"};
    CHECK_INT(report.block_count, 4);
    for (int i = 0; i < 4; ++i) {
        char name[64];
        cn_world_block_name(world, i, name, sizeof name);
        CHECK_STRING(name, names[i]);
    }
    char name[64];
    cn_world_block_name(world, 4, name, sizeof name);
    CHECK_STRING(name, "none");
    cn_world_block_name(world, 2, name, 5);
    CHECK_STRING(name, "left"); // cut, never overrun
    cn_world_destroy(world);
}

static void check_names_of_removed(const CnWorld* world) {
    char name[64];
    cn_world_block_name(world, 0, name, sizeof name);
    CHECK_STRING(name, "removed contact world/crate");
    cn_world_block_name(world, 1, name, sizeof name);
    CHECK_STRING(name, "removed constraint crate/world");
}

static void blocks_of_what_was_removed_say_so(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(5.0, 0.0, 0.0));
    body.name = "crate";
    CnBodyId crate = run_add(world, &body);
    CnContactDef foot = cn_contact_def_default();
    foot.name = "foot";
    foot.body_b = crate;
    foot.point = body.position;
    CnContactId contact = cn_world_add_contact(world, &foot, NULL);
    CnPinData data = {zero, body.position};
    CnConstraintId pin =
        run_add_constraint(world, cn_pin_kind(), crate, (CnBodyId){0}, &data, sizeof data);
    CHECK_INT(run_step(world, 1e-3).block_count, 2);

    CHECK_INT(cn_world_remove_contact(world, contact), CN_OK);
    CHECK_INT(cn_world_remove_constraint(world, pin), CN_OK);
    check_names_of_removed(world);
    foot.name = "other foot"; // takes the slot of the first
    CHECK_INT(cn_world_add_contact(world, &foot, NULL).index, contact.index);
    CnConstraintId other =
        run_add_constraint(world, cn_pin_kind(), crate, (CnBodyId){0}, &data, sizeof data);
    CHECK_INT(other.index, pin.index);
    check_names_of_removed(world);
    cn_world_destroy(world);
}

// A ball of 2 kg slides at 3 m/s: the contact carries its weight and mu times it against the slip.
static void a_contact_point_tells_its_impulse_and_slip(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId ice = run_add_material(world, 0.1, 0.0);
    CnBodyId ground = run_add_ground(world, ice);
    CnBodyId ball =
        run_add_ball(world, 2.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(3.0, 0.0, 0.0), ice);
    const double dt = 1e-3, g = 9.81;
    run_step(world, dt);
    CnContactPoint points[2];
    CHECK_INT(cn_world_contacts(world, points, 2), 1);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 1);
    CHECK_INT(points[0].body_a.index, ground.index);
    CHECK_INT(points[0].body_b.index, ball.index);
    CHECK_NEAR(points[0].normal.z, 1.0, 0.0);
    CHECK_NEAR(points[0].friction, 0.1, 1e-16);
    CHECK_NEAR(points[0].impulse.z, 2.0 * g * dt, 2e-8);
    CHECK_NEAR(points[0].impulse.x, -0.1 * 2.0 * g * dt, 2e-8);
    // Friction slows the centre by mu g dt and spins the ball: 1 + 1 / 0.4 times as fast.
    CHECK_NEAR(points[0].velocity.x, 3.0 - 3.5 * 0.1 * g * dt, 1e-7);
    CHECK_NEAR(points[0].velocity.z, 0.0, 1e-8);
    uint64_t key = points[0].key;
    run_step(world, dt);
    cn_world_contacts(world, points, 2);
    CHECK(points[0].key == key);
    CHECK_INT(cn_world_find_contacts(world, points, 2), 1);
    CHECK(points[0].key == key);
    CHECK_NEAR(cn_vec3_length(points[0].impulse) + cn_vec3_length(points[0].velocity), 0.0, 0.0);
    cn_world_destroy(world);
}

// Sliding loses p_t (u- + u+) / 2; the block's work is that of the account it is booked in.
static void the_work_of_blocks_adds_up_to_the_accounts(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId ice = run_add_material(world, 0.1, 0.0);
    run_add_ground(world, ice);
    for (int i = 0; i < 3; ++i) {
        run_add_ball(world, 2.0, 0.5, cn_vec3(2.0 * i, 0.0, 0.5), cn_vec3(1.0 + i, 0.0, 0.0), ice);
    }
    CnStepReport report = run_step(world, 1e-3);
    const double* work = cn_world_block_work(world);
    double sum = 0.0;
    for (int i = 0; i < report.block_count; ++i) {
        CHECK(work[i] < 0.0);
        sum += work[i];
    }
    CHECK_INT(report.block_count, 3);
    CHECK_NEAR(sum, report.energy.work[CN_WORK_FRICTION] + report.energy.work[CN_WORK_CONTACT],
               1e-16);
    cn_world_destroy(world);
}

// The problem a step posed can be taken out and solved alone, with the same answer.
static void the_problem_of_a_step_can_be_solved_alone(void) {
    CnWorldDef def = cn_world_def_default();
    def.solver.name = "nsgs";
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(1.0, 0.0, 0.0), no_material);
    run_step(world, 1e-3);
    CnOwnedProblem* copy = cn_problem_copy(cn_world_problem(world), NULL);
    const CnProblem* problem = cn_owned_problem_get(copy);
    CHECK_INT(cn_problem_check(problem, NULL), CN_OK);
    double impulse[3] = {0.0}, velocity[2][6];
    CnSolution solution = {impulse, velocity};
    CnSolverReport report;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_solve(problem, &def.solver, workspace, &solution, &report, NULL), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(velocity[1][0], run_state(world, ball).velocity.x, 2e-8); // twice the tolerance
    cn_workspace_destroy(workspace);
    cn_owned_problem_destroy(copy);
    cn_world_destroy(world);
}

// Sum of the forces on a body, of its contacts [N].
static CnVec3 contact_force(const CnWorld* world, CnBodyId body, int expected_count) {
    CnContactPoint points[16];
    CnVec3 sum = zero;
    CHECK_INT(cn_body_contacts(world, body, points, 16), expected_count);
    for (int i = 0; i < expected_count; ++i) {
        bool is_b = points[i].body_b.index == body.index;
        CHECK(is_b || points[i].body_a.index == body.index);
        sum = cn_vec3_add_scaled(sum, is_b ? 1.0 : -1.0, points[i].force);
    }
    return sum;
}

static bool refuses_all(const CnWorld* world, const CnContactPoint* point, void* data) {
    (void)world;
    (void)data;
    return point->shape_a.index == 0;
}

// Two cubes of 0.1 m on the ground, and 40 m off a third: each knows its own contacts, whether the
// step has parts or not.
static void a_body_tells_what_it_touches(void) {
    for (int substeps = 1; substeps <= 3; ++substeps) {
        CnWorldDef def = cn_world_def_default();
        def.step.substeps = substeps;
        CnWorld* world = run_create(&def);
        CnBodyId ground = run_add_ground(world, no_material), cubes[3];
        for (int i = 0; i < 3; ++i) {
            CnShapeDef cube = cn_shape_def_default(CN_SHAPE_BOX);
            CnBodyDef body = cn_body_def_default();
            cube.size = cn_vec3(0.1, 0.1, 0.1); // 1 kg
            body.shapes = &cube;
            body.shape_count = 1;
            body.position = cn_vec3(i < 2 ? 0.0 : 40.0, 0.0, i == 1 ? 0.15 : 0.05);
            cubes[i] = run_add(world, &body);
        }
        CHECK_INT(cn_body_contacts(world, ground, NULL, 0), 0); // no step yet
        run_step(world, 1e-3);
        CHECK_INT(cn_world_contacts(world, NULL, 0), 12);
        // To the tolerance of the solver, 1e-8 m/s in 1 ms of 1 kg.
        CHECK_NEAR(contact_force(world, cubes[0], 8).z, 9.81, 1e-4);
        CHECK_NEAR(contact_force(world, cubes[1], 4).z, 9.81, 1e-4);
        CHECK_NEAR(contact_force(world, cubes[2], 4).z, 9.81, 1e-4);
        CHECK_NEAR(contact_force(world, ground, 8).z, -3.0 * 9.81, 1e-4);
        CnContactPoint few[3] = {[2].gap = 7.0};
        CHECK_INT(cn_body_contacts(world, cubes[1], few, 2), 4);
        CHECK(few[2].gap == 7.0);
        CnShapeId top, bottom;
        cn_body_shapes(world, cubes[0], &bottom, 1);
        cn_body_shapes(world, cubes[1], &top, 1);
        CHECK(few[0].shape_a.index == bottom.index && few[0].shape_b.index == top.index);
        CHECK(few[0].shape_a.generation == bottom.generation);
        CHECK_INT(cn_world_remove_body(world, cubes[2]), CN_OK);
        CHECK_INT(cn_body_contacts(world, cubes[2], NULL, 0), -1);
        CHECK_INT(cn_body_contacts(world, cubes[0], NULL, 0), 0); // as cn_world_contacts()
        run_step(world, 1e-3);
        contact_force(world, ground, 4);
        cn_world_destroy(world);
    }
}

static void a_body_tells_contacts_given_by_hand_and_none_that_were_refused(void) {
    CnWorldDef def = cn_world_def_default();
    def.contact_hooks.filter = refuses_all;
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, no_material);
    CnContactDef foot = cn_contact_def_default();
    foot.body_b = ball;
    CHECK(cn_world_add_contact(world, &foot, NULL).index != 0);
    run_step(world, 1e-3);
    CnContactPoint points[2];
    CHECK_INT(cn_body_contacts(world, ball, points, 2), 1);
    CHECK(points[0].shape_a.index == 0 && points[0].shape_b.index == 0);
    CHECK_NEAR(points[0].force.z, 9.81, 1e-4); // as above
    cn_world_destroy(world);
}

// A correction at the end of a step may take two shapes so far apart that their pair is dropped as
// the step stands: its contact is gone with it, whoever asks, and not read from memory that is
// free.
static void contacts_of_a_pair_that_is_dropped_are_gone(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, no_material);
    run_step(world, 1e-2);
    CHECK_INT(cn_body_contacts(world, ball, NULL, 0), 1);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 1);
    cn_pair_store_drop_record(&world->pairs, world->broad_phase.set.records.data[0]);
    CHECK_INT(cn_body_contacts(world, ball, NULL, 0), 0);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/inspect", TEST(blocks_are_named_after_what_they_hold),
          TEST(blocks_of_what_was_removed_say_so), TEST(a_contact_point_tells_its_impulse_and_slip),
          TEST(the_work_of_blocks_adds_up_to_the_accounts),
          TEST(the_problem_of_a_step_can_be_solved_alone), TEST(a_body_tells_what_it_touches),
          TEST(a_body_tells_contacts_given_by_hand_and_none_that_were_refused),
          TEST(contacts_of_a_pair_that_is_dropped_are_gone))
