// test_stages.c - the stages of a step, each called alone, and the tables of schemes.
//
// The world: two unit cubes of 2 kg on the ground, far apart, and a third on the second one.
#include "support/run.h"
#include "world/schemes/schemes.h"

#include <string.h>

#define DT 1e-3
#define GRAVITY 9.81
#define MASS 2.0
#define GROUND 0
#define ALONE 1
#define LOWER 2
#define UPPER 3

// Of numbers of order one after some ten operations: ten times 2^-53.
#define ROUND_OFF 1e-15

static void add_cube(CnWorld* world, CnMaterialId material, double x, double z) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    shape.size = cn_vec3(1.0, 1.0, 1.0);
    def.material = material;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = cn_vec3(x, 0.0, z);
    run_add(world, &def);
}

// alone: height of the first cube above the ground [m].
static CnWorld* create(CnScheme scheme, double alone) {
    CnWorldDef def = cn_world_def_default();
    CnMaterialDef light = cn_material_def_default();
    CnMaterialId none = {0};
    def.step.scheme = scheme;
    light.density = MASS; // the cubes have 1 m^3
    CnWorld* world = run_create(&def);
    CnMaterialId material = cn_world_add_material(world, &light, NULL);
    run_add_ground(world, none);
    add_cube(world, material, -10.0, 0.5 + alone);
    add_cube(world, material, 10.0, 0.5);
    add_cube(world, material, 10.0, 1.5);
    return world;
}

static void open_step(CnWorld* world, CnStepReport* report, CnStepRun* run) {
    CnError error = {0};
    ck_assert_msg(cn_step_open(world, DT, report, run, &error) == CN_OK, "%s", error.message);
}

// One stage of the table, alone.
static void call(CnStepRun* run, CnStage stage) {
    CnError error = {0};
    ck_assert_msg(run->table->stage[stage](run, &error) == CN_OK, "%s: %s", cn_stage_name(stage),
                  error.message);
}

static void call_up_to(CnStepRun* run, CnStage last) {
    for (int i = 0; i <= (int)last; ++i) {
        call(run, (CnStage)i);
    }
}

static const CnManifold* manifold_at(const CnWorld* world, int place) {
    return cn_manifold_at(&world->pairs, world->step.manifolds.data[place]);
}

static void begin_gives_bodies_their_free_velocity(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_BEGIN);
    for (int i = ALONE; i <= UPPER; ++i) {
        CHECK_NEAR(world->step.free_velocity[i][2], -GRAVITY * DT, ROUND_OFF);
        CHECK_NEAR(world->step.inverse_mass[i], 1.0 / MASS, ROUND_OFF);
    }
    CHECK_NEAR(world->step.free_velocity[GROUND][2], 0.0, 0.0);
    CHECK_NEAR(run.posing.time, 0.5 * DT, ROUND_OFF);
    CHECK_INT(world->broad_phase.set.pairs.count, 0);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

static void find_pairs_finds_those_that_touch(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_PAIRS);
    const CnPairSet* set = &world->broad_phase.set;
    const int expected[][2] = {{GROUND, ALONE}, {GROUND, LOWER}, {LOWER, UPPER}};
    int found = 0;
    for (int i = 0; i < set->pairs.count; ++i) { // the plane's box meets all; each has one shape
        const CnPairRecord* record = &world->pairs.records.data[set->records.data[i]];
        CHECK_INT(record->manifold, CN_NONE);
        for (int k = 0; k < 3; ++k) {
            found += record->shape[0] == expected[k][0] && record->shape[1] == expected[k][1];
        }
        CHECK(record->shape[0] != ALONE); // far from both others
    }
    CHECK_INT(found, 3);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

static void find_contacts_finds_four_points_each(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_CONTACTS);
    CHECK_INT(world->step.manifolds.count, 3);
    const double x[] = {-10.0, 10.0, 10.0}, z[] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        const CnManifold* manifold = manifold_at(world, i);
        unsigned corners = 0;
        CHECK_INT(manifold->count, 4);
        CHECK_NEAR(cn_manifold_normal(manifold).z, 1.0, ROUND_OFF);
        for (int k = 0; k < 4; ++k) {
            CnVec3 point = cn_manifold_point(manifold, k);
            CHECK_NEAR(fabs(point.x - x[i]), 0.5, 10.0 * ROUND_OFF);
            CHECK_NEAR(fabs(point.y), 0.5, ROUND_OFF);
            CHECK_NEAR(point.z, z[i], ROUND_OFF);
            CHECK_NEAR(manifold->points[k].gap, 0.0, ROUND_OFF);
            corners |= 1u << ((point.x > x[i] ? 1 : 0) + (point.y > 0.0 ? 2 : 0));
        }
        CHECK_INT((int)corners, 15);
    }
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

// A gap may close, and no more: the normal velocity is at least -gap / dt.
static void build_rows_sets_the_targets(void) {
    const double gap = 1e-6;
    CnWorld* world = create(CN_SCHEME_MOREAU, gap);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_ROWS);
    CHECK_INT(world->step.tile_block_count, 12);
    CHECK_INT(world->step.tile_row_count, 36);
    CHECK_INT(world->step.rows.blocks.count, 0);
    for (int i = 0; i < 3; ++i) {
        const CnContactTile* tile = &manifold_at(world, i)->tile;
        CHECK_INT((int)tile->acting, 15);
        CHECK_INT(tile->body_a, i == 2 ? LOWER : GROUND);
        CHECK_INT(tile->body_b, i + 1);
        for (int k = 0; k < 4; ++k) { // a gap has the round-off of heights, over dt
            double rate = i == 0 ? -gap / DT : 0.0;
            CHECK_NEAR(cn_tile_target(tile, 0, k), rate, ROUND_OFF / DT);
            CHECK_NEAR(cn_tile_target(tile, 1, k), 0.0, 0.0);
            CHECK_NEAR(tile->impulse[0][k], 0.0, 0.0);
        }
    }
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

static void update_islands_joins_what_has_rows(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_ISLANDS);
    const CnIslandStore* islands = &world->islands;
    const int manifold_start[] = {0, 1, 3}, body_start[] = {0, 2, 5};
    const int body[] = {GROUND, ALONE, GROUND, LOWER, UPPER};
    CHECK_INT(islands->count, 2);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(islands->manifold_start.data[i], manifold_start[i]);
        CHECK_INT(islands->body_start.data[i], body_start[i]);
        CHECK_INT(islands->manifold.data[i], i);
    }
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(islands->body.data[i], body[i]);
    }
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

// Impulses are the weights that stand on each manifold, times dt.
static void solve_finds_the_weights(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_SOLVE);
    const double cubes[] = {1.0, 2.0, 1.0};
    double tolerance = world->def.solver.tolerance;
    for (int i = 0; i < 3; ++i) {
        const CnContactTile* tile = &manifold_at(world, i)->tile;
        double sum = 0.0;
        for (int k = 0; k < 4; ++k) {
            sum += tile->impulse[0][k];
        }
        // Velocities are within the tolerance; so is an impulse, times the mass on it.
        CHECK_NEAR(sum, cubes[i] * MASS * GRAVITY * DT, cubes[i] * MASS * tolerance);
        CHECK_NEAR(world->step.velocity[i + 1][2], 0.0, tolerance);
    }
    CHECK_INT(report.island_count, 2);
    CHECK_INT(report.contact_count, 12);
    CHECK(world->step.certificate.worst <= tolerance);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

// Half of the step with each of the velocities before and after it: g dt^2 / 2 in free fall.
static void move_takes_bodies_to_the_end(void) {
    const double height = 5.0;
    CnWorld* world = create(CN_SCHEME_MOREAU, height);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_MOVE);
    const CnBodyState* alone = &world->bodies.data[ALONE].state;
    CHECK_NEAR(alone->velocity.z, -GRAVITY * DT, ROUND_OFF);
    CHECK_NEAR(alone->center.z, 0.5 + height - 0.5 * GRAVITY * DT * DT, 10.0 * ROUND_OFF);
    CHECK_NEAR(world->bodies.data[UPPER].state.center.z, 1.5, world->def.solver.tolerance * DT);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

static void correct_measures_what_is_left(void) {
    const double deep = 1e-4;
    CnWorld* world = create(CN_SCHEME_MOREAU, -deep);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    run.world->def.step.stabilisation = CN_STABILISATION_NONE;
    call_up_to(&run, CN_STAGE_CORRECT);
    CHECK_NEAR(report.penetration, deep, world->def.solver.tolerance * DT + ROUND_OFF);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

static void grade_closes_the_ledgers(void) {
    const double height = 5.0;
    CnWorld* world = create(CN_SCHEME_MOREAU, height);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_GRADE);
    double tolerance = world->def.solver.tolerance;
    CHECK(report.energy.scale > 0.0);
    CHECK(report.energy.error <= LEDGER_TOLERANCE);
    CHECK(report.momentum.error <= LEDGER_TOLERANCE);
    CHECK(report.certificate.worst <= tolerance);
    // Weight of three cubes down, of two of them up again.
    CHECK_NEAR(report.momentum.linear_gravity.z, -3.0 * MASS * GRAVITY * DT, 100.0 * ROUND_OFF);
    CHECK_NEAR(report.momentum.linear_external.z, 2.0 * MASS * GRAVITY * DT,
               4.0 * MASS * tolerance);
    double kept = 0.0;
    for (int k = 0; k < 4; ++k) { // for the next step
        kept += cn_manifold_impulse(manifold_at(world, 0), k).z;
    }
    CHECK_NEAR(kept, 2.0 * MASS * GRAVITY * DT, 2.0 * MASS * tolerance);
    cn_step_close(&run, CN_OK);
    cn_world_destroy(world);
}

// All of them one after the other are a step, to the bit.
static void stages_in_their_order_are_a_step(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_QUASI_STATIC, CN_SCHEME_IMPLICIT};
    for (int s = 0; s < 3; ++s) {
        CnWorld *world = create(schemes[s], 1e-5), *twin = create(schemes[s], 1e-5);
        CnStepReport report;
        CnStepRun run;
        CnError error = {0};
        run_step(twin, DT);
        open_step(world, &report, &run);
        CHECK_INT(cn_step_run(&run, CN_STAGE_BEGIN, CN_STAGE_FINISH, &error), CN_OK);
        cn_step_close(&run, CN_OK);
        for (int i = GROUND; i <= UPPER; ++i) {
            CnBodyState *a = &world->bodies.data[i].state, *b = &twin->bodies.data[i].state;
            CHECK_NEAR(run_state_distance(a, b), 0.0, 0.0);
        }
        cn_world_destroy(world);
        cn_world_destroy(twin);
    }
}

static void a_step_given_up_leaves_no_trace(void) {
    CnWorld* world = create(CN_SCHEME_MOREAU, 5.0);
    uint64_t hash = cn_world_hash(world);
    CnStepReport report;
    CnStepRun run;
    open_step(world, &report, &run);
    call_up_to(&run, CN_STAGE_GRADE);
    CHECK_INT(cn_step_close(&run, CN_UNSUPPORTED), CN_UNSUPPORTED);
    CHECK(cn_world_hash(world) == hash);
    CHECK_INT(world->step.manifolds.count, 0);
    cn_world_destroy(world);
}

// What a table leaves out: the letters are those of the stages, a dot for one that is not there.
static void check_table(const CnStageTable* table, const char* expected) {
    const char letters[] = "bpcrismxgf";
    char found[CN_STAGE_COUNT + 1] = {0};
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        found[i] = table->stage[i] == NULL ? '.' : letters[i];
    }
    CHECK_STRING(found, expected);
}

static void every_scheme_has_its_stages(void) {
    check_table(&cn_scheme_moreau.step, "bpcrismxgf");
    check_table(&cn_scheme_quasi_static.step, "bpcrismxgf");
    check_table(&cn_scheme_implicit.step, "bpcrismxgf");
    check_table(&cn_scheme_acceleration.step, "b.cr.smxgf"); // islands are found by its solves
    check_table(cn_scheme_moreau.impact, "bpcrismxgf");
    check_table(cn_scheme_implicit.impact, "bpcrismxgf");
    CHECK(cn_scheme_quasi_static.impact == NULL && cn_scheme_acceleration.impact == NULL);
    CHECK(cn_schemes[CN_SCHEME_QUASI_STATIC] == &cn_scheme_quasi_static);
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        const CnStageTable *moreau = &cn_scheme_moreau.step, *own = &cn_scheme_quasi_static.step;
        CHECK((moreau->stage[i] == own->stage[i]) == (i != CN_STAGE_BEGIN));
    }
    CHECK_INT((int)cn_scheme_implicit.step.repeats_from, CN_STAGE_PAIRS);
    CHECK_INT((int)cn_scheme_acceleration.step.repeats_from, CN_STAGE_ROWS);
    CHECK_STRING(cn_stage_name(CN_STAGE_BEGIN), "begin");
    CHECK_STRING(cn_stage_name(CN_STAGE_PAIRS), "pairs");
    CHECK_STRING(cn_stage_name(CN_STAGE_FINISH), "finish");
}

static char called[16];

static CnStatus note_rows(CnStepRun* run, CnError* error) {
    (void)run;
    (void)error;
    strcat(called, "r");
    return CN_OK;
}

static CnStatus note_solve(CnStepRun* run, CnError* error) {
    (void)error;
    strcat(called, "s");
    run->repeats = strlen(called) < 6;
    return CN_OK;
}

static CnStatus refuse_to_move(CnStepRun* run, CnError* error) {
    (void)run;
    (void)error;
    strcat(called, "m");
    return CN_INVALID;
}

static void a_run_repeats_and_stops(void) {
    const CnStageTable table = {
        .stage = {[CN_STAGE_ROWS] = note_rows,
                  [CN_STAGE_SOLVE] = note_solve,
                  [CN_STAGE_MOVE] = refuse_to_move,
                  [CN_STAGE_GRADE] = note_rows},
        .repeats_from = CN_STAGE_ROWS,
    };
    CnWorld* world = create(CN_SCHEME_MOREAU, 0.0);
    CnStepReport report = {0};
    CnStepRun run = {.world = world, .table = &table, .report = &report};
    called[0] = '\0';
    CHECK_INT(cn_step_run(&run, CN_STAGE_BEGIN, CN_STAGE_FINISH, NULL), CN_INVALID);
    CHECK_STRING(called, "rsrsrsm");
    CHECK(report.stage_seconds[CN_STAGE_ROWS] >= 0.0);
    CHECK_NEAR(report.stage_seconds[CN_STAGE_BEGIN], 0.0, 0.0);
    CHECK_NEAR(report.stage_seconds[CN_STAGE_GRADE], 0.0, 0.0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/step/stages", TEST(begin_gives_bodies_their_free_velocity),
          TEST(find_pairs_finds_those_that_touch), TEST(find_contacts_finds_four_points_each),
          TEST(build_rows_sets_the_targets), TEST(update_islands_joins_what_has_rows),
          TEST(solve_finds_the_weights), TEST(move_takes_bodies_to_the_end),
          TEST(correct_measures_what_is_left), TEST(grade_closes_the_ledgers),
          TEST(stages_in_their_order_are_a_step), TEST(a_step_given_up_leaves_no_trace),
          TEST(every_scheme_has_its_stages), TEST(a_run_repeats_and_stops))
