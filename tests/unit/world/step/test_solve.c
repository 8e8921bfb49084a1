// test_solve.c - solving island by island.
#include "solvers/solve/budget.h"
#include "support/run.h"
#include "world/world.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

// Columns of balls on the floor, one of them `height` balls high.
static CnWorld* create_columns(const CnWorldDef* def, int columns, int tall, int height) {
    CnWorld* world = run_create(def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    for (int i = 0; i < columns; ++i) {
        for (int k = 0; k < (i == tall ? height : 1); ++k) {
            run_add_ball(world, 1.0, 0.5, cn_vec3(3.0 * i, 0.0, 0.5 + k), zero, material);
        }
    }
    return world;
}

static void bodies_that_share_only_the_ground_are_apart(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = create_columns(&def, 5, 2, 4);
    CnStepReport report = run_step(world, 1e-3);
    CHECK_INT(report.island_count, 5);
    CHECK_INT(report.contact_count, 8);
    // Alone or with the others, a column carries the same: the weight above each contact.
    CnContactPoint points[8];
    CHECK_INT(cn_world_contacts(world, points, 8), 8);
    double sum = 0.0;
    for (int i = 0; i < 8; ++i) {
        sum += points[i].impulse.z / 9.81e-3;
    }
    CHECK_NEAR(sum, 4.0 + 4.0 + 3.0 + 2.0 + 1.0, 1e-4); // 1e-8 m/s of some 1e-2 m/s, each
    cn_world_destroy(world);
}

// One sweep is enough for single balls but not for the column, which is the fourth island: the
// report is that island's, and names its block by its place in the whole problem.
static void the_worst_island_is_reported_by_its_own_block(void) {
    CnWorldDef def = cn_world_def_default();
    def.solver.name = "pgs";
    def.solver.max_iterations = 1;
    CnWorld* world = create_columns(&def, 6, 3, 5);
    CnStepReport report;
    CHECK_INT(cn_world_step(world, 1e-3, &report, NULL), CN_OK);
    CHECK_INT(report.not_converged, 1);
    CHECK(report.solver.certificate.worst > 1e-8);
    int block = report.solver.certificate.worst_block;
    const CnProblem* problem = cn_world_problem(world);
    CHECK(block >= 0 && block < problem->block_count);
    CHECK(problem->blocks[block].body_b >= 4 && problem->blocks[block].body_b <= 8);
    CHECK_INT(report.certificate.worst_block, block); // the grade of the whole agrees
    CHECK_NEAR(report.certificate.worst, report.solver.certificate.worst, 1e-15);
    cn_world_destroy(world);
}

// A ball on ice, where nothing is approximated, has the worst residual: it falls, and lands. The
// step is approximate all the same.
static void a_step_is_approximate_if_one_island_is(void) {
    CnWorldDef def = cn_world_def_default();
    def.solver.friction = CN_FRICTION_PYRAMID;
    CnWorld* world = create_columns(&def, 2, 0, 1);
    CnMaterialId ice = run_add_material(world, 0.0, 0.0);
    run_add_ball(world, 1.0, 0.5, cn_vec3(-9.0, 0.0, 0.5), cn_vec3(0.3, 0.0, -7.0), ice);
    for (int i = 0; i < 3; ++i) {
        CnStepReport report = run_step(world, 1e-3);
        CHECK_INT(report.island_count, 3);
        CHECK_INT(report.not_converged, 0);
        CHECK_STRING(report.solver.approximation, "pyramid friction");
    }
    cn_world_destroy(world);
}

// A column of 40 balls needs some 1e7 multiplications. Solves begin nothing beyond their budget,
// and several looks of `implicit` have one between them; what has begun is finished and graded,
// which is some dozens of certificates at most.
static void a_budget_holds_for_the_whole_step(void) {
    static const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_IMPLICIT,
                                       CN_SCHEME_QUASI_STATIC};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; ++i) {
        for (double budget = 1e4; budget < 2e6; budget *= 10.0) {
            CnWorldDef def = cn_world_def_default();
            CnStepReport report;
            def.step.scheme = schemes[i];
            def.solver.work_budget = budget;
            CnWorld* world = create_columns(&def, 2, 1, 40);
            CHECK_INT(cn_world_step(world, 1e-3, &report, NULL), CN_OK);
            double unit = cn_cost_of_certificate(cn_world_problem(world));
            CHECK_INT(report.out_of_budget, 1); // the single ball needs less than either
            CHECK(report.not_converged >= 1);
            CHECK(report.work > 0.0);
            CHECK(report.work <= 2.0 * budget + 50.0 * unit); // two islands, each with its own
            CHECK(report.correction_work <= 2.0 * budget + 50.0 * unit);
            cn_world_destroy(world);
        }
    }
}

static void a_refused_problem_tells_why_and_moves_nothing(void) {
    CnWorldDef def = cn_world_def_default();
    def.solver.name = "direct"; // has joints only
    CnWorld* world = create_columns(&def, 2, 0, 1);
    CnError error = {0};
    uint64_t hash = cn_world_hash(world);
    CHECK_INT(cn_world_step(world, 1e-3, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "does not support the law \"coulomb\"");
    CHECK(cn_world_hash(world) == hash);
    cn_world_destroy(world);
}

static void friction_that_the_solver_has_not_is_refused_with_the_world(void) {
    CnWorldDef def = cn_world_def_default();
    CnError error = {0};
    def.solver.name = "nsgs";
    def.solver.friction = CN_FRICTION_BOX;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK_INT(error.status, CN_UNSUPPORTED);
    CHECK_STRING(error.message,
                 "solver nsgs does not support \"box\" friction; these do: auto, pgs, lemke");
}

static void bodies_without_rows_keep_their_free_velocity(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = create_columns(&def, 2, 0, 1);
    CnBodyId free = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 50.0), zero, no_material);
    run_step(world, 1e-3);
    CHECK_NEAR(run_state(world, free).velocity.z, 1e-3 * -9.81, 0.0);
    cn_world_destroy(world);
}

static void every_stage_of_a_step_is_timed(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = create_columns(&def, 20, 0, 3);
    double seconds[CN_STAGE_COUNT] = {0.0};
    for (int i = 0; i < 50; ++i) {
        CnStepReport report = run_step(world, 1e-3);
        for (int k = 0; k < CN_STAGE_COUNT; ++k) {
            CHECK(report.stage_seconds[k] >= 0.0);
            seconds[k] += report.stage_seconds[k];
        }
    }
    for (int k = 0; k < CN_STAGE_COUNT; ++k) {
        ck_assert_msg(seconds[k] > 0.0, "stage %s", cn_stage_name((CnStage)k));
    }
    cn_world_destroy(world);
}

// A ball thrown along the ground drags another one by a rod. Only stages of scheme moreau write
// start_velocity: in other schemes it is what a step before has left, in a clone zero, and a solve
// must not depend on it.
static uint64_t step_with_old_velocities(double old) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_IMPLICIT;
    def.solver.tolerance = 1e-3; // [m/s]; a solve that takes the bodies for resting goes further
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(5.0, 1.0, -2.0), material);
    CnBodyId dragged = run_add_ball(world, 1.0, 0.5, cn_vec3(-2.0, 0.0, 0.5), zero, material);
    CnJointDef rod = cn_joint_def_default(CN_JOINT_BALL);
    rod.body_a = ball;
    rod.body_b = dragged;
    rod.point_a = cn_vec3(-1.0, 0.0, 0.5);
    CHECK(cn_world_add_joint(world, &rod, NULL).index != 0);
    for (int i = 0; i < 3; ++i) {
        run_step(world, 1e-2);
        for (int k = 0; k < world->order.count; ++k) {
            for (int j = 0; j < 6; ++j) {
                world->step.start_velocity[k][j] = old;
            }
        }
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void velocities_that_a_scheme_does_not_write_change_nothing(void) {
    CHECK(step_with_old_velocities(0.0) == step_with_old_velocities(9.0)); // [m/s, rad/s]
}

TEST_MAIN("unit/world/step/solve", TEST(bodies_that_share_only_the_ground_are_apart),
          TEST(the_worst_island_is_reported_by_its_own_block),
          TEST(a_step_is_approximate_if_one_island_is), TEST(a_budget_holds_for_the_whole_step),
          TEST(a_refused_problem_tells_why_and_moves_nothing),
          TEST(friction_that_the_solver_has_not_is_refused_with_the_world),
          TEST(bodies_without_rows_keep_their_free_velocity), TEST(every_stage_of_a_step_is_timed),
          TEST(velocities_that_a_scheme_does_not_write_change_nothing))
