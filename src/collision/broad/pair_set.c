// pair_set.c - pairs of numbers kept in order from step to step, with a record each.
#include "collision/broad/pair_set.h"

#include <string.h>

// Digits of the radix sort: many pairs in fewer passes, few without counting long.
#define MANY_PAIRS 1024
#define DIGIT_BITS 8
#define LONG_DIGIT_BITS 12

// Pairs of the set that one task counts and merges.
#define PAIRS_PER_PART 1024

// One pass of a radix sort: stable, by the digit of so many bits that starts at bit `shift`.
static void sort_by_digit(const CnPair* from, CnPair* to, int count, int shift, int bits) {
    int start[1 << LONG_DIGIT_BITS];
    int digits = 1 << bits;
    memset(start, 0, (size_t)digits * sizeof *start);
    for (int i = 0; i < count; ++i) {
        ++start[from[i] >> shift & (unsigned)(digits - 1)];
    }
    for (int digit = 0, sum = 0; digit < digits; ++digit) {
        int here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (int i = 0; i < count; ++i) {
        to[start[from[i] >> shift & (unsigned)(digits - 1)]++] = from[i];
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
    int bits = set->added.count < MANY_PAIRS ? DIGIT_BITS : LONG_DIGIT_BITS;
    for (int half = 0; half <= 32; half += 32) {
        for (int bit = 0; bit < 32 && (number_count - 1) >> bit > 0; bit += bits) {
            sort_by_digit(set->added.data, set->spare.data, set->added.count, half + bit, bits);
            set->spare.count = set->added.count;
            swap_arrays(&set->added, &set->spare);
        }
    }
}

typedef struct PairMerge {
    CnPairSet* set;
    const uint8_t* is_loose; // NULL: nothing is
} PairMerge;

static bool is_pair_loose(const PairMerge* merge, CnPair pair) {
    return merge->is_loose != NULL &&
           (merge->is_loose[cn_pair_first(pair)] | merge->is_loose[cn_pair_second(pair)]) != 0;
}

static void count_loose(int begin, int end, int worker, void* data) {
    const PairMerge* merge = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        CnPairPart* part = &merge->set->parts.data[k];
        part->loose = 0;
        for (int i = part->first; i < part->end; ++i) {
            part->loose += is_pair_loose(merge, merge->set->pairs.data[i]);
        }
    }
}

// The first of the added pairs, which are sorted, that is not below the pair.
static int find_added(const CnPairSet* set, CnPair pair) {
    int begin = 0, end = set->added.count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (set->added.data[middle] < pair) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// What is added to each part, and where parts go: all in the order of pairs.
static void place_parts(CnPairSet* set) {
    int out = 0, lost = set->lost.count;
    for (int k = 0; k < set->parts.count; ++k) {
        CnPairPart* part = &set->parts.data[k];
        bool is_last = k + 1 == set->parts.count;
        part->first_added = k == 0 ? 0 : part[-1].end_added;
        part->end_added = is_last ? set->added.count : find_added(set, set->pairs.data[part->end]);
        part->out = out;
        part->first_lost = lost;
        out += part->end - part->first - part->loose + part->end_added - part->first_added;
        lost += part->loose;
    }
}

// Into the spare arrays. A loose pair that was added keeps its record, others that are loose are
// lost.
static void merge_part(const PairMerge* merge, CnPairPart* part) {
    CnPairSet* set = merge->set;
    const CnPair* added = set->added.data + part->first_added;
    const CnPair* added_end = set->added.data + part->end_added;
    CnPair* out = set->spare.data + part->out;
    int* record = set->spare_records.data + part->out;
    int lost = part->first_lost;
    if (part->loose == 0 && added == added_end) { // as most parts are where little moves
        size_t count = (size_t)(part->end - part->first);
        memcpy(out, set->pairs.data + part->first, count * sizeof *out);
        memcpy(record, set->records.data + part->first, count * sizeof *record);
        part->lost = 0;
        return;
    }
    for (int i = part->first; i < part->end; ++i) {
        CnPair old = set->pairs.data[i];
        for (; added < added_end && *added < old; ++added) {
            *out++ = *added;
            *record++ = CN_NO_RECORD;
        }
        bool is_found = added < added_end && *added == old;
        added += is_found;
        if (is_found || !is_pair_loose(merge, old)) {
            *out++ = old;
            *record++ = set->records.data[i];
        } else {
            set->lost.data[lost] = old;
            set->lost_records.data[lost++] = set->records.data[i];
        }
    }
    for (; added < added_end; ++added) {
        *out++ = *added;
        *record++ = CN_NO_RECORD;
    }
    part->lost = lost - part->first_lost;
}

static void merge_range(int begin, int end, int worker, void* data) {
    const PairMerge* merge = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        merge_part(merge, &merge->set->parts.data[k]);
    }
}

// Parts have left room for all pairs that might be lost.
static void join_lost(CnPairSet* set) {
    int count = set->lost.count;
    for (int k = 0; k < set->parts.count; ++k) {
        const CnPairPart* part = &set->parts.data[k];
        for (int i = part->first_lost; i < part->first_lost + part->lost; ++i) {
            set->lost.data[count] = set->lost.data[i];
            set->lost_records.data[count++] = set->lost_records.data[i];
        }
    }
    set->lost.count = set->lost_records.count = count;
}

static void swap_records(CnPairSet* set) {
    CnPairRecordArray kept = set->records;
    set->records = set->spare_records;
    set->spare_records = kept;
}

// None is empty, but for the one of an empty set. False: no memory.
static bool cut_parts(CnPairSet* set, const CnAllocator* allocator) {
    int parts = set->pairs.count == 0 ? 1 : (set->pairs.count - 1) / PAIRS_PER_PART + 1;
    if (!cn_array_reserve(&set->parts, allocator, parts)) {
        return false;
    }
    for (set->parts.count = 0; set->parts.count < parts; ++set->parts.count) {
        int first = set->parts.count * PAIRS_PER_PART, end = first + PAIRS_PER_PART;
        bool is_last = set->parts.count + 1 == parts;
        set->parts.data[set->parts.count] =
            (CnPairPart){.first = first, .end = is_last ? set->pairs.count : end};
    }
    return true;
}

// Lost pairs may come back: there is room for them too. The arrays change places. False: no memory.
static bool reserve_merged(CnPairSet* set, int total, int lost, const CnAllocator* allocator) {
    return cn_array_reserve(&set->spare, allocator, total + lost) &&
           cn_array_reserve(&set->spare_records, allocator, total + lost) &&
           cn_array_reserve(&set->pairs, allocator, total + lost) &&
           cn_array_reserve(&set->records, allocator, total + lost) &&
           cn_array_reserve(&set->added, allocator, total + lost) &&
           cn_array_reserve(&set->lost, allocator, lost) &&
           cn_array_reserve(&set->lost_records, allocator, lost);
}

bool cn_pair_set_merge(CnPairSet* set, const uint8_t* is_loose, int number_count,
                       const CnTasks* tasks, const CnAllocator* allocator) {
    PairMerge merge = {set, is_loose};
    int loose = 0;
    if (!cut_parts(set, allocator)) {
        return false;
    }
    cn_tasks_for(tasks, set->parts.count, 1, count_loose, &merge);
    for (int k = 0; k < set->parts.count; ++k) {
        loose += set->parts.data[k].loose;
    }
    int total = set->pairs.count - loose + set->added.count;
    if (set->added.count == 0 && loose == 0) {
        return true;
    }
    if (!reserve_merged(set, total, set->lost.count + loose, allocator)) {
        return false;
    }
    sort_added(set, number_count);
    place_parts(set);
    cn_tasks_for(tasks, set->parts.count, 1, merge_range, &merge);
    join_lost(set);
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
    cn_array_free(&set->lost, allocator);
    cn_array_free(&set->lost_records, allocator);
    cn_array_free(&set->spare, allocator);
    cn_array_free(&set->spare_records, allocator);
    cn_array_free(&set->parts, allocator);
}
