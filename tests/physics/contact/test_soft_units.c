// test_soft_units.c - scheme soft_step: a large island, whose contacts are swept in units.
//
// A heap of balls between walls has more than 2000 contacts in one island. While it settles,
// contacts come and go in some units and not in others: which tiles are kept from step to step
// depends on the past, and must not be seen in any bit.
#include "cairn/event.h"
#include "cairn/random.h"
#include "cairn/state.h"
#include "support/run.h"

#include <stdlib.h>

#define DT (1.0 / 60.0)
#define STEPS 50

// 1080 balls of 0.09 to 0.1 m in a box of 2.4 m, a little apart, and a plate that turns below them.
static CnWorld* create_heap(const CnTasks* tasks, CnMaterialId* used) {
    CnWorldDef def = run_soft_def();
    CnRandom random = {5};
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.0);
    if (used != NULL) {
        *used = material;
    }
    run_add_ground(world, material);
    for (int side = 0; side < 2; ++side) {
        double at = side == 0 ? -1.4 : 1.4;
        run_add_box(world, CN_BODY_STATIC, cn_vec3(0.4, 4.0, 8.0), cn_vec3(at, 0.0, 4.0), material);
        run_add_box(world, CN_BODY_STATIC, cn_vec3(4.0, 0.4, 8.0), cn_vec3(0.0, at, 4.0), material);
    }
    CnBodyId plate = run_add_box(world, CN_BODY_KINEMATIC, cn_vec3(1.0, 1.0, 0.02),
                                 cn_vec3(0.0, 0.0, 0.01), material);
    CnBodyState state = run_state(world, plate);
    state.angular_velocity = cn_vec3(0.0, 0.0, 1.0);
    CHECK_INT(cn_body_set_state(world, plate, &state, NULL), CN_OK);
    for (int i = 0; i < 1080; ++i) {
        double radius = cn_random_between(&random, 0.09, 0.1);
        CnVec3 at = cn_vec3(0.205 * (i % 11) - 1.05, 0.205 * (i / 11 % 11) - 1.05,
                            0.13 + 0.203 * (i / 121));
        run_add_ball(world, 1.0, radius, at, cn_vec3(0.0, 0.0, -1.0), material);
    }
    return world;
}

static CnStepReport steps(CnWorld* world, int count) {
    CnStepReport report = {0};
    for (int i = 0; i < count; ++i) {
        CHECK_INT(cn_world_step(world, DT, &report, NULL), CN_OK);
    }
    return report;
}

static uint64_t hash_with(int threads, uint64_t* middle) {
    CnTaskPool* pool = cn_task_pool_create(threads, NULL);
    CnTasks tasks = cn_task_pool_tasks(pool);
    CnWorld* world = create_heap(&tasks, NULL);
    steps(world, STEPS / 2);
    *middle = cn_world_hash(world);
    CnStepReport report = steps(world, STEPS / 2);
    CHECK(report.contact_count > 2000);
    CHECK_INT(report.island_count, 1);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    cn_task_pool_destroy(pool);
    return hash;
}

static void workers_change_no_bit(void) {
    uint64_t middle[3], one = hash_with(1, &middle[0]);
    CHECK(one == hash_with(2, &middle[1]));
    CHECK(one == hash_with(3, &middle[2]));
    CHECK(middle[0] == middle[1]);
    CHECK(middle[0] == middle[2]);
}

// A world that is loaded makes all units anew; the one that goes on keeps most of them.
static void a_loaded_heap_goes_on_to_the_bit(void) {
    CnWorld *straight = create_heap(NULL, NULL), *loaded = create_heap(NULL, NULL);
    CnError error = {0};
    void* bytes;
    size_t size;
    steps(straight, STEPS - 10);
    CHECK_INT(cn_world_save_state_memory(straight, &bytes, &size, &error), CN_OK);
    CHECK_INT(cn_world_load_state_memory(loaded, bytes, size, &error), CN_OK);
    cn_world_release_state(straight, bytes);
    for (int i = 0; i < 10; ++i) {
        steps(straight, 1);
        steps(loaded, 1);
        CHECK(cn_world_hash(straight) == cn_world_hash(loaded));
    }
    cn_world_destroy(straight);
    cn_world_destroy(loaded);
}

// A step that fails after tiles were packed anew: a ball is too fast at its end.
static void a_failed_step_leaves_no_trace(void) {
    CnWorld *smooth = create_heap(NULL, NULL), *bumpy = create_heap(NULL, NULL);
    steps(smooth, STEPS);
    steps(bumpy, STEPS);
    CnBodyId ball = cn_world_body_at(bumpy, 500);
    int count = cn_world_contacts(bumpy, NULL, 0);
    CnContactPoint* before = calloc((size_t)count, sizeof *before);
    CnContactPoint* after = calloc((size_t)count, sizeof *after);
    cn_world_contacts(bumpy, before, count);
    CnVec3 push = cn_vec3(1e9, 0.0, 0.0), at = run_state(bumpy, ball).center;
    CHECK_INT(cn_body_apply_impulse(bumpy, ball, push, at, NULL), CN_OK);
    CHECK_INT(cn_world_step(bumpy, DT, NULL, NULL), CN_UNSUPPORTED);
    CHECK_INT(cn_world_contacts(bumpy, after, count), count);
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(after[i].impulse.z, before[i].impulse.z, 0.0);
    }
    CHECK_INT(cn_body_apply_impulse(bumpy, ball, cn_vec3_negate(push), at, NULL), CN_OK);
    steps(smooth, 5);
    steps(bumpy, 5);
    CHECK(cn_world_hash(smooth) == cn_world_hash(bumpy));
    free(before);
    free(after);
    cn_world_destroy(smooth);
    cn_world_destroy(bumpy);
}

// A clone knows nothing of pairs that nothing has happened to, and looks at all of them: it must
// find the same events and the same bits. Balls are thrown out of the heap on the way, and its
// surfaces change.
static void pairs_that_are_passed_over_have_nothing_to_tell(void) {
    CnMaterialId material;
    CnWorld* world = create_heap(NULL, &material);
    CnMaterialPair slippery = {.a = material, .b = material, .friction = 0.05};
    int ends = 0;
    steps(world, STEPS);
    for (int i = 0; i < 12; ++i) {
        CnEvent own[4000], others[4000];
        if (i % 4 == 1) {
            CnBodyId ball = cn_world_body_at(world, 300 + 70 * i);
            CHECK_INT(cn_body_apply_impulse(world, ball, cn_vec3(0.0, 0.5, 4.0),
                                            run_state(world, ball).center, NULL),
                      CN_OK);
        }
        if (i == 6) {
            CHECK_INT(cn_world_set_material_pair(world, &slippery, NULL), CN_OK);
        }
        CnWorld* clone = cn_world_clone(world, NULL, NULL);
        steps(world, 1);
        steps(clone, 1);
        int count = cn_world_events(world, own, 4000);
        CHECK_INT(cn_world_events(clone, others, 4000), count);
        for (int k = 0; k < count && k < 4000; ++k) {
            CHECK(run_is_same_event(&own[k], &others[k]));
            ends += own[k].type == CN_EVENT_CONTACT_END;
        }
        CHECK(cn_world_hash(world) == cn_world_hash(clone));
        cn_world_destroy(clone);
    }
    CHECK(ends > 0);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/soft_units", TEST(workers_change_no_bit),
          TEST(a_loaded_heap_goes_on_to_the_bit), TEST(a_failed_step_leaves_no_trace),
          TEST(pairs_that_are_passed_over_have_nothing_to_tell))
