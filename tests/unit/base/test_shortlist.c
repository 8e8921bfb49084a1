// test_shortlist.c - a shortlist holds the first few of many, in order.
#include "base/shortlist.h"

#include "support/test.h"

static bool is_larger(const void* a, const void* b, const void* context) {
    const int *x = a, *y = b;
    (void)context;
    return *x > *y;
}

// All 101 remainders in a jumbled order: 17 generates every one of them.
static void the_first_few_of_many_are_kept_in_order(void) {
    enum { MANY = 101 };
    for (int capacity = 0; capacity <= MANY + 5; ++capacity) {
        int items[MANY + 5];
        CnShortlist list = {items, sizeof items[0], 0, capacity, is_larger, NULL};
        for (int i = 0; i < MANY; ++i) {
            int item = i * 17 % MANY;
            cn_shortlist_offer(&list, &item);
        }
        cn_shortlist_sort(&list);
        CHECK_INT(list.count, capacity < MANY ? capacity : MANY);
        for (int i = 0; i < list.count; ++i) {
            CHECK_INT(items[i], i);
        }
    }
}

TEST_MAIN("unit/base/shortlist", TEST(the_first_few_of_many_are_kept_in_order))
