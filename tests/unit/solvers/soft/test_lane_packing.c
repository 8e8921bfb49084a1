// test_lane_packing.c - pairs of bodies in tiles of eight.
#include "solvers/soft/lane_packing.h"

#include "cairn/random.h"
#include "support/test.h"

enum { BODIES = 60, PAIRS = 3000 };

static void no_body_is_in_a_tile_twice_and_kinds_are_apart(void) {
    static int tile_of[PAIRS], pair_of[PAIRS][2];
    static bool is_second[PAIRS], lane_is_used[8 * PAIRS];
    CnArena arena;
    CnLanePacking packing;
    CnRandom random = {11};
    cn_arena_init(&arena, NULL);
    CHECK(cn_lane_packing_init(&packing, BODIES, &arena));
    for (int i = 0; i < PAIRS; ++i) {
        pair_of[i][0] = (int)cn_random_between(&random, 0.0, BODIES);
        do {
            pair_of[i][1] = (int)cn_random_between(&random, -5.0, BODIES); // some do not move
        } while (pair_of[i][1] == pair_of[i][0]);
        is_second[i] = i % 3 == 0;
        int place = cn_lane_packing_add(&packing, pair_of[i][0], pair_of[i][1], is_second[i]);
        CHECK(place >= 0 && place < 8 * PAIRS && !lane_is_used[place]);
        lane_is_used[place] = true;
        tile_of[i] = place / 8;
    }
    for (int i = 0; i < PAIRS; ++i) {
        for (int j = 0; j < i; ++j) {
            if (tile_of[i] == tile_of[j]) {
                CHECK(is_second[i] == is_second[j]);
                for (int k = 0; k < 4; ++k) {
                    int a = pair_of[i][k / 2], b = pair_of[j][k % 2];
                    CHECK(a < 0 || a != b);
                }
            }
        }
    }
    // 60 bodies allow 30 pairs without a common body at a time: tiles of eight fill well.
    CHECK(packing.tile_count < PAIRS / 8 * 5 / 4);
    cn_arena_destroy(&arena);
}

static void tiles_after_closing_are_new(void) {
    CnArena arena;
    CnLanePacking packing;
    cn_arena_init(&arena, NULL);
    CHECK(cn_lane_packing_init(&packing, 4, &arena));
    CHECK_INT(cn_lane_packing_add(&packing, 0, 1, false), 0);
    CHECK_INT(cn_lane_packing_add(&packing, 2, 3, false), 1);
    CHECK_INT(cn_lane_packing_add(&packing, 1, 2, false), 8);
    cn_lane_packing_close(&packing);
    CHECK_INT(cn_lane_packing_add(&packing, 0, 1, true), 16);
    CHECK_INT(cn_lane_packing_add(&packing, -1, -1, true), 17);
    cn_arena_destroy(&arena);
}

TEST_MAIN("unit/solvers/soft/lane_packing", TEST(no_body_is_in_a_tile_twice_and_kinds_are_apart),
          TEST(tiles_after_closing_are_new))
