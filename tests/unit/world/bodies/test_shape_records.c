// test_shape_records.c - shapes that are alike share a record of what they are like.
#include "cairn/random.h"
#include "cairn/state.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/world.h"

#include <math.h>

// Sides in tenths of a metre, few of them, at one of two places in the body.
static CnBodyId add_box(CnWorld* world, CnRandom* random) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    double side = 0.1 * (1.0 + floor(cn_random_between(random, 0.0, 5.0)));
    shape.size = cn_vec3(side, side, 2.0 * side);
    shape.position = cn_vec3(cn_random_between(random, 0.0, 1.0) < 0.5 ? 0.0 : 0.25, 0.0, 0.0);
    CnBodyDef def = cn_body_def_default();
    def.position = cn_vec3(10.0 * world->order.count, 0.0, 0.0);
    def.shapes = &shape;
    def.shape_count = 1;
    return run_add(world, &def);
}

static CnShapeId shape_of(const CnWorld* world, int body) {
    CnShapeId id;
    CHECK_INT(cn_body_shapes(world, world->order.data[body], &id, 1), 1);
    return id;
}

static const CnShape* record_of(const CnWorld* world, int body) {
    return cn_world_shape_at(world, world->details.data[body].first_shape)->shape;
}

static bool are_alike(const CnShape* a, const CnShape* b) {
    return a->half_size.x == b->half_size.x && a->local.position.x == b->local.position.x &&
           a->mask == b->mask && a->material.index == b->material.index;
}

// Every record is used, and as often as it says; two shapes have the same one if they are alike.
static void check_records(const CnWorld* world) {
    int users = 0;
    for (int i = 0; i < world->shape_records.bucket_count; ++i) {
        const CnSharedRecord* record = world->shape_records.buckets[i];
        for (; record != NULL; record = record->next) {
            CHECK(record->users > 0);
            users += record->users;
        }
    }
    CHECK_INT(users, world->shapes.count);
    for (int i = 0; i < world->bodies.count; ++i) {
        for (int k = 0; k < i; ++k) {
            const CnShape *a = record_of(world, i), *b = record_of(world, k);
            CHECK(are_alike(a, b) == (a == b));
        }
    }
}

static void shapes_that_are_alike_share_a_record(void) {
    CnRandom random = {9};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialDef rough = cn_material_def_default();
    CnMaterialId material = cn_world_add_material(world, &rough, NULL);
    for (int round = 0; round < 200; ++round) {
        int count = world->order.count, body = (int)cn_random_between(&random, 0.0, count);
        double kind = cn_random_between(&random, 0.0, 1.0);
        if (count < 3 || kind < 0.5) {
            add_box(world, &random);
        } else if (kind < 0.6) {
            CHECK_INT(cn_shape_set_filter(world, shape_of(world, body), 1, 1, 0, NULL), CN_OK);
        } else if (kind < 0.7) {
            CHECK_INT(cn_shape_set_material(world, shape_of(world, body), material, NULL), CN_OK);
        } else {
            CHECK_INT(cn_world_remove_body(world, world->order.data[body]), CN_OK);
        }
    }
    check_records(world);
    CHECK(world->shape_records.count <= 5 * 2 * 2 * 2); // sizes, places, filters, materials
    CnWorld* clone = cn_world_clone(world, NULL, NULL);
    check_records(clone);
    CHECK_INT(clone->shape_records.count, world->shape_records.count);
    CHECK(record_of(clone, 0) != record_of(world, 0));
    cn_world_destroy(world);
    run_steps(clone, 0.01, 2);
    cn_world_destroy(clone);
}

// A change concerns one shape only, also where the search has placed it already; one that gets no
// memory changes nothing.
static void a_change_is_that_of_one_shape(void) {
    FailingAllocator state = {.refuse_at = 0};
    CnWorldDef def = cn_world_def_default();
    def.allocator = failing_allocator(&state);
    CnWorld* world = run_create(&def);
    for (int i = 0; i < 3; ++i) {
        CnRandom same = {4};
        add_box(world, &same);
    }
    run_steps(world, 0.01, 1);
    const CnShape* before = record_of(world, 0);
    CHECK(record_of(world, 1) == before && record_of(world, 2) == before);
    state.refuse_at = state.requests + 1;
    CHECK_INT(cn_shape_set_filter(world, shape_of(world, 1), 2, 4, 8, NULL), CN_NO_MEMORY);
    check_records(world);
    CHECK(record_of(world, 1) == before);
    CHECK_INT(cn_shape_set_filter(world, shape_of(world, 1), 2, 4, 8, NULL), CN_OK);
    const CnShape* after = record_of(world, 1);
    CHECK(after != before && record_of(world, 0) == before && record_of(world, 2) == before);
    CHECK(after->category == 2 && after->mask == 4 && after->group == 8);
    int slot = world->details.data[1].first_shape;
    CHECK(world->shape_places.data[slot].placed.shape == after);
    CHECK(world->shape_places.data[slot].polyhedron.shape == after);
    check_records(world);
    run_steps(world, 0.01, 1);
    cn_world_destroy(world);
    CHECK_INT(state.live, 0);
}

TEST_MAIN("unit/world/bodies/shape_records", TEST(shapes_that_are_alike_share_a_record),
          TEST(a_change_is_that_of_one_shape))
