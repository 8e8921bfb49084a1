// pair_set.c - pairs of numbers, kept in order from step to step.
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

// Into the spare arrays. New pairs remember nothing.
static void merge_added(CnPairSet* set) {
    const CnPair *old = set->pairs.data, *new = set->added.data;
    const CnPair *old_end = old + set->pairs.count, *new_end = new + set->added.count;
    const CnPairMemory* old_memory = set->memory.data;
    CnPair* out = set->spare.data;
    CnPairMemory* memory = set->spare_memory.data;
    while (old < old_end && new < new_end) {
        bool is_old = *old < *new;
        *out++ = is_old ? *old++ : *new ++;
        *memory++ = is_old ? *old_memory++ : (CnPairMemory){0};
    }
    if (old < old_end) {
        memcpy(out, old, (size_t)(old_end - old) * sizeof *old);
        memcpy(memory, old_memory, (size_t)(old_end - old) * sizeof *memory);
    } else {
        memcpy(out, new, (size_t)(new_end - new) * sizeof *new);
        memset(memory, 0, (size_t)(new_end - new) * sizeof *memory);
    }
}

bool cn_pair_set_merge(CnPairSet* set, int number_count, const CnAllocator* allocator) {
    int total = set->pairs.count + set->added.count;
    set->spare.count = set->spare_memory.count = 0;
    if (set->added.count == 0) {
        return true;
    }
    if (!cn_array_reserve(&set->spare, allocator, total) ||
        !cn_array_reserve(&set->spare_memory, allocator, total) ||
        !cn_array_reserve(&set->added, allocator, total)) { // the two change places while sorting
        return false;
    }
    sort_added(set, number_count);

    merge_added(set);
    set->spare.count = set->spare_memory.count = total;
    set->added.count = 0;
    swap_arrays(&set->pairs, &set->spare);
    CnPairMemoryArray kept = set->memory;
    set->memory = set->spare_memory;
    set->spare_memory = kept;
    return true;
}

void cn_pair_set_free(CnPairSet* set, const CnAllocator* allocator) {
    cn_array_free(&set->pairs, allocator);
    cn_array_free(&set->added, allocator);
    cn_array_free(&set->spare, allocator);
    cn_array_free(&set->memory, allocator);
    cn_array_free(&set->spare_memory, allocator);
}
