// test_pair_set.c - pairs that were lost come back with the records they had.
#include "cairn/random.h"
#include "collision/broad/pair_set.h"
#include "support/test.h"

enum { NUMBERS = 24, MERGES = 4 }; // of pairs; between two restorations

// What the set should hold, by both numbers: the record of a pair, CN_NO_RECORD without one.
typedef int Table[NUMBERS][NUMBERS];

static bool is_chosen(CnRandom* random, double share) {
    return cn_random_between(random, 0.0, 1.0) < share;
}

static void clear(Table table) {
    for (int a = 0; a < NUMBERS; ++a) {
        for (int b = 0; b < NUMBERS; ++b) {
            table[a][b] = CN_NO_RECORD;
        }
    }
}

// Takes the pairs of some numbers out, and finds some of them and some others. New pairs get the
// next records. lost: of those that are not found again, the first record since it was cleared.
static void merge(CnPairSet* set, CnRandom* random, Table table, Table lost, int* next_record) {
    CnAllocator allocator = cn_allocator_default();
    uint8_t is_loose[NUMBERS];
    for (int i = 0; i < NUMBERS; ++i) {
        is_loose[i] = is_chosen(random, 0.3);
    }
    CHECK(cn_pair_set_loosen(set, is_loose, &allocator));
    for (int a = 0; a < NUMBERS; ++a) {
        for (int b = a + 1; b < NUMBERS; ++b) {
            bool was_there = table[a][b] != CN_NO_RECORD;
            if (was_there && !is_loose[a] && !is_loose[b]) {
                continue;
            }
            if (is_chosen(random, 0.4)) {
                CHECK(cn_array_push(&set->added, &allocator, cn_pair(a, b)));
                table[a][b] = was_there ? table[a][b] : (*next_record)++;
            } else if (was_there) {
                lost[a][b] = lost[a][b] == CN_NO_RECORD ? table[a][b] : lost[a][b];
                table[a][b] = CN_NO_RECORD;
            }
        }
    }
    CHECK(cn_pair_set_merge(set, NUMBERS, &allocator));
    for (int i = 0; i < set->pairs.count; ++i) {
        CnPair pair = set->pairs.data[i];
        if (set->records.data[i] == CN_NO_RECORD) {
            set->records.data[i] = table[cn_pair_first(pair)][cn_pair_second(pair)];
        }
    }
}

static void check_holds(const CnPairSet* set, Table table) {
    int place = 0;
    for (int a = 0; a < NUMBERS; ++a) {
        for (int b = a + 1; b < NUMBERS; ++b) {
            if (table[a][b] == CN_NO_RECORD) {
                continue;
            }
            CHECK(place < set->pairs.count);
            CHECK(set->pairs.data[place] == cn_pair(a, b));
            CHECK(set->records.data[place] == table[a][b]);
            ++place;
        }
    }
    CHECK(place == set->pairs.count && place == set->records.count);
}

static void lost_pairs_come_back_with_their_first_records(void) {
    CnAllocator allocator = cn_allocator_default();
    CnRandom random = {7};
    CnPairSet set = {0};
    static Table table, lost;
    int next_record = 0;
    clear(table);
    for (int round = 0; round < 100; ++round) {
        clear(lost);
        cn_pair_set_forget_lost(&set);
        for (int i = 0; i < MERGES; ++i) {
            merge(&set, &random, table, lost, &next_record);
            check_holds(&set, table);
        }
        cn_pair_set_restore_lost(&set);
        for (int a = 0; a < NUMBERS; ++a) {
            for (int b = 0; b < NUMBERS; ++b) {
                table[a][b] = lost[a][b] == CN_NO_RECORD ? table[a][b] : lost[a][b];
            }
        }
        check_holds(&set, table);
        CHECK(set.lost.count == 0);
    }
    CHECK(next_record > 1000); // pairs came and went
    cn_pair_set_free(&set, &allocator);
}

static void loose_pairs_are_put_back_where_they_were(void) {
    CnAllocator allocator = cn_allocator_default();
    CnRandom random = {8};
    CnPairSet set = {0};
    static Table table, lost;
    int next_record = 0;
    clear(table);
    clear(lost);
    merge(&set, &random, table, lost, &next_record);
    for (int round = 0; round < 100; ++round) {
        uint8_t is_loose[NUMBERS];
        for (int i = 0; i < NUMBERS; ++i) {
            is_loose[i] = is_chosen(&random, 0.2);
        }
        CHECK(cn_pair_set_loosen(&set, is_loose, &allocator));
        cn_pair_set_restore_loose(&set);
        check_holds(&set, table);
    }
    cn_pair_set_free(&set, &allocator);
}

static bool is_even(int record, const void* data) {
    (void)data;
    return record % 2 == 0;
}

// Of those that are lost; the others stay lost, and come back when all do.
static void pairs_come_back_that_are_chosen(void) {
    CnAllocator allocator = cn_allocator_default();
    CnRandom random = {9};
    CnPairSet set = {0};
    static Table table, lost;
    int next_record = 0, came_back = 0;
    clear(table);
    for (int round = 0; round < 100; ++round) {
        clear(lost);
        cn_pair_set_forget_lost(&set);
        merge(&set, &random, table, lost, &next_record);
        int expected = 0;
        for (int i = 0; i < set.lost.count; ++i) {
            CnPair pair = set.lost.data[i];
            int record = set.lost_records.data[i];
            if (is_even(record, NULL)) {
                table[cn_pair_first(pair)][cn_pair_second(pair)] = record;
                ++expected;
            }
        }
        int before = set.lost.count;
        CHECK_INT(cn_pair_set_restore_some(&set, is_even, NULL), expected);
        CHECK_INT(set.lost.count, before - expected);
        check_holds(&set, table);
        came_back += expected;
    }
    CHECK(came_back > 100);
    cn_pair_set_free(&set, &allocator);
}

TEST_MAIN("unit/collision/broad/pair_set", TEST(lost_pairs_come_back_with_their_first_records),
          TEST(loose_pairs_are_put_back_where_they_were), TEST(pairs_come_back_that_are_chosen))
