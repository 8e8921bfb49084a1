// test_array.c - arrays grow and keep their elements.
#include "base/array.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <limits.h>

typedef CN_ARRAY(int) IntArray;

static void pushed_elements_stay_in_order(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    IntArray list = {0};
    for (int i = 0; i < 10000; ++i) {
        CHECK(cn_array_push(&list, &allocator, i * 3));
    }
    CHECK_INT(list.count, 10000);
    for (int i = 0; i < 10000; ++i) {
        CHECK_INT(list.data[i], i * 3);
    }
    // Doubling from 8 to 1024 takes 8 requests, by quarters to 10000 log(9.8) / log(1.25) = 10.2
    // more.
    CHECK(state.requests <= 19);
    cn_array_free(&list, &allocator);
    CHECK(list.data == NULL && list.count == 0 && list.capacity == 0);
    CHECK_INT(state.live, 0);
}

static void reserve_makes_room_once_and_zeroes_it(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    IntArray list = {0};
    CHECK(cn_array_reserve(&list, &allocator, 1000));
    CHECK(list.capacity >= 1000);
    CHECK_INT(list.data[999], 0);
    CHECK(cn_array_reserve(&list, &allocator, 10));
    for (int i = 0; i < 1000; ++i) {
        CHECK(cn_array_push(&list, &allocator, i));
    }
    CHECK_INT(state.requests, 1);
    cn_array_free(&list, &allocator);
}

static void fitting_keeps_elements_and_gives_the_rest_back(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    IntArray list = {0};
    for (int i = 0; i < 1500; ++i) {
        CHECK(cn_array_push(&list, &allocator, i));
    }
    state.refuse_at = state.requests + 1;
    cn_array_fit(&list, &allocator); // without memory nothing changes
    CHECK(list.capacity > 1546);
    cn_array_fit(&list, &allocator);
    CHECK_INT(list.capacity, 1546); // 1500 and a 32nd
    CHECK_INT(list.count, 1500);
    for (int i = 0; i < 1500; ++i) {
        CHECK_INT(list.data[i], i);
    }
    CHECK_INT(state.live, 1);
    cn_array_free(&list, &allocator);
    CHECK_INT(state.live, 0);
}

static void a_refusal_changes_nothing(void) {
    for (int refuse_at = 1; refuse_at <= 4; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        IntArray list = {0};
        int pushed = 0, refused = 0;
        while (pushed < 200) {
            if (cn_array_push(&list, &allocator, pushed)) {
                pushed += 1;
            } else {
                refused += 1;
            }
            CHECK_INT(list.count, pushed);
        }
        CHECK_INT(refused, 1);
        for (int i = 0; i < 200; ++i) {
            CHECK_INT(list.data[i], i);
        }
        cn_array_free(&list, &allocator);
        CHECK_INT(state.live, 0);
    }
}

static void a_count_beyond_int_is_refused(void) {
    IntArray list = {.count = INT_MAX, .capacity = INT_MAX};
    CHECK(!cn_array_reserve(&list, NULL, INT_MIN)); // INT_MAX + 1 wrapped
    CHECK_INT(list.capacity, INT_MAX);
}

TEST_MAIN("base/array", TEST(pushed_elements_stay_in_order),
          TEST(reserve_makes_room_once_and_zeroes_it),
          TEST(fitting_keeps_elements_and_gives_the_rest_back), TEST(a_refusal_changes_nothing),
          TEST(a_count_beyond_int_is_refused))
