// test_stores.c - bodies, shapes and proxies stay together while bodies come and go.
#include "cairn/random.h"
#include "support/run.h"
#include "world/bodies/body_shapes.h"

static CnBodyId add_body(CnWorld* world, CnRandom* random) {
    CnShapeDef shapes[4];
    CnBodyDef def = cn_body_def_default();
    def.shapes = shapes;
    def.shape_count = 1 + (int)cn_random_between(random, 0.0, 4.0);
    for (int i = 0; i < def.shape_count; ++i) {
        shapes[i] = cn_shape_def_default(CN_SHAPE_SPHERE);
        shapes[i].position = cn_vec3(i, 0.0, 0.0);
        shapes[i].sensor = i > 0 && cn_random_between(random, 0.0, 1.0) < 0.2;
    }
    def.user = (uint64_t)def.shape_count; // to be recognised by
    return run_add(world, &def);
}

static int check_shapes(const CnWorld* world, int body) {
    const CnBodyDetails* details = &world->details.data[body];
    int count = 0, previous = -1, sensors = 0;
    for (int s = details->first_shape; s >= 0; s = cn_world_shape_at(world, s)->next) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CHECK(cn_pool_at(&world->shapes, s) == shape);
        CHECK(!world->broad_phase.proxies.data[s].removed);
        CHECK_INT(shape->body, body);
        CHECK_INT(shape->previous, previous);
        CHECK_INT(cn_body_shape_slot(world, body, count), s);
        CHECK_INT(shape->number, count++);
        sensors += shape->shape->sensor;
        previous = s;
    }
    CHECK_INT(details->last_shape, previous);
    CHECK_INT(details->shape_count, count);
    CHECK_INT((int)details->user, count);
    CHECK_INT(cn_body_shape_slot(world, body, count), -1);
    return sensors;
}

static void check_stores(const CnWorld* world) {
    int shapes = 0, sensors = 0;
    CHECK(world->bodies.count == world->order.count && world->details.count == world->order.count);
    for (int i = 0; i < world->order.count; ++i) {
        CHECK_INT(cn_world_body_index(world, world->order.data[i]), i);
        CHECK(cn_world_body(world, world->order.data[i]) == cn_world_body_by_index(world, i));
        sensors += check_shapes(world, i);
        shapes += world->details.data[i].shape_count;
    }
    CHECK_INT(world->shapes.count, shapes);
    CHECK_INT(world->sensor_count, sensors);
    CHECK_INT(world->broad_phase.proxies.count, cn_pool_slot_count(&world->shapes));
}

static void bodies_shapes_and_proxies_stay_together(void) {
    CnRandom random = {71};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int round = 0; round < 400; ++round) {
        int count = world->order.count;
        bool grows = round < 200 ? round % 3 < 2 : round % 3 < 1;
        if (grows || count == 0) {
            add_body(world, &random);
        } else {
            int index = (int)cn_random_between(&random, 0.0, count);
            CnBodyId gone = world->order.data[index], last = world->order.data[count - 1];
            CHECK_INT(cn_world_remove_body(world, gone), CN_OK);
            CHECK_INT(cn_world_body_index(world, gone), -1);
            CHECK_INT(cn_world_body_index(world, last), index == count - 1 ? -1 : index);
        }
        check_stores(world);
    }
    cn_world_destroy(world);
}

// The next body of the same make gets the same slots in the same order.
static void slots_are_used_again_in_order(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnShapeDef shapes[3];
    for (int i = 0; i < 3; ++i) {
        shapes[i] = cn_shape_def_default(CN_SHAPE_SPHERE);
    }
    CnBodyDef body = cn_body_def_default();
    body.shapes = shapes;
    body.shape_count = 3;
    for (int i = 0; i < 4; ++i) {
        CnBodyId id = run_add(world, &body);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(cn_body_shape_slot(world, 0, k), k);
            CHECK_INT((int)cn_world_shape_key(world, k), 2 * i + 1); // another shape each time
        }
        CHECK_INT(cn_world_remove_body(world, id), CN_OK);
    }
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/stores", TEST(bodies_shapes_and_proxies_stay_together),
          TEST(slots_are_used_again_in_order))
