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

// Heaps of boxes and balls in contact, islands of some 200 manifolds: several groups of scheme
// soft_step, whose tiles lie side by side, find, load and sweep contacts at the same time.
static CnWorld* create_heaps(const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_real_time();
    def.tasks = *tasks;
    CnWorld* world = run_create(&def);
    CnRandom random = {4};
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef body = cn_body_def_default();
    shape.size = cn_vec3(0.4, 0.4, 0.4);
    shape.radius = 0.2;
    body.shapes = &shape;
    body.shape_count = 1;
    run_add_ground(world, (CnMaterialId){0});
    for (int i = 0; i < 12 * 64; ++i) {
        int heap = i / 64, x = i % 4, y = i / 4 % 4, z = i / 16 % 4;
        shape.type = cn_random_between(&random, 0.0, 1.0) < 0.5 ? CN_SHAPE_BOX : CN_SHAPE_SPHERE;
        body.position =
            cn_vec3(6.0 * (heap % 4) + 0.405 * x, 6.0 * (heap / 4) + 0.405 * y, 0.2 + 0.395 * z);
        body.velocity.x = cn_random_between(&random, -1.0, 1.0);
        run_add(world, &body);
    }
    return world;
}

static void real_time_has_the_same_bits_with_any_number_of_workers(void) {
    uint64_t hash[4] = {0};
    for (int threads = 1; threads <= 4; ++threads) {
        CnTaskPool* pool = cn_task_pool_create(threads, NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        CnWorld* world = create_heaps(&tasks);
        for (int i = 0; i < (UNDER_SANITIZER ? 12 : 90); ++i) {
            CHECK(run_step(world, 1.0 / 60.0).contact_count > 1000);
        }
        hash[threads - 1] = cn_world_hash(world);
        CHECK(hash[threads - 1] == hash[0]);
        cn_world_destroy(world);
        cn_task_pool_destroy(pool);
    }
}

TEST_MAIN("physics/world/threads", TEST(the_state_is_the_same_bits_with_any_number_of_workers),
          TEST(real_time_has_the_same_bits_with_any_number_of_workers))
