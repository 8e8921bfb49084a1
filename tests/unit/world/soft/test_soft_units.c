// test_soft_units.c - the contacts of a large island are cut into units that workers can share.
#include "cairn/random.h"
#include "support/run.h"
#include "world/soft/soft_units.h"
#include "world/world.h"

#include <stdlib.h>

#define SIDE 11
#define BALLS (SIDE * SIDE * SIDE)
#define PLATE BALLS // the index of the body below
#define CONTACTS (3 * SIDE * SIDE * (SIDE - 1) + SIDE * SIDE)

// A lattice of balls that just overlap their neighbours, numbered row by row, or at random, on a
// kinematic plate.
static CnWorld* create_lattice(bool at_random) {
    CnWorldDef def = cn_world_def_real_time();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.0);
    CnRandom random = {3};
    int place[BALLS];
    for (int i = 0; i < BALLS; ++i) {
        int other = at_random ? (int)cn_random_between(&random, 0.0, (double)i + 1.0) : i;
        place[i] = place[other];
        place[other] = i;
    }
    for (int i = 0; i < BALLS; ++i) {
        CnVec3 at = cn_vec3(place[i] % SIDE, place[i] / SIDE % SIDE, place[i] / SIDE / SIDE);
        run_add_ball(world, 1.0, 0.5005, at, cn_vec3(0.0, 0.0, 0.0), material);
    }
    run_add_box(world, CN_BODY_KINEMATIC, cn_vec3(2.0 * SIDE, 2.0 * SIDE, 1.0),
                cn_vec3(0.5 * SIDE, 0.5 * SIDE, -1.0), material);
    CnStepReport report;
    CHECK_INT(cn_world_step(world, 1e-3, &report, NULL), CN_OK);
    CHECK_INT(report.island_count, 1);
    CHECK_INT(report.contact_count, CONTACTS);
    return world;
}

// Each contact is in one unit, and no two units of a level share a ball; units that have the plate
// know it. Returns how many levels there are.
static int check_units(const CnWorld* world, const CnSoftUnits* units) {
    bool* is_listed = calloc(CONTACTS, sizeof *is_listed);
    int* last = malloc(BALLS * sizeof *last); // level that a body was last seen in
    int levels = 0;
    for (int i = 0; i < BALLS; ++i) {
        last[i] = -1;
    }
    CHECK_INT(units->start[units->count], CONTACTS);
    for (int i = 0; i < units->count; ++i) {
        int unit = units->unit[i], level = units->level[unit];
        bool has_plate = false;
        CHECK(level == levels || level == levels - 1);
        levels = level + 1;
        for (int k = 0; k < units->body_count[unit]; ++k) {
            int body = units->body[2 * units->start[unit] + k];
            CHECK(body < PLATE && last[body] < level);
            last[body] = level;
        }
        for (int k = units->start[unit]; k < units->start[unit + 1]; ++k) {
            const CnIslandLink* link = &world->islands.links.data[units->place[k]];
            const int bodies[2] = {link->body_a, link->body_b};
            for (int side = 0; side < 2; ++side) {
                has_plate = has_plate || bodies[side] == PLATE;
                CHECK(bodies[side] == PLATE || last[bodies[side]] == level);
            }
            CHECK(!is_listed[units->place[k]]);
            is_listed[units->place[k]] = true;
        }
        CHECK(units->is_driven[unit] == has_plate);
    }
    free(is_listed);
    free(last);
    return levels;
}

// Balls that touch lie anywhere in the order of bodies: at least two units of a level on average,
// so that two workers have something to do.
static void numbers_of_bodies_may_be_any(void) {
    for (int at_random = 0; at_random < 2; ++at_random) {
        CnWorld* world = create_lattice(at_random != 0);
        CnArenaMark mark = cn_arena_mark(&world->arena);
        CnSoftUnits units;
        CHECK(cn_soft_find_units(world, 0, &units));
        int levels = check_units(world, &units);
        CHECK(units.count >= 10);
        CHECK(2 * levels <= units.count);
        cn_arena_release(&world->arena, mark);
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/soft/soft_units", TEST(numbers_of_bodies_may_be_any))
