// test_arena.c - scratch memory is handed out in order and given back all at once.
#include "base/arena.h"
#include "support/failing_allocator.h"
#include "support/test.h"

static void pieces_are_zeroed_aligned_and_apart(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    for (int round = 0; round < 3; ++round) { // later rounds reuse memory that was written
        CnArenaMark mark = cn_arena_mark(&arena);
        unsigned char* pieces[300];
        for (int i = 0; i < 300; ++i) {
            pieces[i] = CN_ARENA_NEW(&arena, unsigned char, i);
            CHECK(pieces[i] != NULL);
            CHECK_INT((uintptr_t)pieces[i] % 64, 0);
            for (int k = 0; k < i; ++k) {
                CHECK_INT(pieces[i][k], 0);
            }
            memset(pieces[i], i % 255 + 1, (size_t)i);
        }
        for (int i = 1; i < 300; ++i) { // nobody wrote over anybody
            CHECK_INT(pieces[i][0], i % 255 + 1);
            CHECK_INT(pieces[i][i - 1], i % 255 + 1);
        }
        cn_arena_release(&arena, mark);
        CHECK_INT(arena.used, 0);
    }
    cn_arena_destroy(&arena);
}

static void release_keeps_what_was_there_before_the_mark(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    int* kept = CN_ARENA_NEW(&arena, int, 100);
    kept[99] = 7;
    size_t used = arena.used;
    CnArenaMark mark = cn_arena_mark(&arena);
    for (int i = 0; i < 10; ++i) { // 10 x 100 kB: several blocks
        CHECK(CN_ARENA_NEW(&arena, char, 100000) != NULL);
    }
    cn_arena_release(&arena, mark);
    CHECK_INT(arena.used, used);
    CHECK_INT(kept[99], 7);
    CHECK(arena.peak >= 10 * 100000);
    cn_arena_destroy(&arena);
}

// One step of a loop: an allocation that stays, and more under an inner mark.
static void one_round(CnArena* arena) {
    CnArenaMark outer = cn_arena_mark(arena);
    CHECK(CN_ARENA_NEW(arena, double, 5000) != NULL);
    for (int i = 0; i < 4; ++i) {
        CnArenaMark inner = cn_arena_mark(arena);
        CHECK(CN_ARENA_NEW(arena, double, 40000) != NULL);
        CHECK(CN_ARENA_NEW(arena, double, 90000) != NULL);
        cn_arena_release(arena, inner);
    }
    cn_arena_release(arena, outer);
}

static void a_repeated_loop_stops_asking_after_its_first_round(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CnArena arena;
    cn_arena_init(&arena, &allocator);
    one_round(&arena);
    int requests = state.requests;
    CHECK(requests > 1);
    for (int i = 0; i < 100; ++i) {
        one_round(&arena);
    }
    CHECK_INT(state.requests, requests);
    CHECK_INT(state.live, 1);
    cn_arena_destroy(&arena);
    CHECK_INT(state.live, 0);
}

static void take(CnArena* arena, size_t bytes) {
    CnArenaMark mark = cn_arena_mark(arena);
    CHECK(CN_ARENA_NEW(arena, char, bytes) != NULL);
    cn_arena_release(arena, mark);
}

// 8 MB are needed once, then a tenth: they stay until a trim after which only rounds of the second
// kind were seen, and rounds of the second kind do not ask again. With all_of_it they go at once.
static void a_trim_gives_back_what_was_not_needed_since_the_last(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CnArena arena;
    const size_t most = 8 * CN_ARENA_IDLE, later = most / 10;
    cn_arena_init(&arena, &allocator);
    cn_arena_trim(&arena, false); // nothing to give
    take(&arena, most);
    cn_arena_trim(&arena, false);
    take(&arena, later);
    CHECK_INT(state.requests, 1); // the 8 MB are still there
    cn_arena_trim(&arena, false);
    CHECK_INT(state.requests, 2);
    CHECK_INT(state.live, 1);
    CHECK(arena.peak < 2 * later);
    for (int i = 0; i < 3; ++i) {
        take(&arena, later);
        cn_arena_trim(&arena, false);
    }
    CHECK_INT(state.requests, 2);
    take(&arena, most);
    cn_arena_trim(&arena, true);
    CHECK_INT(state.live, 0);
    cn_arena_destroy(&arena);
    CHECK_INT(state.live, 0);
}

// What an arena holds with the block that it had, which is too small.
static void a_reserved_block_takes_the_place_of_one_that_is_too_small(void) {
    FailingAllocator state = {0};
    CnAllocator allocator = failing_allocator(&state);
    CnArena arena;
    cn_arena_init(&arena, &allocator);
    take(&arena, (size_t)1 << 20);
    CHECK(cn_arena_reserve(&arena, (size_t)3 << 20));
    CHECK_INT(state.live, 1);
    CnArenaMark mark = cn_arena_mark(&arena);
    unsigned char* first = cn_arena_allocate_raw(&arena, 1, (size_t)2 << 20);
    unsigned char* second = cn_arena_allocate_raw(&arena, 1, (size_t)1 << 20);
    CHECK(first != NULL && second == first + ((size_t)2 << 20));
    CHECK(cn_arena_reserve(&arena, (size_t)1 << 20)); // what is in use stays
    CHECK_INT(state.live, 2);
    first[0] = 1;
    cn_arena_release(&arena, mark);
    cn_arena_destroy(&arena);
    CHECK_INT(state.live, 0);
}

static void an_empty_mark_outlives_the_blocks_it_saw(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CHECK(CN_ARENA_NEW(&arena, char, 0) != NULL);
    CnArenaMark outer = cn_arena_mark(&arena), inner = cn_arena_mark(&arena);
    CHECK(CN_ARENA_NEW(&arena, char, 1000000) != NULL);
    cn_arena_release(&arena, inner); // replaces the blocks
    CHECK(CN_ARENA_NEW(&arena, char, 10) != NULL);
    cn_arena_release(&arena, outer);
    CHECK_INT(arena.used, 0);
    cn_arena_destroy(&arena);
}

static void every_refusal_gives_null_and_leaks_nothing(void) {
    for (int refuse_at = 1; refuse_at <= 5; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        CnArena arena;
        cn_arena_init(&arena, &allocator);
        int refused = 0;
        for (int round = 0; round < 3; ++round) {
            CnArenaMark mark = cn_arena_mark(&arena);
            for (int i = 0; i < 3; ++i) {
                size_t used = arena.used;
                if (CN_ARENA_NEW(&arena, char, 200000) == NULL) {
                    refused += 1;
                    CHECK_INT(arena.used, used);
                }
            }
            cn_arena_release(&arena, mark);
        }
        // Requests 1..3 are blocks; request 4 is the replacement, whose refusal is silent.
        CHECK(refused <= 1);
        CHECK_INT(refused, refuse_at <= 3 ? 1 : 0);
        cn_arena_destroy(&arena);
        CHECK_INT(state.live, 0);
    }
}

static void a_size_that_overflows_is_refused(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CHECK(cn_arena_allocate(&arena, SIZE_MAX / 2, 4) == NULL);
    CHECK(cn_arena_allocate(&arena, 1, SIZE_MAX - 40) == NULL);
    CHECK_INT(arena.used, 0);
    cn_arena_destroy(&arena);
}

TEST_MAIN("base/arena", TEST(pieces_are_zeroed_aligned_and_apart),
          TEST(release_keeps_what_was_there_before_the_mark),
          TEST(a_repeated_loop_stops_asking_after_its_first_round),
          TEST(a_trim_gives_back_what_was_not_needed_since_the_last),
          TEST(a_reserved_block_takes_the_place_of_one_that_is_too_small),
          TEST(an_empty_mark_outlives_the_blocks_it_saw),
          TEST(every_refusal_gives_null_and_leaks_nothing), TEST(a_size_that_overflows_is_refused))
