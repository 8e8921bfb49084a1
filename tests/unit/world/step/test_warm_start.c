// test_warm_start.c - impulses carried from step to step.
#include "support/run.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/step/stages.h"
#include "world/step/warm_start.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static double scale(double impulse, double residual, double drift) {
    CnWarmStartRow row = {.impulse = impulse, .residual = residual, .drift = drift};
    return cn_warm_start_scaled(&row);
}

static void the_scale_falls_with_the_severity(void) {
    CHECK_NEAR(scale(1.0, 0.0005, 0.0), 0.625, 1e-15);
    CHECK_NEAR(scale(1.0, 0.0002, 0.0), 0.85, 1e-15);
    CHECK_NEAR(scale(-1.0, 0.0002, 0.0), 0.85, 1e-15);
    CHECK_NEAR(scale(1.0, 0.01, 0.0), 0.25, 1e-15);      // saturated
    CHECK_NEAR(scale(1.0, 0.0, 1.25e-4), 0.625, 1e-15);  // by drift
    CHECK_NEAR(scale(1.0, 2e-4, 1.25e-4), 0.625, 1e-15); // the worse counts
    CHECK_NEAR(scale(1e-3, 0.01, 0.0), 1.0, 0.0);        // too small to judge
    CHECK_NEAR(scale(1.0, 0.0, 0.0), 1.0, 0.0);
    CHECK_NEAR(scale(1.0, 0.0, 1e-10), 1.0, 0.0); // round-off of a ledger that closes
}

// A ball of 1 kg at rest on a plane through the origin with the given normal.
static CnWorld* resting_ball(CnWarmStart policy, CnVec3 normal) {
    CnWorldDef def = cn_world_def_default();
    def.step.warm_start = policy;
    CnWorld* world = run_create(&def);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    plane.normal = normal;
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    run_add(world, &ground);
    run_add_ball(world, 1.0, 0.5, cn_vec3_scale(0.5, normal), zero, no_material);
    return world;
}

// What the next step would start from if it had length dt: rows are built again where bodies are.
static const double* guess(CnWorld* world, double dt) {
    static double impulse[16];
    CnBodyState states[4];
    int count = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        states[i] = world->bodies.data[i].state;
    }
    CnStepRun run = {.world = world, .posing = {.states = states, .dt = dt, .theta = 0.5}};
    world->step.dt = dt;
    world->tile_posing.is_valid = false;
    CHECK(cn_pair_store_keep_apart(&world->pairs)); // it may be asked for again
    CHECK_INT(cn_stage_build_rows(&run, NULL), CN_OK);
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        const CnContactTile* tile =
            &cn_manifold_at(&world->pairs, world->step.manifolds.data[i])->tile;
        for (int row = 0; row < tile->row_count; ++row) {
            impulse[count++] = tile->impulse[row][0];
        }
    }
    for (int i = 0; i < world->step.rows.row_count; ++i) {
        impulse[count++] = world->step.rows.impulse[i];
    }
    return impulse;
}

// The narrow phase looks at every pair again, where bodies are.
static void search_again(CnWorld* world) {
    CnBodyState states[4];
    for (int i = 0; i < world->bodies.count; ++i) {
        states[i] = world->bodies.data[i].state;
        cn_places_disturb(world, i);
    }
    CnLook look = {.states = states, .dt = 1e-3};
    CHECK_INT(cn_world_find_pairs(world, look.states, look.dt), CN_OK);
    CHECK_INT(cn_manifolds_update(world, &look), CN_OK);
}

static CnManifold* first_manifold(CnWorld* world) {
    return cn_manifold_at(&world->pairs, world->step.manifolds.data[0]);
}

static void impulses_grow_with_the_step(void) {
    CnWorld* world = resting_ball(CN_WARM_START_FULL, cn_vec3(0.0, 0.0, 1.0));
    run_step(world, 1e-3);
    CHECK_NEAR(guess(world, 1e-3)[0], 9.81e-3, 1e-10);
    CHECK_NEAR(guess(world, 4e-3)[0], 4.0 * 9.81e-3, 4e-10);
    cn_world_destroy(world);
}

static void no_warm_start_means_zeros(void) {
    CnWorld* world = resting_ball(CN_WARM_START_OFF, cn_vec3(0.0, 0.0, 1.0));
    run_step(world, 1e-3);
    CHECK_NEAR(guess(world, 1e-3)[0], 0.0, 0.0);
    cn_world_destroy(world);
}

// A residual, which is kept in single precision, and the share of impulses that it leaves.
static const float residual = 5e-4f;
static const double share = 1.0 - 0.75 * (double)5e-4f / 1e-3;

static void scaled_impulses_are_shrunk_by_their_own_residual(void) {
    CnWorld* world = resting_ball(CN_WARM_START_SCALED, cn_vec3(0.0, 0.0, 1.0));
    run_step(world, 1e-3);
    first_manifold(world)->tile.residual[0] = residual;
    CHECK_NEAR(guess(world, 1e-3)[0], share * 9.81e-3, 1e-10);
    CHECK_NEAR(guess(world, 1e-5)[0], 9.81e-5, 1e-10); // 1e-4 N s: too small to judge
    cn_world_destroy(world);
}

// docs/theory/warm_start.md (22): 0.9 of the weight, with the policy on top of it.
static void a_plain_factor_scales_every_guess(void) {
    CnWorld* world = resting_ball(CN_WARM_START_SCALED, cn_vec3(0.0, 0.0, 1.0));
    run_step(world, 1e-3);
    CnStepDef step = cn_world_read(world).step;
    step.warm_start_factor = 0.9;
    CHECK_INT(cn_world_set_step(world, &step, NULL), CN_OK);
    CHECK_NEAR(guess(world, 1e-3)[0], 0.9 * 9.81e-3, 1e-10);
    first_manifold(world)->tile.residual[0] = residual;
    CHECK_NEAR(guess(world, 1e-3)[0], 0.9 * share * 9.81e-3, 1e-10);
    cn_world_destroy(world);
}

static void drift_of_the_last_step_counts(void) {
    CnWorld* world = resting_ball(CN_WARM_START_SCALED, cn_vec3(0.0, 0.0, 1.0));
    run_step(world, 1e-3);
    CHECK(world->drift < 1e-12);
    world->drift = 1.25e-4;
    CHECK_NEAR(guess(world, 1e-3)[0], 0.625 * 9.81e-3, 1e-10);
    cn_world_destroy(world);
}

static CnVec3 tile_impulse(const CnContactTile* tile) {
    CnVec3 sum = zero;
    for (int row = 0; row < tile->row_count; ++row) {
        const double* d = tile->direction[row];
        sum = cn_vec3_add_scaled(sum, tile->impulse[row][0], cn_vec3(d[0], d[1], d[2]));
    }
    return sum;
}

// The normal turns by 10 degrees between two steps: the impulse is kept as a vector of the world,
// so in the new frame it has other parts but the same length and direction.
static void an_impulse_is_re_expressed_in_the_new_frame(void) {
    CnVec3 normal = cn_vec3(cn_sin(0.3), 0.0, cn_cos(0.3));
    CnWorld* world = resting_ball(CN_WARM_START_FULL, normal);
    run_step(world, 1e-3);
    CnManifold* manifold = first_manifold(world);
    CnVec3 before = tile_impulse(&manifold->tile);
    CHECK(cn_vec3_length(before) > 9e-3);
    CnQuat turn = cn_quat_from_axis_angle(cn_vec3(0.3, 0.5, 0.8), 0.17);
    cn_pair_store_unframe(&world->pairs, world->step.manifolds.data[0]);
    cn_manifold_set_normal(manifold, cn_quat_rotate(turn, cn_manifold_normal(manifold)));
    guess(world, 1e-3);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(before, tile_impulse(&manifold->tile))), 0.0, 1e-17);
    cn_manifold_set_normal(
        manifold, cn_vec3_negate(normal)); // would have to pull: the normal part is cut off
    CHECK_NEAR(guess(world, 1e-3)[0], 0.0, 0.0);
    cn_world_destroy(world);
}

static void a_certified_guess_costs_no_iteration(void) {
    CnWorld* world = resting_ball(CN_WARM_START_FULL, cn_vec3(0.0, 0.0, 1.0));
    CnStepReport first = run_step(world, 1e-3), later = run_step(world, 1e-3);
    CHECK(first.solver.iterations > 0);
    CHECK_INT(later.solver.iterations, 0);
    cn_world_destroy(world);
}

static void rows_of_a_constraint_come_back_by_their_own_index(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(1.0, 2.0, 3.0);
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnBodyId id = run_add(world, &body);
    CnPinData pin = {zero, zero};
    run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
    run_step(world, 1e-2);
    const double* p = guess(world, 2e-2);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(p[i], -2e-2 * (i + 1), 1e-9);
    }
    cn_world_destroy(world);
}

// A box on four corners whose points get other names between two steps, one of them none at all:
// each finds what was pressed at its place, and the nearest gets what the lost one had.
static void renamed_points_are_found_by_their_place(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef box = cn_body_def_default();
    run_add_ground(world, no_material);
    shape.size = cn_vec3(1.0, 2.0, 0.5);
    box.shapes = &shape;
    box.shape_count = 1;
    box.position = cn_vec3(0.1, 0.0, 0.25);
    run_add(world, &box);
    run_step(world, 1e-3);
    CnManifold* manifold = first_manifold(world);
    CHECK_INT(manifold->count, 4);
    CnTouchPoint before[4];
    double sum = 0.0, impulse[4];
    for (int i = 0; i < 4; ++i) {
        impulse[i] = cn_manifold_impulse(manifold, i).z;
        sum += impulse[i];
        manifold->points[i].feature ^= 1u << 20;
        before[i] = manifold->points[i];
    }
    CHECK_NEAR(sum, 9.81, 1e-4); // the weight of a ton in 1 ms, to 1e-8 m/s on four corners
    search_again(world);
    for (int i = 0; i < 4; ++i) { // the same corners in the same order, under their true names
        CHECK(manifold->points[i].feature != before[i].feature);
        CHECK_NEAR(cn_manifold_impulse(manifold, i).z, impulse[i], 0.0);
    }
    manifold->points[3].feature ^= 1u << 20; // known again under another name, beside the first
    cn_manifold_set_point(manifold, 3, cn_manifold_point(manifold, 0));
    search_again(world);
    CHECK_NEAR(cn_manifold_impulse(manifold, 0).z, impulse[0] + impulse[3], 1e-14);
    CHECK_NEAR(cn_manifold_impulse(manifold, 3).z, 0.0, 0.0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/step/warm_start", TEST(renamed_points_are_found_by_their_place),
          TEST(the_scale_falls_with_the_severity), TEST(impulses_grow_with_the_step),
          TEST(no_warm_start_means_zeros), TEST(scaled_impulses_are_shrunk_by_their_own_residual),
          TEST(a_plain_factor_scales_every_guess), TEST(drift_of_the_last_step_counts),
          TEST(an_impulse_is_re_expressed_in_the_new_frame),
          TEST(a_certified_guess_costs_no_iteration),
          TEST(rows_of_a_constraint_come_back_by_their_own_index))
