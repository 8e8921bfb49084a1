// test_threads.c - results do not depend on how many workers there are.
#include "cairn/random.h"
#include "support/run.h"

// Groups of falling balls, far enough apart to be islands of their own, of sizes 1 to 8.
static CnWorld* create_groups(const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_default();
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.2);
    CnRandom random = {3};
    run_add_ground(world, material);
    for (int group = 0; group < 60; ++group) {
        for (int i = 0; i <= group % 8; ++i) {
            double jitter = cn_random_between(&random, -0.05, 0.05);
            CnVec3 position =
                cn_vec3(4.0 * (group % 8) + jitter, 4.0 * (group / 8), 0.3 + 0.42 * i);
            run_add_ball(world, 1.0 + 0.1 * i, 0.2, position, cn_vec3(0.0, jitter, -1.0), material);
        }
    }
    return world;
}

static uint64_t hash_after(const CnTasks* tasks, int steps, int* islands) {
    CnWorld* world = create_groups(tasks);
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(world, 4e-3);
        *islands = report.island_count > *islands ? report.island_count : *islands;
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void the_state_is_the_same_bits_with_any_number_of_workers(void) {
    int steps = UNDER_SANITIZER ? 60 : 200;
    int islands = 0;
    uint64_t serial = hash_after(NULL, steps, &islands);
    CHECK(islands > 40);
    const int threads[] = {1, 2, 4};
    for (int i = 0; i < 3; ++i) {
        CnTaskPool* pool = cn_task_pool_create(threads[i], NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        ck_assert_msg(hash_after(&tasks, steps, &islands) == serial, "%d threads", threads[i]);
        cn_task_pool_destroy(pool);
    }
}

TEST_MAIN("physics/world/threads", TEST(the_state_is_the_same_bits_with_any_number_of_workers))
