// test_swept_pairs.c - which ways through a step may cross.
#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "world/contacts/swept_pairs.h"

#define BODIES 500

// Ways of all lengths in a room of 4 m, some without an end and some without shapes.
static void draw_ways(CnRandom* random, double fast_share, CnBounds* ways, bool* fast) {
    for (int i = 0; i < BODIES; ++i) {
        double x = cn_random_between(random, 0.0, 4.0);
        double y = cn_random_between(random, 0.0, 4.0);
        double z = cn_random_between(random, 0.0, 4.0);
        double length = cn_random_between(random, 0.0, 2.0);
        double kind = cn_random_between(random, 0.0, 1.0);
        fast[i] = cn_random_between(random, 0.0, 1.0) < fast_share;
        ways[i] =
            (CnBounds){cn_vec3(x, y, z), cn_vec3(x + length, y + 0.5 * length, z + 0.1 * length)};
        if (kind < 0.02) {
            ways[i].low.z = -HUGE_VAL;
        } else if (kind < 0.05) {
            ways[i].low = cn_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
            ways[i].high = cn_vec3_negate(ways[i].low);
        }
    }
}

// Every pair once, in order: by the fast body, and by the other.
static void check_pairs(double fast_share) {
    static CnBounds ways[BODIES];
    static bool fast[BODIES];
    CnRandom random = {3};
    CnSweptPairs swept;
    int wrong = 0, expected = 0;
    cn_swept_pairs_init(&swept, NULL);
    draw_ways(&random, fast_share, ways, fast);
    CHECK(cn_swept_pairs_find(&swept, ways, fast, BODIES));
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; fast[i] && k < BODIES; ++k) {
            if (k != i && (k > i || !fast[k]) && cn_bounds_overlap(&ways[i], &ways[k])) {
                bool is_there = expected < swept.pairs.count;
                CnSweptPair pair = is_there ? swept.pairs.data[expected] : (CnSweptPair){-1, -1};
                wrong += pair.fast != i || pair.other != k;
                ++expected;
            }
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(swept.pairs.count, expected);
    CHECK(expected > 100);
    cn_swept_pairs_destroy(&swept);
}

static void a_few_fast_bodies_meet_what_brute_force_finds(void) {
    check_pairs(0.1); // 50 of 500: all ways are looked at
}

static void many_fast_bodies_meet_what_brute_force_finds(void) {
    check_pairs(0.5); // 250: by the tree
}

static void refused_memory_is_reported_and_nothing_leaks(void) {
    static CnBounds ways[BODIES];
    static bool fast[BODIES];
    CnRandom random = {4};
    bool ok = false;
    int refusals = 0;
    draw_ways(&random, 0.5, ways, fast);
    while (!ok && refusals < 1000) {
        FailingAllocator failing = {.refuse_at = refusals + 1};
        CnAllocator allocator = failing_allocator(&failing);
        CnSweptPairs swept;
        cn_swept_pairs_init(&swept, &allocator);
        ok = cn_swept_pairs_find(&swept, ways, fast, BODIES);
        refusals += !ok;
        cn_swept_pairs_destroy(&swept);
        CHECK_INT(failing.live, 0);
    }
    CHECK(ok && refusals > 5);
}

TEST_MAIN("unit/world/contacts/swept_pairs", TEST(a_few_fast_bodies_meet_what_brute_force_finds),
          TEST(many_fast_bodies_meet_what_brute_force_finds),
          TEST(refused_memory_is_reported_and_nothing_leaks))
