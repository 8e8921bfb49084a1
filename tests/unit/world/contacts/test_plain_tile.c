// test_plain_tile.c - tiles of plain contacts are those that are built for any contact.
#include "cairn/random.h"
#include "support/run.h"
#include "world/contacts/contact_rows.h"
#include "world/world.h"

#include <string.h>

enum { BODIES = 24, STEPS = 60 };

// Balls and boxes that fall, slide, bounce and come to rest, some of them without friction.
static CnWorld* make_world(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnRandom random = {11};
    const CnMaterialId materials[3] = {run_add_material(world, 0.5, 0.0),
                                       run_add_material(world, 0.0, 0.0),
                                       run_add_material(world, 0.7, 0.6)};
    run_add_ground(world, materials[0]);
    for (int i = 0; i < BODIES; ++i) {
        CnShapeDef shape = cn_shape_def_default(i % 2 == 0 ? CN_SHAPE_SPHERE : CN_SHAPE_BOX);
        CnBodyDef body = cn_body_def_default();
        shape.radius = 0.25;
        shape.size = cn_vec3(0.5, 0.4, 0.3);
        shape.material = materials[i % 3];
        body.shapes = &shape;
        body.shape_count = 1;
        body.position = cn_vec3(0.3 * (i % 4), 0.3 * (i / 4 % 3), 0.3 + 0.55 * (i / 4));
        body.velocity = cn_vec3(cn_random_between(&random, -1.0, 1.0), 0.5, -1.0);
        run_add(world, &body);
    }
    return world;
}

// Of manifolds with the same index in both worlds: all that solves read.
static void check_tiles(const CnManifold* quick, const CnManifold* slow) {
    const CnContactTile *a = &quick->tile, *b = &slow->tile;
    CHECK_INT(quick->count, slow->count);
    CHECK(a->acting == b->acting && a->row_count == b->row_count && a->trace == b->trace);
    CHECK(a->body_a == b->body_a && a->body_b == b->body_b);
    CHECK(memcmp(a->friction, b->friction, sizeof a->friction) == 0);
    CHECK(memcmp(a->target, b->target, sizeof a->target) == 0);
    CHECK(memcmp(a->impulse, b->impulse, sizeof a->impulse) == 0);
    CHECK(memcmp(a->step_bound, b->step_bound, sizeof a->step_bound) == 0);
    CHECK(memcmp(a->direction, b->direction, sizeof a->direction) == 0);
    CHECK(memcmp(a->center, b->center, sizeof a->center) == 0);
    CHECK(memcmp(quick->approach, slow->approach, sizeof quick->approach) == 0);
}

// Extras of contact points, which none of these uses, are a reason to take the general way.
static void plain_tiles_have_the_bits_of_any(void) {
    CnWorld *quick = make_world(), *slow = make_world();
    CHECK(cn_pair_store_need_extras(&slow->pairs));
    int tiles = 0, waiting = 0, bounds = 0;
    for (int step = 0; step < STEPS; ++step) {
        CHECK_INT(cn_world_step(quick, 1.0 / 60.0, NULL, NULL), CN_OK);
        CHECK_INT(cn_world_step(slow, 1.0 / 60.0, NULL, NULL), CN_OK);
        CHECK(!quick->pairs.has_extras && slow->pairs.has_extras);
        CHECK_INT(quick->step.manifolds.count, slow->step.manifolds.count);
        for (int i = 0; i < quick->step.manifolds.count; ++i) {
            int index = quick->step.manifolds.data[i];
            const CnManifold* manifold = cn_manifold_at(&quick->pairs, index);
            check_tiles(manifold, cn_manifold_at(&slow->pairs, slow->step.manifolds.data[i]));
            ++tiles;
            waiting += manifold->tile.acting != (1u << manifold->count) - 1;
            bounds += manifold->tile.row_count == 1;
        }
        for (int i = 0; i <= BODIES; ++i) {
            const CnBodyState *a = &quick->bodies.data[i].state, *b = &slow->bodies.data[i].state;
            CHECK(memcmp(a, b, sizeof *a) == 0);
        }
    }
    CHECK(tiles > 10 * STEPS && waiting > 0 && bounds > 0); // every kind has been met
    cn_world_destroy(quick);
    cn_world_destroy(slow);
}

// What asks for more than the last impulses along the rows goes the general way.
static void other_steps_do_not_suit(void) {
    CnWorld* world = make_world();
    CnPosing posing = {.states = NULL, .dt = 1e-3, .theta = 0.5};
    CHECK(cn_plain_tiles_suit(world, &posing));
    posing.instant = true;
    CHECK(!cn_plain_tiles_suit(world, &posing));
    posing.instant = false;
    posing.position_level = true;
    CHECK(!cn_plain_tiles_suit(world, &posing));
    posing.position_level = false;
    world->def.step.friction_bias = 0.1;
    CHECK(!cn_plain_tiles_suit(world, &posing));
    world->def.step.friction_bias = 0.0;
    world->def.step.warm_start = CN_WARM_START_OFF;
    CHECK(!cn_plain_tiles_suit(world, &posing));
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/contacts/plain_tile", TEST(plain_tiles_have_the_bits_of_any),
          TEST(other_steps_do_not_suit))
