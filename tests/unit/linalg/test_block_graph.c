// test_block_graph.c - pairs in any order become sorted lists without repetition.
#include "linalg/blocks/block_graph.h"

#include "support/test.h"

static void pairs_are_sorted_and_counted_once(void) {
    static const int first[] = {3, 0, 2, 0, 3, 1, 2, 0};
    static const int second[] = {1, 2, 0, 3, 0, 1, 0, 2};
    CnArena arena;
    CnBlockGraph graph;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_block_graph_from_pairs(5, 8, first, second, &arena, &graph), CN_OK);
    static const int start[6] = {0, 2, 3, 3, 3, 3}; // 0: 2, 3; 1: 3; 1-1 does not count
    static const int neighbor[3] = {2, 3, 3};
    for (int b = 0; b <= 5; ++b) {
        CHECK_INT(graph.start[b], start[b]);
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(graph.neighbor[i], neighbor[i]);
    }
    cn_arena_destroy(&arena);
}

static void nothing_meets_nothing(void) {
    CnArena arena;
    CnBlockGraph graph;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_block_graph_from_pairs(0, 0, NULL, NULL, &arena, &graph), CN_OK);
    CHECK_INT(graph.start[0], 0);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/blocks/block_graph", TEST(pairs_are_sorted_and_counted_once),
          TEST(nothing_meets_nothing))
