// test_sweep.c - the sweep finds exactly the pairs that comparing all with all finds, in order.
#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/shapes/sweep.h"
#include "support/test.h"

#define MAX_BOXES 300
#define MAX_PAIRS (MAX_BOXES * (MAX_BOXES - 1) / 2)

typedef struct Found {
    int count;
    int limit; // stop after this many; 0: never
    int pairs[MAX_PAIRS][2];
} Found;

static bool remember(int first, int second, void* data) {
    Found* found = data;
    found->pairs[found->count][0] = first;
    found->pairs[found->count][1] = second;
    ++found->count;
    return found->limit == 0 || found->count < found->limit;
}

static Found found, expected; // too large for the stack of every case

static CnStatus sweep(const CnBounds* boxes, int count) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    found.count = 0;
    CnStatus status = sweep_pairs(boxes, count, &arena, remember, &found);
    CHECK(arena.used == 0); // given back
    cn_arena_destroy(&arena);
    return status;
}

static void check_against_all_pairs(const CnBounds* boxes, int count) {
    expected.count = 0;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            if (cn_bounds_overlap(&boxes[i], &boxes[j])) {
                remember(i, j, &expected);
            }
        }
    }
    CHECK_INT(sweep(boxes, count), CN_OK);
    CHECK_INT(found.count, expected.count);
    CHECK(memcmp(found.pairs, expected.pairs, (size_t)found.count * sizeof found.pairs[0]) == 0);
}

static CnBounds random_box(CnRandom* random, double spread) {
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        // Corners on a grid of 1/8: many boxes begin, end and touch at the same number.
        low[i] = floor(cn_random_between(random, -8.0 * spread, 8.0 * spread)) / 8.0;
        high[i] = low[i] + floor(cn_random_between(random, 0.0, 16.0)) / 8.0;
    }
    return (CnBounds){cn_vec3(low[0], low[1], low[2]), cn_vec3(high[0], high[1], high[2])};
}

static const CnBounds everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, INFINITY, INFINITY}};

static void random_boxes_give_the_pairs_of_brute_force_in_order(void) {
    CnRandom random = {31};
    CnBounds boxes[MAX_BOXES];
    for (int round = 0; round < 60; ++round) {
        int count = (int)cn_random_between(&random, 0.0, MAX_BOXES + 1.0);
        double spread = cn_random_between(&random, 0.5, 8.0); // from a heap to hardly any pair
        for (int i = 0; i < count; ++i) {
            boxes[i] = random_box(&random, spread);
        }
        check_against_all_pairs(boxes, count);
    }
}

static void unbounded_boxes_meet_everything(void) {
    CnRandom random = {32};
    CnBounds boxes[MAX_BOXES];
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < MAX_BOXES; ++i) {
            bool unbounded = cn_random_between(&random, 0.0, 1.0) < 0.02;
            boxes[i] = unbounded ? everywhere : random_box(&random, 4.0);
        }
        boxes[17] = everywhere; // at least one
        check_against_all_pairs(boxes, MAX_BOXES);
        CHECK(found.count >= MAX_BOXES - 1);
    }
}

static void touching_boxes_overlap(void) {
    CnBounds boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 1}, {2, 2, 2}}};
    check_against_all_pairs(boxes, 2);
    CHECK_INT(found.count, 1);
}

static void boxes_apart_in_one_axis_do_not_meet(void) {
    for (int axis = 0; axis < 3; ++axis) {
        double shift[3] = {0.0, 0.0, 0.0};
        shift[axis] = 1.5;
        CnBounds boxes[2] = {
            {{0, 0, 0}, {1, 1, 1}},
            {{shift[0], shift[1], shift[2]}, {1 + shift[0], 1 + shift[1], 1 + shift[2]}}};
        CHECK_INT(sweep(boxes, 2), CN_OK);
        CHECK_INT(found.count, 0);
    }
}

static void nothing_and_one_box_have_no_pairs(void) {
    CHECK_INT(sweep(NULL, 0), CN_OK);
    CHECK_INT(found.count, 0);
    CHECK_INT(sweep(&everywhere, 1), CN_OK);
    CHECK_INT(found.count, 0);
}

static void a_visitor_can_stop(void) {
    CnBounds boxes[4] = {everywhere, everywhere, everywhere, everywhere};
    found.limit = 2;
    CHECK_INT(sweep(boxes, 4), CN_NO_MEMORY);
    CHECK_INT(found.count, 2);
    found.limit = 0;
}

static void memory_that_runs_out_is_reported_and_given_back(void) {
    CnBounds boxes[MAX_BOXES];
    CnStatus status = CN_NO_MEMORY;
    int refusals = 0;

    for (int i = 0; i < MAX_BOXES; ++i) {
        boxes[i] = everywhere;
    }
    for (int refuse_at = 1; status != CN_OK; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        CnArena arena;
        cn_arena_init(&arena, &allocator);
        found.count = 0;
        status = sweep_pairs(boxes, MAX_BOXES, &arena, remember, &found);
        cn_arena_destroy(&arena);
        CHECK(status == CN_OK || (status == CN_NO_MEMORY && found.count == 0));
        CHECK_INT(state.live, 0);
        refusals += status == CN_NO_MEMORY;
    }
    CHECK(refusals >= 3); // boxes, spare, pairs: the arena may serve some from one block
    CHECK_INT(found.count, MAX_PAIRS);
}

static void bounds_hold_the_ball_and_the_margin(void) {
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5};
    ball.local = (CnTransform){{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    CnTransform body = {{0.0, 2.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}; // half turn about z
    CnPlacedShape placed = cn_shape_place(&ball, body);
    CnBounds bounds = cn_shape_bounds(placed, 0.25);
    CHECK(bounds.low.x == -1.75 && bounds.high.x == -0.25); // centre at -1
    CHECK(bounds.low.y == 1.25 && bounds.high.y == 2.75);
    CHECK(bounds.low.z == -0.75 && bounds.high.z == 0.75);
}

static void a_half_space_is_everywhere(void) {
    CnShape plane = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnPlacedShape placed = {&plane, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    CnBounds bounds = cn_shape_bounds(placed, 0.1);
    CHECK(memcmp(&bounds, &everywhere, sizeof bounds) == 0);
}

TEST_MAIN("unit/collision/broad/sweep", TEST(random_boxes_give_the_pairs_of_brute_force_in_order),
          TEST(unbounded_boxes_meet_everything), TEST(touching_boxes_overlap),
          TEST(boxes_apart_in_one_axis_do_not_meet), TEST(nothing_and_one_box_have_no_pairs),
          TEST(a_visitor_can_stop), TEST(memory_that_runs_out_is_reported_and_given_back),
          TEST(bounds_hold_the_ball_and_the_margin), TEST(a_half_space_is_everywhere))
