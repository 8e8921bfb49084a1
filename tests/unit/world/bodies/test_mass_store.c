// test_mass_store.c - bodies with the same mass properties share a record of them.
#include "cairn/random.h"
#include "cairn/state.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// Sides in tenths of a metre: few different ones, so that many are the same.
static CnBodyId add_box(CnWorld* world, CnRandom* random) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    double side = 0.1 * (1.0 + floor(cn_random_between(random, 0.0, 20.0)));
    shape.size = cn_vec3(side, side, 2.0 * side);
    shape.rotation = cn_quat_exp(cn_vec3(side, 0.0, 0.0)); // inertia is no diagonal matrix
    CnBodyDef def = cn_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    return run_add(world, &def);
}

static void check_body(const CnWorld* world, int body) {
    const CnMass* mass = world->details.data[body].mass;
    CnMat3 inertia = cn_mat3_from_symmetric(mass->properties.inertia);
    CHECK(memcmp(&inertia, &mass->inertia, sizeof inertia) == 0);
    CHECK(mass->mass == mass->properties.mass && mass->inverse_mass == 1.0 / mass->mass);
    CHECK(world->bodies.data[body].mass == mass);
    for (int i = 0; i < body; ++i) {
        const CnMass* other = world->details.data[i].mass;
        bool is_same = memcmp(&other->properties, &mass->properties, sizeof mass->properties) == 0;
        CHECK(is_same == (other == mass));
    }
}

// Every record is used, and as often as it says.
static void check_store(const CnWorld* world) {
    int users = 0, records = 0;
    for (int i = 0; i < world->masses.bucket_count; ++i) {
        const CnSharedRecord* record = world->masses.buckets[i];
        for (; record != NULL; record = record->next) {
            CHECK(record->users > 0);
            users += record->users;
            ++records;
        }
    }
    CHECK_INT(records, world->masses.count);
    CHECK_INT(users, 2 * world->bodies.count); // given, and had
    for (int i = 0; i < world->bodies.count; ++i) {
        check_body(world, i);
    }
}

static void bodies_with_the_same_mass_share_a_record(void) {
    CnRandom random = {5};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int round = 0; round < 300; ++round) {
        int count = world->order.count;
        if (count < 3 || cn_random_between(&random, 0.0, 1.0) < 0.6) {
            add_box(world, &random);
        } else {
            int body = (int)cn_random_between(&random, 0.0, count);
            CHECK_INT(cn_world_remove_body(world, world->order.data[body]), CN_OK);
        }
    }
    check_store(world);
    CHECK(world->masses.count <= 21); // 20 sizes, and what all defs give
    CnMassProperties mass = {.mass = 3.0, .inertia = {1.0, 2.0, 2.5}};
    CnError error;
    CHECK_INT(cn_body_set_mass(world, world->order.data[0], &mass, &error), CN_OK);
    CHECK(world->details.data[0].mass == world->details.data[0].given);
    check_store(world);
    CnWorld* clone = cn_world_clone(world, NULL, &error);
    check_store(clone);
    CHECK(clone->details.data[0].mass != world->details.data[0].mass);
    cn_world_destroy(clone);
    cn_world_destroy(world);
}

// What a refused change took is given back.
static void a_mass_that_is_refused_leaves_no_record(void) {
    CnRandom random = {5};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId body = add_box(world, &random);
    int records = world->masses.count;
    CnMassProperties mass = {.mass = -1.0, .inertia = {1.0, 2.0, 2.5}};
    CHECK_INT(cn_body_set_mass(world, body, &mass, NULL), CN_INVALID);
    CnShapeDef heavy = cn_shape_def_default(CN_SHAPE_SPHERE);
    heavy.radius = 1e120; // a mass that no double can hold
    CHECK(cn_body_add_shape(world, body, &heavy, NULL).index == 0);
    CHECK_INT(world->masses.count, records);
    check_store(world);
    cn_world_destroy(world);
}

static void a_store_that_gets_no_memory_stays_as_it_was(void) {
    FailingAllocator state = {.refuse_at = 0};
    CnAllocator allocator = failing_allocator(&state);
    CnSharedStore store;
    cn_shared_init(&store, &allocator);
    const CnMass* kept[40];
    for (int i = 0; i < 40; ++i) {
        CnMassProperties mass = {.mass = 1.0 + i, .inertia = {1.0, 1.0, 1.0}};
        state.requests = 0;
        for (state.refuse_at = 1; (kept[i] = cn_mass_take(&store, &mass)) == NULL;) {
            CHECK_INT(store.count, i);
            state.refuse_at += 1;
            state.requests = 0;
        }
    }
    CHECK_INT(store.count, 40);
    for (int i = 0; i < 40; ++i) {
        CHECK(kept[i]->mass == 1.0 + i);
        cn_mass_drop(&store, kept[i]);
    }
    CHECK_INT(store.count, 0);
    cn_shared_destroy(&store);
    CHECK_INT(state.live, 0);
}

TEST_MAIN("unit/world/bodies/mass_store", TEST(bodies_with_the_same_mass_share_a_record),
          TEST(a_mass_that_is_refused_leaves_no_record),
          TEST(a_store_that_gets_no_memory_stays_as_it_was))
