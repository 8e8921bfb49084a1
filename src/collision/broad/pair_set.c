// pair_set.c - pairs of numbers kept in order from step to step, with a record each.
#include "collision/broad/pair_set.h"

#include <string.h>

#define DIGIT_BITS 8
#define DIGIT_COUNT (1 << DIGIT_BITS)

// One pass of a radix sort: stable, by the digit that starts at bit `shift`.
static void sort_by_digit(const CnPair* from, CnPair* to, int count, int shift) {
    int start[DIGIT_COUNT] = {0};
    for (int i = 0; i < count; ++i) {
        ++start[from[i] >> shift & (DIGIT_COUNT - 1)];
    }
    for (int digit = 0, sum = 0; digit < DIGIT_COUNT; ++digit) {
        int here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (int i = 0; i < count; ++i) {
        to[start[from[i] >> shift & (DIGIT_COUNT - 1)]++] = from[i];
    }
}

static void swap_arrays(CnPairArray* a, CnPairArray* b) {
    CnPairArray kept = *a;
    *a = *b;
    *b = kept;
}

// Second members first, then first members; digits that no number reaches are left out. The spare
// array has room for all that was added.
static void sort_added(CnPairSet* set, int number_count) {
    for (int half = 0; half <= 32; half += 32) {
        for (int bit = 0; bit < 32 && (number_count - 1) >> bit > 0; bit += DIGIT_BITS) {
            sort_by_digit(set->added.data, set->spare.data, set->added.count, half + bit);
            set->spare.count = set->added.count;
            swap_arrays(&set->added, &set->spare);
        }
    }
}

bool cn_pair_set_loosen(CnPairSet* set, const uint8_t* is_loose, const CnAllocator* allocator) {
    int kept = 0, count = set->pairs.count;
    if (!cn_array_reserve(&set->loose, allocator, set->loose.count + count) ||
        !cn_array_reserve(&set->loose_records, allocator, set->loose.count + count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        CnPair pair = set->pairs.data[i];
        if (is_loose[cn_pair_first(pair)] | is_loose[cn_pair_second(pair)]) {
            set->loose.data[set->loose.count++] = pair;
            set->loose_records.data[set->loose_records.count++] = set->records.data[i];
        } else {
            set->pairs.data[kept] = pair;
            set->records.data[kept++] = set->records.data[i];
        }
    }
    set->pairs.count = set->records.count = kept;
    return true;
}

static void lose(CnPairSet* set, int loose) {
    set->lost.data[set->lost.count++] = set->loose.data[loose];
    set->lost_records.data[set->lost_records.count++] = set->loose_records.data[loose];
}

// The record of a pair that was added: that of the loose one, if it is the same. Those before it
// are lost.
static int take_loose(CnPairSet* set, CnPair pair, int* loose) {
    while (*loose < set->loose.count && set->loose.data[*loose] < pair) {
        lose(set, (*loose)++);
    }
    bool is_same = *loose < set->loose.count && set->loose.data[*loose] == pair;
    return is_same ? set->loose_records.data[(*loose)++] : CN_NO_RECORD;
}

// Into the spare arrays.
static void merge_added(CnPairSet* set) {
    const CnPair *old = set->pairs.data, *new = set->added.data;
    const CnPair *old_end = old + set->pairs.count, *new_end = new + set->added.count;
    const int* old_record = set->records.data;
    CnPair* out = set->spare.data;
    int* record = set->spare_records.data;
    int loose = 0;
    while (old < old_end || new < new_end) {
        bool is_old = new == new_end || (old < old_end && *old < *new);
        *record++ = is_old ? *old_record++ : take_loose(set, *new, &loose);
        *out++ = is_old ? *old++ : *new ++;
    }
    while (loose < set->loose.count) {
        lose(set, loose++);
    }
    set->loose.count = set->loose_records.count = 0;
}

static void swap_records(CnPairSet* set) {
    CnPairRecordArray kept = set->records;
    set->records = set->spare_records;
    set->spare_records = kept;
}

bool cn_pair_set_merge(CnPairSet* set, int number_count, const CnAllocator* allocator) {
    int total = set->pairs.count + set->added.count;
    int lost = set->lost.count + set->loose.count;
    set->spare.count = set->spare_records.count = 0;
    if (set->added.count == 0 && set->loose.count == 0) {
        return true;
    }
    // Lost pairs may come back: there is room for them too. The arrays change places.
    if (!cn_array_reserve(&set->spare, allocator, total + lost) ||
        !cn_array_reserve(&set->spare_records, allocator, total + lost) ||
        !cn_array_reserve(&set->pairs, allocator, total + lost) ||
        !cn_array_reserve(&set->records, allocator, total + lost) ||
        !cn_array_reserve(&set->added, allocator, total + lost) ||
        !cn_array_reserve(&set->lost, allocator, lost) ||
        !cn_array_reserve(&set->lost_records, allocator, lost)) {
        return false;
    }
    sort_added(set, number_count);
    merge_added(set);
    set->spare.count = set->spare_records.count = total;
    set->added.count = 0;
    swap_arrays(&set->pairs, &set->spare);
    swap_records(set);
    return true;
}

// How many pairs of a run in increasing order, begin <= i < end, are not in the set.
static int count_missing(const CnPairSet* set, const CnPairArray* run, int begin, int end) {
    int missing = 0, place = 0;
    for (int i = begin; i < end; ++i) {
        while (place < set->pairs.count && set->pairs.data[place] < run->data[i]) {
            ++place;
        }
        missing += place == set->pairs.count || set->pairs.data[place] != run->data[i];
    }
    return missing;
}

// Puts a run of pairs in increasing order back into the set, from the end on. A pair that was found
// anew since has the old record again.
static void restore_run(CnPairSet* set, const CnPairArray* run, const CnPairRecordArray* records,
                        int begin, int end) {
    int place = set->pairs.count - 1;
    set->pairs.count += count_missing(set, run, begin, end);
    set->records.count = set->pairs.count;
    for (int to = set->pairs.count - 1; end > begin; --to) {
        bool is_kept = place >= 0 && set->pairs.data[place] >= run->data[end - 1];
        bool is_back = !is_kept || set->pairs.data[place] == run->data[end - 1];
        set->records.data[to] = is_back ? records->data[end - 1] : set->records.data[place];
        set->pairs.data[to] = is_kept ? set->pairs.data[place] : run->data[end - 1];
        place -= is_kept;
        end -= is_back;
    }
}

// Puts pairs back into the set, which has room for them: run by run, as merges took them out. One
// that is listed more than once, found and lost in turn, has its first record.
static void restore(CnPairSet* set, const CnPairArray* pairs, const CnPairRecordArray* records) {
    for (int end = pairs->count; end > 0;) {
        int begin = end - 1;
        while (begin > 0 && pairs->data[begin - 1] < pairs->data[begin]) {
            --begin;
        }
        restore_run(set, pairs, records, begin, end);
        end = begin;
    }
}

void cn_pair_set_restore_loose(CnPairSet* set) {
    restore(set, &set->loose, &set->loose_records);
    set->loose.count = set->loose_records.count = 0;
}

void cn_pair_set_restore_lost(CnPairSet* set) {
    restore(set, &set->lost, &set->lost_records);
    cn_pair_set_forget_lost(set);
}

// The arrays of added pairs and of spare records, which merges made large enough, are scratch.
int cn_pair_set_restore_some(CnPairSet* set, bool (*comes_back)(int record, const void* data),
                             const void* data) {
    CnPairArray* back = &set->added;
    CnPairRecordArray* records = &set->spare_records;
    int left = 0;
    back->count = 0;
    for (int i = 0; i < set->lost.count; ++i) {
        int record = set->lost_records.data[i];
        if (record != CN_NO_RECORD && comes_back(record, data)) {
            back->data[back->count] = set->lost.data[i];
            records->data[back->count++] = record;
        } else {
            set->lost.data[left] = set->lost.data[i];
            set->lost_records.data[left++] = record;
        }
    }
    set->lost.count = set->lost_records.count = left;
    int count = back->count;
    restore(set, back, records);
    back->count = 0;
    return count;
}

void cn_pair_set_free(CnPairSet* set, const CnAllocator* allocator) {
    cn_array_free(&set->pairs, allocator);
    cn_array_free(&set->records, allocator);
    cn_array_free(&set->added, allocator);
    cn_array_free(&set->loose, allocator);
    cn_array_free(&set->loose_records, allocator);
    cn_array_free(&set->lost, allocator);
    cn_array_free(&set->lost_records, allocator);
    cn_array_free(&set->spare, allocator);
    cn_array_free(&set->spare_records, allocator);
}
