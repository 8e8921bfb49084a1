// test_sort.c - sorted output of the same items, whatever came in.
#include "base/sort.h"
#include "cairn/random.h"
#include "support/test.h"

#define COUNT 1000

static bool less_key(int a, int b, const void* context) {
    const int* key = context;
    return key[a] != key[b] ? key[a] < key[b] : a < b;
}

static void check_sorts(const int* key, int count) {
    int items[COUNT];
    bool met[COUNT] = {false};
    for (int i = 0; i < count; ++i) {
        items[i] = i;
    }
    cn_sort(items, count, less_key, key);
    for (int i = 0; i < count; ++i) {
        CHECK(items[i] >= 0 && items[i] < count && !met[items[i]]);
        met[items[i]] = true;
        CHECK(i == 0 || less_key(items[i - 1], items[i], key));
    }
}

static void any_keys_are_sorted(void) {
    CnRandom random = {7};
    int key[COUNT];
    for (int range = 1; range <= 1000000; range *= 100) { // from all equal to hardly any
        for (int i = 0; i < COUNT; ++i) {
            key[i] = (int)(cn_random_next(&random) % (uint64_t)range);
        }
        check_sorts(key, COUNT);
    }
}

static void rising_and_falling_keys_are_sorted(void) {
    int rising[COUNT], falling[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        rising[i] = i;
        falling[i] = -i;
    }
    check_sorts(rising, COUNT);
    check_sorts(falling, COUNT);
}

static void a_few_items_are_sorted(void) {
    const int key[4] = {3, 1, 2, 0};
    for (int count = 0; count <= 4; ++count) {
        check_sorts(key, count);
    }
}

TEST_MAIN("base/sort", TEST(any_keys_are_sorted), TEST(rising_and_falling_keys_are_sorted),
          TEST(a_few_items_are_sorted))
