// test_island_guess.c - a guess looked at in parts is what it is as a whole.
#include "world/islands/island_guess.h"

#include "support/run.h"
#include "world/islands/island_rows.h"
#include "world/step/solve_step.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define ROWS 24 // 300 cubes, 576 contacts between cubes and with the ground

static CnWorld* pyramid(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    const CnMaterialId none = {0};
    run_add_ground(world, none);
    for (int row = 0; row < ROWS; ++row) {
        for (int i = 0; i < ROWS - row; ++i) {
            run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1, 1, 1),
                        cn_vec3(1.1 * i + 0.55 * row, 0, 0.5 + row), none);
        }
    }
    run_steps(world, 1.0 / 60.0, 2);
    CHECK_INT(world->islands.count, 1);
    return world;
}

// Sums of n terms in another order differ by at most n roundings of their sum of squares.
static void check_sum(double sum, double plain, int count) {
    CHECK_NEAR(sum, plain, count * 2.3e-16 * plain);
}

static void parts_are_the_whole(void) {
    CnWorld* world = pyramid();
    CnArena arena;
    cn_arena_init(&arena, &world->allocator);
    CnTileSet tiles = cn_island_tiles(world, 0, &arena);
    CnTileBodies bodies = cn_step_tile_bodies(&world->step);
    int* list = CN_ARENA_NEW(&arena, int, cn_island_body_count(world, 0));
    int count = cn_island_list_dynamic(world, 0, list);
    CHECK(tiles.count > 2 * CN_LARGE_ISLAND);

    for (int i = 0; i < count; ++i) {
        memset(bodies.momentum[list[i]], 0, sizeof *bodies.momentum);
    }
    cn_tiles_push(&tiles, &bodies);
    double plain_gain = cn_bodies_respond(&bodies, count, list);
    CnGradeSums plain, grades[2];
    cn_grade_begin(&plain);
    cn_tiles_grade(&tiles, &bodies, 0.7, &plain);

    CnTaskPool* pool = cn_task_pool_create(3, NULL);
    CHECK(pool != NULL);
    const CnTasks tasks[2] = {{0}, cn_task_pool_tasks(pool)};
    for (int k = 0; k < 2; ++k) {
        CnIslandGuess guess = {world, 0, &tiles, &bodies, count, list, 0.7};
        double gain;
        memset(bodies.velocity, 0, (size_t)world->step.body_count * sizeof *bodies.velocity);
        memset(&grades[k], 0, sizeof grades[k]);
        CHECK_INT(cn_island_guess_look(&guess, &tasks[k], &arena, &gain, &grades[k]), CN_OK);
        CHECK(gain == plain_gain);
        CHECK(grades[k].worst == plain.worst);
        CHECK_INT(grades[k].worst_block, plain.worst_block);
        CHECK_INT(grades[k].block_count, plain.block_count);
        CHECK(grades[k].cone_violation == plain.cone_violation);
        CHECK(grades[k].complementarity == plain.complementarity);
        check_sum(grades[k].residual, plain.residual, plain.block_count);
        check_sum(grades[k].p, plain.p, plain.block_count);
        check_sum(grades[k].u, plain.u, plain.block_count);
        check_sum(grades[k].q, plain.q, plain.block_count);
        check_sum(grades[k].plain, plain.plain, plain.block_count);
        check_sum(grades[k].scaled, plain.scaled, plain.block_count);
    }
    CHECK(memcmp(&grades[0], &grades[1], sizeof grades[0]) == 0); // whoever made the parts
    cn_task_pool_destroy(pool);
    cn_arena_destroy(&arena);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/islands/island_guess", TEST(parts_are_the_whole))
