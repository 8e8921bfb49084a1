// test_pair_set.c - pairs that were lost come back with the records they had.
#include "cairn/random.h"
#include "collision/broad/pair_set.h"
#include "support/test.h"

#include <string.h>

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
    CHECK(cn_pair_set_merge(set, is_loose, NUMBERS, NULL, &allocator));
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

// ---- many pairs, by several workers ----

enum { MANY = 300 };

typedef int ManyRecords[MANY][MANY];

// Chunks from the last to the first, each by another worker: parts must not depend on each other.
static void run_backwards(int count, int grain, CnRangeFunction* body, void* data, void* context) {
    int chunks = count > grain ? count / grain : 1;
    int* calls = context;
    for (int i = chunks - 1; i >= 0; --i) {
        body(i * grain, i == chunks - 1 ? count : (i + 1) * grain, i % 3, data);
    }
    *calls += chunks;
}

static void add_in_any_order(CnPairSet* set, CnRandom* random, CnPair pair) {
    CnAllocator allocator = cn_allocator_default();
    CHECK(cn_array_push(&set->added, &allocator, pair));
    int other = (int)cn_random_between(random, 0.0, (double)set->added.count);
    set->added.data[set->added.count - 1] = set->added.data[other];
    set->added.data[other] = pair;
}

// Merges of some 10,000 pairs, in ten parts, leave what a table says, whatever the order of parts.
static void parts_of_many_pairs_do_not_depend_on_each_other(void) {
    CnAllocator allocator = cn_allocator_default();
    CnRandom random = {10};
    CnPairSet set = {0};
    static ManyRecords table;
    int next_record = 0, chunks = 0, lost_count = 0;
    const CnTasks tasks = {run_backwards, 3, &chunks};
    memset(table, CN_NO_RECORD, sizeof table);
    for (int round = 0; round < 8; ++round) {
        uint8_t is_loose[MANY];
        CnPairArray lost = {0};
        int first_new = next_record;
        for (int i = 0; i < MANY; ++i) {
            is_loose[i] = is_chosen(&random, 0.2);
        }
        for (int a = 0; a < MANY; ++a) {
            for (int b = a + 1; b < MANY; ++b) {
                bool was_there = table[a][b] != CN_NO_RECORD;
                if (was_there && !is_loose[a] && !is_loose[b]) {
                    continue;
                }
                if (is_chosen(&random, was_there ? 0.8 : 0.08)) {
                    add_in_any_order(&set, &random, cn_pair(a, b));
                    table[a][b] = was_there ? table[a][b] : next_record++;
                } else if (was_there) {
                    CHECK(cn_array_push(&lost, &allocator, cn_pair(a, b)));
                    table[a][b] = CN_NO_RECORD;
                }
            }
        }
        cn_pair_set_forget_lost(&set);
        CHECK(cn_pair_set_merge(&set, is_loose, MANY, &tasks, &allocator));
        int place = 0;
        for (int a = 0; a < MANY; ++a) {
            for (int b = a + 1; b < MANY; ++b) {
                if (table[a][b] != CN_NO_RECORD) {
                    int* record = &set.records.data[place];
                    CHECK(set.pairs.data[place++] == cn_pair(a, b));
                    CHECK(*record == (table[a][b] < first_new ? table[a][b] : CN_NO_RECORD));
                    *record = table[a][b];
                }
            }
        }
        CHECK_INT(place, set.pairs.count);
        CHECK_INT(set.lost.count, lost.count);
        for (int i = 0; i < lost.count; ++i) {
            CHECK(set.lost.data[i] == lost.data[i]);
        }
        lost_count += lost.count;
        cn_array_free(&lost, &allocator);
    }
    CHECK(chunks > 50 && lost_count > 1000);
    cn_pair_set_free(&set, &allocator);
}

// Sets of whole parts too, and one pair more or less: every pair is loose and found again, and
// keeps its record. What memory holds beyond the pairs, here one before all of them, is not read.
static void sets_of_any_size_keep_their_records(void) {
    const int counts[] = {1, 1023, 1024, 1025, 2047, 2048, 2049, 3072};
    CnAllocator allocator = cn_allocator_default();
    uint8_t is_loose[128];
    memset(is_loose, 1, sizeof is_loose);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        CnPairSet set = {0};
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < counts[k]; ++i) {
                CHECK(cn_array_push(&set.added, &allocator, cn_pair(i / 64, 64 + i % 64)));
            }
            CHECK(cn_array_reserve(&set.pairs, &allocator, set.pairs.count + 1));
            set.pairs.data[set.pairs.count] = cn_pair(0, 1);
            CHECK(cn_pair_set_merge(&set, is_loose, 128, NULL, &allocator));
            CHECK_INT(set.pairs.count, counts[k]);
            CHECK_INT(set.lost.count, 0);
            for (int i = 0; i < counts[k]; ++i) {
                CHECK_INT(set.records.data[i], round == 0 ? CN_NO_RECORD : i);
                set.records.data[i] = i;
            }
        }
        cn_pair_set_free(&set, &allocator);
    }
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
          TEST(parts_of_many_pairs_do_not_depend_on_each_other),
          TEST(sets_of_any_size_keep_their_records), TEST(pairs_come_back_that_are_chosen))
