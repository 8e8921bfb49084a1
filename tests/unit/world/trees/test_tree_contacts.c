// test_tree_contacts.c - contacts of one tree are solved along it, to the answer of other solvers.
#include "support/run.h"
#include "world/correct/correct.h"
#include "world/trees/tree_store.h"

#define STEPS 20

static CnWorld* open_with(const char* solver, double tolerance) {
    CnWorld* world = run_open("@grasp");
    CnSolverDef def = cn_solver_def_default();
    def.name = solver;
    def.tolerance = tolerance;
    CHECK_INT(cn_world_set_solver(world, &def, NULL), CN_OK);
    return world;
}

// A hand that holds a drum, which is on no tree: 24 rows of contacts, that slide and stick. Both
// solvers leave 1e-10 m/s, which the motors' stiffness and 20 steps may raise a hundred times.
static void contacts_are_solved_as_by_the_interior_point(void) {
    CnWorld* worlds[2] = {open_with("auto", 1e-10), open_with("cone_ip", 1e-10)};
    for (int step = 0; step < STEPS; ++step) {
        CnStepReport report = run_step(worlds[0], 1e-3);
        run_step(worlds[1], 1e-3);
        CHECK_STRING(report.solver.remark, "31 bodies in trees of joints, 24 rows outside");
        CHECK(cn_trees_have_solved(worlds[0]) == (step > 0)); // it begins at rest
        CHECK(!cn_trees_have_solved(worlds[1]));
    }
    for (int i = 0; i < cn_world_body_count(worlds[0]); ++i) {
        const CnBodyState* a = &cn_world_body_by_index(worlds[0], i)->state;
        const CnBodyState* b = &cn_world_body_by_index(worlds[1], i)->state;
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a->velocity, b->velocity)), 0.0, 1e-8);
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// What contacts give the links is not booked as given by joints: run_step() checks the ledgers.
static void momentum_is_that_of_joints_and_contacts(void) {
    CnWorld* world = open_with("auto", 1e-8);
    for (int step = 0; step < STEPS; ++step) {
        CnStepReport report = run_step(world, 1e-3);
        CHECK(report.momentum.error < 1e-13);
        CHECK(report.momentum.internal_error < 1e-13);
    }
    cn_world_destroy(world);
}

#define SHIFT 1e-5 // [m]

// A world after some steps, its bodies shifted off their joints and the drum onto the fingers, then
// corrected, with trees or without; the number of rows that this posed last.
static CnWorld* shake_and_correct(bool uses_trees, int* rows) {
    CnWorld* world = open_with("auto", 1e-8);
    CnStepReport report = {0};
    run_steps(world, 1e-3, STEPS);
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyState* state = &cn_world_body_by_index(world, i)->state;
        state->center.x += SHIFT * ((double)(i * 7 % 5) - 2.0);
        state->center.y += SHIFT * ((double)(i * 3 % 7) - 3.0);
    }
    world->trees->serves = uses_trees;
    CHECK_INT(cn_world_correct_positions(world, true, &report, NULL), CN_OK);
    CHECK(report.joint_error <= 1e-11 && report.joint_angle_error <= 1e-11);
    CHECK(report.penetration <= 1e-11);
    *rows = world->correction.rows.row_count;
    return world;
}

// Along the tree only contacts have rows. Both ways make the same passes, whose rows are straight,
// and each may leave 1e-11 of what it asks for; bodies are moved by some 1e-5 m.
static void positions_are_corrected_as_by_rows_of_joints(void) {
    int rows[2];
    CnWorld* worlds[2] = {shake_and_correct(true, &rows[0]), shake_and_correct(false, &rows[1])};
    CHECK_INT(rows[0], 8);
    CHECK_INT(rows[1], 8 + 5 * 30);
    for (int i = 0; i < cn_world_body_count(worlds[0]); ++i) {
        const CnBodyState* a = &cn_world_body_by_index(worlds[0], i)->state;
        const CnBodyState* b = &cn_world_body_by_index(worlds[1], i)->state;
        CHECK_NEAR(run_state_distance(a, b), 0.0, 1e-9);
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

TEST_MAIN("unit/world/trees/tree_contacts", TEST(contacts_are_solved_as_by_the_interior_point),
          TEST(momentum_is_that_of_joints_and_contacts),
          TEST(positions_are_corrected_as_by_rows_of_joints))
