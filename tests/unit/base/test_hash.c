// test_hash.c - hashes have their published values, and the map finds what was put in.
#include "base/hash.h"
#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/test.h"

static void bytes_hash_to_the_published_fnv_values(void) {
    // Test vectors of the FNV authors for the 64-bit FNV-1a.
    CHECK(cn_hash_bytes(CN_HASH_SEED, "", 0) == UINT64_C(0xcbf29ce484222325));
    CHECK(cn_hash_bytes(CN_HASH_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(cn_hash_bytes(CN_HASH_SEED, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    uint64_t half = cn_hash_bytes(CN_HASH_SEED, "foo", 3);
    CHECK(cn_hash_bytes(half, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void mixing_depends_on_order_and_spreads_small_numbers(void) {
    CHECK(cn_hash_mix(1, 2) != cn_hash_mix(2, 1));
    CHECK(cn_hash_mix(cn_hash_mix(0, 1), 2) != cn_hash_mix(cn_hash_mix(0, 2), 1));
    int flipped = 0;
    for (uint64_t value = 0; value < 1000; ++value) {
        uint64_t difference = cn_hash_mix(7, value) ^ cn_hash_mix(7, value + 1);
        flipped += __builtin_popcountll(difference);
    }
    // 64000 fair bits flip 32000 +- 126 (one standard deviation); allow five.
    CHECK_NEAR(flipped, 32000.0, 630.0);
}

static void the_map_finds_every_key_and_only_those(void) {
    CnMap map;
    cn_map_init(&map, NULL);
    CHECK_INT(cn_map_get(&map, 0), -1);
    for (int i = 0; i < 20000; ++i) {
        CHECK(cn_map_set(&map, (uint64_t)i * 4096, i)); // equal low bits, and key 0
    }
    CHECK_INT(map.count, 20000);
    for (int i = 0; i < 20000; ++i) {
        CHECK_INT(cn_map_get(&map, (uint64_t)i * 4096), i);
        CHECK_INT(cn_map_get(&map, (uint64_t)i * 4096 + 1), -1);
    }
    CHECK(cn_map_set(&map, 4096, 77));
    CHECK_INT(cn_map_get(&map, 4096), 77);
    CHECK_INT(map.count, 20000);
    cn_map_destroy(&map);
}

// Keys come and go; a plain array knows which are there. With 64 keys in 128 places or more, runs
// of neighbours and their wrap around the end are common.
static void keys_that_are_removed_are_gone_and_the_others_stay(void) {
    CnMap map;
    CnRandom random = {8};
    int expected[64];
    cn_map_init(&map, NULL);
    cn_map_remove(&map, 3); // of an empty map: nothing
    memset(expected, -1, sizeof expected);
    int wrong = 0, count = 0;
    for (int round = 0; round < 20000; ++round) {
        int key = (int)cn_random_between(&random, 0.0, 64.0);
        bool add = cn_random_between(&random, 0.0, 1.0) < 0.5;
        count += (expected[key] < 0 && add) - (expected[key] >= 0 && !add);
        expected[key] = add ? round : -1;
        if (add) {
            CHECK(cn_map_set(&map, (uint64_t)key, round));
        } else {
            cn_map_remove(&map, (uint64_t)key);
        }
        for (int k = 0; k < 64; ++k) {
            wrong += cn_map_get(&map, (uint64_t)k) != expected[k];
        }
        wrong += map.count != count;
    }
    CHECK_INT(wrong, 0);
    cn_map_destroy(&map);
}

static void a_cleared_map_is_empty_and_keeps_its_memory(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CnMap map;
    cn_map_init(&map, &allocator);
    for (int round = 0; round < 3; ++round) {
        for (uint64_t key = 0; key < 1000; ++key) {
            CHECK(cn_map_set(&map, key, (int)key));
        }
        if (round == 0) {
            state.requests = 0;
        }
        cn_map_clear(&map);
        CHECK_INT(map.count, 0);
        CHECK_INT(cn_map_get(&map, 10), -1);
    }
    CHECK_INT(state.requests, 0);
    cn_map_destroy(&map);
    CHECK_INT(state.live, 0);
}

static void a_refusal_keeps_all_keys(void) {
    for (int refuse_at = 1; refuse_at <= 8; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        CnMap map;
        cn_map_init(&map, &allocator);
        int stored = 0, refused = 0;
        while (stored < 100) {
            if (cn_map_set(&map, (uint64_t)stored, stored)) {
                stored += 1;
            } else {
                refused += 1;
                CHECK(stored == 0 || cn_map_set(&map, 0, 0)); // known keys need no memory
            }
            CHECK_INT(map.count, stored);
        }
        CHECK_INT(refused, 1);
        for (int i = 0; i < 100; ++i) {
            CHECK_INT(cn_map_get(&map, (uint64_t)i), i);
        }
        cn_map_destroy(&map);
        CHECK_INT(state.live, 0);
    }
}

TEST_MAIN("base/hash", TEST(bytes_hash_to_the_published_fnv_values),
          TEST(mixing_depends_on_order_and_spreads_small_numbers),
          TEST(the_map_finds_every_key_and_only_those),
          TEST(keys_that_are_removed_are_gone_and_the_others_stay),
          TEST(a_cleared_map_is_empty_and_keeps_its_memory), TEST(a_refusal_keeps_all_keys))
