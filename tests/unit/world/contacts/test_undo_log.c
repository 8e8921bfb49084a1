// test_undo_log.c - entries come back in reverse, and idle memory goes back.
#include "support/failing_allocator.h"
#include "support/test.h"
#include "world/contacts/undo_log.h"

#include <string.h>

#define ENTRIES 4000 // of 1 to 997 bytes: some 30 chunks

static size_t size_of(int i) {
    return (size_t)(1 + i * 37 % 997);
}

static void add_entries(CnUndoLog* log, const CnAllocator* allocator, int count) {
    for (int i = 0; i < count; ++i) {
        unsigned char* bytes = cn_undo_log_add(log, allocator, i % 5, i, size_of(i));
        CHECK_INT((int)((uintptr_t)bytes % sizeof(uint64_t)), 0);
        memset(bytes, i % 251, size_of(i));
    }
}

// Returns how many there are.
static int check_entries(const CnUndoLog* log, int count) {
    int found = 0;
    for (const CnUndoEntry* e = log->newest; e != NULL; e = cn_undo_log_before(e)) {
        int i = count - ++found;
        bool is_same = e->index == i && e->kind == i % 5;
        for (size_t k = 0; k < size_of(i); ++k) {
            is_same = is_same && e->bytes[k] == i % 251;
        }
        CHECK(is_same);
    }
    return found;
}

static void the_newest_entry_comes_first(void) {
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    CnUndoLog log = {0};
    for (int round = 0; round < 3; ++round) { // the next ones in memory that is there
        int count = round == 1 ? 7 : ENTRIES;
        cn_undo_log_clear(&log);
        CHECK(log.newest == NULL);
        add_entries(&log, &allocator, count);
        CHECK_INT(check_entries(&log, count), count);
    }
    cn_undo_log_destroy(&log, &allocator);
    CHECK_INT((int)memory.live, 0);
}

// What the steps since the last trim have needed stays, and at most 1 MiB more.
static void memory_that_is_not_needed_goes_back(void) {
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    CnUndoLog log = {0};
    add_entries(&log, &allocator, ENTRIES);
    size_t most = log.room;
    CHECK(most > (size_t)1 << 20);
    cn_undo_log_clear(&log);
    cn_undo_log_trim(&log, &allocator, 0); // all of it was needed
    CHECK(log.room == most);
    add_entries(&log, &allocator, 7);
    cn_undo_log_clear(&log);
    cn_undo_log_trim(&log, &allocator, most / 8 * 7); // what fits into all chunks in any case
    CHECK(log.room == most);
    cn_undo_log_trim(&log, &allocator, 0);
    CHECK(log.room == (size_t)1 << 20);
    add_entries(&log, &allocator, ENTRIES);
    CHECK(log.room == most);
    CHECK_INT(check_entries(&log, ENTRIES), ENTRIES);
    cn_undo_log_destroy(&log, &allocator);
    CHECK_INT((int)memory.live, 0);
}

TEST_MAIN("unit/world/contacts/undo_log", TEST(the_newest_entry_comes_first),
          TEST(memory_that_is_not_needed_goes_back))
