// test_broad_phase.c - the broad phase finds the pairs that a sweep finds, whatever came before.
#include "cairn/random.h"
#include "collision/broad/broad_phase.h"
#include "support/failing_allocator.h"
#include "support/shapes/sweep.h"
#include "support/test.h"

#define MAX_PROXIES 400

// What the broad phase should know: one entry for each number of a proxy.
typedef struct Thing {
    bool is_used;
    CnBounds bounds;
    bool moves;
    int kind; // those of kind 7 do not meet each other
} Thing;

typedef struct Model {
    CnBroadPhase phase;
    Thing things[MAX_PROXIES];
    CnBounds bounds[MAX_PROXIES];
    CnProxyBounds boxes[MAX_PROXIES];
    int count; // of numbers, in use or not
    int unused[MAX_PROXIES], unused_count;
    int forbidden; // the filter refuses this kind's pairs with itself; 0: none
    CnPairArray found, expected;
} Model;

static Model model; // too large for the stack

static void start(const CnAllocator* allocator) {
    model.count = model.unused_count = 0;
    model.forbidden = 7;
    cn_broad_phase_init(&model.phase, allocator);
}

static void stop(void) {
    cn_broad_phase_destroy(&model.phase);
    cn_array_free(&model.found, NULL);
    cn_array_free(&model.expected, NULL);
}

static bool filter(int first, int second, void* data) {
    const Model* m = data;
    CHECK(first < second && second < m->count);
    return m->things[first].kind != m->forbidden || m->things[second].kind != m->forbidden;
}

static bool wanted(const Model* m, int first, int second) {
    return m->things[first].is_used && m->things[second].is_used &&
           (m->things[first].moves || m->things[second].moves) &&
           (m->things[first].kind != m->forbidden || m->things[second].kind != m->forbidden);
}

static bool expect(int first, int second, void* data) {
    Model* m = data;
    return !wanted(m, first, second) || cn_array_push(&m->expected, NULL, cn_pair(first, second));
}

static CnStatus update(void) {
    const CnBounds nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    int count = 0;
    for (int i = 0; i < model.count; ++i) {
        model.bounds[i] = model.things[i].is_used ? model.things[i].bounds : nowhere;
        if (model.things[i].is_used) {
            model.boxes[count++] = (CnProxyBounds){i, model.bounds[i]};
        }
    }
    CnStatus status = cn_broad_phase_update(&model.phase, model.boxes, count, filter, &model);
    cn_pair_set_forget_lost(&model.phase.set);
    return status;
}

// Of the pairs of fat boxes those whose boxes overlap, in the order they come.
static void collect(void) {
    const CnPairArray* pairs = cn_broad_phase_pairs(&model.phase);
    model.found.count = 0;
    for (int i = 0; i < pairs->count; ++i) {
        int first = cn_pair_first(pairs->data[i]), second = cn_pair_second(pairs->data[i]);
        CHECK(i == 0 || pairs->data[i - 1] < pairs->data[i]);
        CHECK(wanted(&model, first, second));
        if (cn_bounds_overlap(&model.bounds[first], &model.bounds[second])) {
            CHECK(cn_array_push(&model.found, NULL, pairs->data[i]));
        }
    }
}

static void check_pairs(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    model.expected.count = 0;
    CHECK_INT(sweep_pairs(model.bounds, model.count, &arena, expect, &model), CN_OK);
    cn_arena_destroy(&arena);
    collect();
    CHECK_INT(model.found.count, model.expected.count);
    CHECK(model.found.count == 0 || memcmp(model.found.data, model.expected.data,
                                           (size_t)model.found.count * sizeof(CnPair)) == 0);
}

static double random_in(CnRandom* random, double low, double high) {
    return cn_random_between(random, low, high);
}

static CnBounds random_box(CnRandom* random, double spread) {
    if (random_in(random, 0.0, 1.0) < 0.02) {
        return (CnBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    double x = random_in(random, -spread, spread), y = random_in(random, -spread, spread);
    double z = random_in(random, -spread, spread), a = random_in(random, 0.0, 1.5);
    double b = random_in(random, 0.0, 1.5), c = random_in(random, 0.0, 1.5);
    return (CnBounds){{x, y, z}, {x + a, y + b, z + c}};
}

static bool add(CnBounds bounds, bool moves, int kind) {
    bool is_reused = model.unused_count > 0;
    int proxy = is_reused ? model.unused[model.unused_count - 1] : model.count;
    if (!cn_broad_phase_add(&model.phase, proxy, moves)) {
        return false;
    }
    model.unused_count -= is_reused;
    model.count += !is_reused;
    model.things[proxy] = (Thing){true, bounds, moves, kind};
    return true;
}

static bool add_random(CnRandom* random, double spread) {
    bool moves = random_in(random, 0.0, 1.0) < 0.7;
    int kind = (int)random_in(random, 0.0, 8.0);
    return add(random_box(random, spread), moves, kind);
}

static void shift(CnBounds* bounds, CnVec3 way) {
    bounds->low = cn_vec3_add(bounds->low, way);
    bounds->high = cn_vec3_add(bounds->high, way);
}

static CnVec3 random_way(CnRandom* random, double size) {
    double x = random_in(random, -size, size), y = random_in(random, -size, size);
    return cn_vec3(x, y, random_in(random, -size, size));
}

static void remove_some(CnRandom* random, double share) {
    for (int i = 0; i < model.count; ++i) {
        if (model.things[i].is_used && random_in(random, 0.0, 1.0) < share) {
            cn_broad_phase_remove(&model.phase, i);
            model.things[i].is_used = false;
            model.unused[model.unused_count++] = i;
        }
    }
}

static void any_history_gives_the_pairs_of_the_sweep(void) {
    CnRandom random = {51};
    for (int round = 0; round < (UNDER_SANITIZER ? 4 : 12); ++round) {
        double spread = random_in(&random, 1.0, 12.0);
        // From all at rest to all in motion: single changes, refits and builds.
        double moving_share = round % 4 == 0 ? 0.01 : random_in(&random, 0.0, 1.0);
        double speed = round % 3 == 0 ? 0.01 : 0.5;
        CnTaskPool* pool = cn_task_pool_create(round % 3 + 1, NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        start(NULL);
        model.phase.tasks = &tasks;
        for (int step = 0; step < 120; ++step) {
            int wanted_count = (int)random_in(&random, 0.0, step % 10 == 0 ? 150.0 : 3.0);
            for (int i = 0; i < wanted_count && model.count - model.unused_count < MAX_PROXIES;
                 ++i) {
                CHECK(add_random(&random, spread));
            }
            for (int i = 0; i < model.count; ++i) {
                if (random_in(&random, 0.0, 1.0) < moving_share) {
                    shift(&model.things[i].bounds, random_way(&random, speed));
                }
            }
            for (int i = 0; step % 5 == 0 && i < model.count; i += 3) {
                if (model.things[i].is_used) {
                    shift(&model.things[i].bounds, random_way(&random, 2.0));
                    cn_broad_phase_place(&model.phase, i, &model.things[i].bounds);
                }
            }
            CHECK_INT(update(), CN_OK);
            check_pairs();
            if (step % 7 == 0) {
                remove_some(&random, 0.2);
            }
        }
        stop();
        cn_task_pool_destroy(pool);
    }
}

// Without an update, the trees have every box where it was placed, and those removed no more.
static void what_is_placed_is_in_the_trees_at_once(void) {
    CnRandom random = {57};
    start(NULL);
    for (int i = 0; i < 300; ++i) {
        CHECK(add_random(&random, 5.0));
        cn_broad_phase_place(&model.phase, i, &model.things[i].bounds);
    }
    for (int round = 0; round < 10; ++round) {
        for (int i = round; i < 300; i += 7) {
            shift(&model.things[i].bounds, random_way(&random, 3.0));
            cn_broad_phase_place(&model.phase, i, &model.things[i].bounds);
        }
        int bounded = 0;
        for (int i = 0; i < 300; ++i) {
            CHECK(cn_float_box_contains(&model.phase.fat.data[i], &model.things[i].bounds));
            bounded += !model.phase.proxies.data[i].unbounded;
        }
        CHECK_INT(model.phase.trees[0].leaf_count + model.phase.trees[1].leaf_count, bounded);
        CHECK_INT(bounded + model.phase.unbounded.count, 300);
    }
    remove_some(&random, 0.5);
    CHECK_INT(model.phase.trees[0].leaf_count + model.phase.trees[1].leaf_count +
                  model.phase.unbounded.count,
              model.count - model.unused_count);
    CHECK_INT(update(), CN_OK);
    check_pairs();
    stop();
}

static void what_rests_is_not_looked_at_again(void) {
    CnRandom random = {52};
    start(NULL);
    for (int i = 0; i < 300; ++i) {
        CHECK(add_random(&random, 5.0));
    }
    CHECK_INT(update(), CN_OK);
    CnPairArray* pairs = &model.phase.set.pairs;
    int count = pairs->count;
    for (int step = 0; step < 100; ++step) {
        CHECK_INT(update(), CN_OK);
        CHECK_INT(model.phase.moved.count, 0);
        CHECK_INT(pairs->count, count);
    }
    stop();
}

// Two worlds with the same boxes now, one of which has seen much: the same pairs of boxes.
static void removing_and_adding_again_gives_the_pairs_of_a_fresh_start(void) {
    CnRandom random = {53};
    static Thing kept[MAX_PROXIES];
    CnPairArray first = {0};
    start(NULL);
    for (int i = 0; i < 300; ++i) {
        CHECK(add_random(&random, 4.0));
    }
    for (int round = 0; round < 20; ++round) {
        CHECK_INT(update(), CN_OK);
        remove_some(&random, 0.3);
        while (model.unused_count > 0) {
            CHECK(add_random(&random, 4.0));
        }
    }
    CHECK_INT(update(), CN_OK);
    check_pairs();
    for (int i = 0; i < model.found.count; ++i) {
        CHECK(cn_array_push(&first, NULL, model.found.data[i]));
    }
    memcpy(kept, model.things, sizeof kept);
    stop();
    start(NULL);
    for (int i = 0; i < 300; ++i) {
        CHECK(add(kept[i].bounds, kept[i].moves, kept[i].kind));
    }
    CHECK_INT(update(), CN_OK);
    collect();
    CHECK_INT(model.found.count, first.count);
    CHECK(memcmp(model.found.data, first.data, (size_t)first.count * sizeof(CnPair)) == 0);
    cn_array_free(&first, NULL);
    stop();
}

static void a_filter_that_changes_drops_pairs_and_brings_them_back(void) {
    CnRandom random = {54};
    start(NULL);
    model.forbidden = 0;
    for (int i = 0; i < 200; ++i) {
        CHECK(add(random_box(&random, 2.0), true, 1 + i % 2));
    }
    CHECK_INT(update(), CN_OK);
    check_pairs();
    for (int forbidden = 1; forbidden >= 0; --forbidden) {
        model.forbidden = forbidden;
        for (int i = 0; i < model.phase.proxies.count; ++i) {
            cn_broad_phase_filter_again(&model.phase, i);
        }
        CHECK_INT(update(), CN_OK);
        check_pairs();
    }
    stop();
}

// A box that shot through the room and now rests does not keep the fat box of its flight.
static void a_fat_box_shrinks_when_its_owner_comes_to_rest(void) {
    start(NULL);
    CHECK(add((CnBounds){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, true, 0));
    CHECK_INT(update(), CN_OK);
    model.things[0].bounds.high.x = 50.0; // looks far ahead
    CHECK_INT(update(), CN_OK);
    model.things[0].bounds.high.x = 1.0;
    for (int i = 0; i < 40; ++i) {
        CHECK_INT(update(), CN_OK);
    }
    CHECK(model.phase.fat.data[0].high[0] < 4.0f); // a margin and at most one length ahead
    stop();
}

// Updates with and without a look ahead take turns: the fat box of the former is not given up.
static void a_fat_box_keeps_its_size_in_updates_without_a_look_ahead(void) {
    start(NULL);
    CHECK(add((CnBounds){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, true, 0));
    for (int i = 0; i < 40; ++i) {
        model.phase.keeps_size = i % 2 == 1;
        model.things[0].bounds.high.x = i % 2 == 0 ? 50.0 : 1.0;
        CHECK_INT(update(), CN_OK);
        CHECK(model.phase.fat.data[0].high[0] > 50.0f);
    }
    stop();
}

static void numbers_that_no_tree_can_hold_do_no_harm(void) {
    start(NULL);
    CnBounds nan = {{NAN, 0.0, 0.0}, {NAN, 1.0, 1.0}};
    CnBounds far = {{1e300, 0.0, 0.0}, {1.1e300, 1.0, 1.0}};
    CnBounds near = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    CHECK(add(nan, true, 0) && add(far, true, 0) && add(near, true, 0) && add(near, true, 0) &&
          add(far, true, 0));
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(update(), CN_OK);
        collect();
        CHECK_INT(model.found.count, 2); // far with far, near with near
        shift(&model.things[2].bounds, cn_vec3(0.25, 0.0, 0.0));
    }
    stop();
}

// Everything a broad phase does, until no request is refused any more. After a refusal the next
// update finds all pairs.
static bool live_a_little(CnRandom* random) {
    for (int i = 0; i < 60; ++i) {
        if (!add_random(random, 3.0)) {
            return false;
        }
    }
    for (int step = 0; step < 6; ++step) {
        if (update() != CN_OK) {
            CHECK_INT(update(), CN_OK); // one request only was refused
            check_pairs();
            return false;
        }
        check_pairs();
        for (int i = step; i < model.count; i += step + 1) {
            shift(&model.things[i].bounds, random_way(random, 1.0));
        }
        if (step == 3) {
            remove_some(random, 0.3);
        }
    }
    return true;
}

static void a_refused_request_costs_one_update_at_most(void) {
    bool finished = false;
    int refusals = 0;
    for (int refuse_at = 1; !finished; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        CnRandom random = {55};
        start(&allocator);
        finished = live_a_little(&random);
        stop();
        CHECK_INT(state.live, 0);
        refusals += !finished;
    }
    CHECK(refusals > 30); // eight arrays that double three times, and those of pairs
}

static void after_warm_up_no_memory_is_asked_for(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CnRandom random = {56};
    int before = 0;
    start(&allocator);
    for (int i = 0; i < 200; ++i) {
        CHECK(add(random_box(&random, 4.0), true, 0));
    }
    for (int step = 0; step < 400; ++step) {
        before = step == 200 ? state.requests : before;
        // To and fro between two states: both have been seen after the warm-up.
        double way = step % 2 == 0 ? 0.4 : -0.4;
        for (int i = 0; i < model.count; i += 2) {
            shift(&model.things[i].bounds, cn_vec3(way, 0.0, 0.0));
        }
        CHECK_INT(update(), CN_OK);
    }
    CHECK_INT(state.requests, before);
    stop();
}

TEST_MAIN("unit/collision/broad/broad_phase", TEST(any_history_gives_the_pairs_of_the_sweep),
          TEST(what_is_placed_is_in_the_trees_at_once), TEST(what_rests_is_not_looked_at_again),
          TEST(removing_and_adding_again_gives_the_pairs_of_a_fresh_start),
          TEST(a_filter_that_changes_drops_pairs_and_brings_them_back),
          TEST(a_fat_box_shrinks_when_its_owner_comes_to_rest),
          TEST(a_fat_box_keeps_its_size_in_updates_without_a_look_ahead),
          TEST(numbers_that_no_tree_can_hold_do_no_harm),
          TEST(a_refused_request_costs_one_update_at_most),
          TEST(after_warm_up_no_memory_is_asked_for))
