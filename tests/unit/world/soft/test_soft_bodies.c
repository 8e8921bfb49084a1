// test_soft_bodies.c - bodies that go to rows and back side by side have the bits of one by one.
#include "cairn/random.h"
#include "cairn/state.h"
#include "math/simd.h"
#include "support/run.h"
#include "world/soft/soft_bodies.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { BODIES = 43, ROWS = 64 }; // no multiple of four

// Balls, boxes and capsules, some of which do not spin, weigh less in gravity or are damped.
static void add_bodies(CnWorld* world) {
    CnRandom random = {5};
    for (int i = 0; i < BODIES; ++i) {
        CnShapeDef shape;
        CnBodyDef body =
            run_random_body(&random, i, cn_vec3(0.0, 0.0, 2.0), i % 7 == 0 ? 0.0 : 9.0, &shape);
        body.gravity_scale = i % 11 == 0 ? 0.25 : 1.0;
        body.linear_damping = i % 13 == 0 ? 0.5 : 0.0;
        run_add(world, &body);
    }
}

typedef struct Rows {
    CnSoftBody rows[ROWS];
    CnSoftMass masses[ROWS];
    CnSoftDrift drifts[ROWS];
    CnBodyState states[BODIES];
    uint8_t calm[ROWS];
    int stored;
} Rows;

// Rows from states as a world has them, and states from rows in which one body is too fast and one
// has no finite velocity.
static Rows go_there_and_back(const CnWorld* from, const CnSoftBodyLanes* lanes) {
    static Rows result;
    CnError error = {0};
    CnWorld* world = cn_world_clone(from, NULL, &error);
    CHECK(world != NULL);
    CHECK(cn_world_step(world, 1.0 / 60.0, NULL, &error) == CN_OK); // clones have no rows
    CnSoftStore* store = world->soft;
    memset(&result, 0, sizeof result);
    CHECK(store->rows.count <= ROWS);
    memset(store->epoch.data, 0, (size_t)store->epoch.count * sizeof(uint32_t));
    for (int g = 0; g < store->groups.count; ++g) {
        cn_soft_load_bodies_by(lanes, world, 1.0 / 60.0, NULL, &store->groups.data[g]);
    }
    memcpy(result.rows, store->rows.data, (size_t)store->rows.count * sizeof(CnSoftBody));
    memcpy(result.masses, store->masses.data, (size_t)store->rows.count * sizeof(CnSoftMass));
    memcpy(result.drifts, store->drifts.data, (size_t)store->rows.count * sizeof(CnSoftDrift));
    store->rows.data[10].velocity[1] = 1e6f;
    store->rows.data[20].spin[2] = INFINITY;
    for (int g = 0; g < store->groups.count; ++g) {
        cn_soft_store_bodies_by(lanes, world, &store->groups.data[g]);
        result.stored += store->groups.data[g].stored;
    }
    for (int i = 0; i < BODIES; ++i) {
        result.states[i] = world->bodies.data[i + 1].state;
    }
    memcpy(result.calm, store->calm.data, (size_t)store->rows.count);
    cn_world_destroy(world);
    return result;
}

static void check_same(const Rows* a, const Rows* b) {
    CHECK(memcmp(a->rows, b->rows, sizeof a->rows) == 0);
    CHECK(memcmp(a->masses, b->masses, sizeof a->masses) == 0);
    CHECK(memcmp(a->drifts, b->drifts, sizeof a->drifts) == 0);
    CHECK(memcmp(a->states, b->states, sizeof a->states) == 0);
    CHECK(memcmp(a->calm, b->calm, sizeof a->calm) == 0);
    CHECK_INT(a->stored, b->stored);
}

static void bodies_side_by_side_have_the_bits_of_one_by_one(void) {
    CnWorldDef def = cn_world_def_real_time();
    def.step.speed_limit = 1000.0;
    CnWorld* world = run_create(&def);
    run_add_ground(world, (CnMaterialId){0});
    add_bodies(world);
    for (int step = 0; step < 30; ++step) {
        CnError error = {0};
        CHECK_INT(cn_world_step(world, 1.0 / 60.0, NULL, &error), CN_OK);
        if (step % 10 == 9) {
            Rows plain = go_there_and_back(world, NULL);
            CHECK_INT(plain.stored, BODIES);
            CHECK(!plain.calm[10] && !plain.calm[20]);
            Rows lanes = go_there_and_back(world, &cn_soft_body_lanes_128);
            check_same(&plain, &lanes);
#if defined(__x86_64__)
            if (cn_has_avx2()) {
                lanes = go_there_and_back(world, &cn_soft_body_lanes_256);
                check_same(&plain, &lanes);
            }
#endif
        }
    }
    cn_world_destroy(world);
}

TEST_MAIN("world/soft/soft_bodies", TEST(bodies_side_by_side_have_the_bits_of_one_by_one))
