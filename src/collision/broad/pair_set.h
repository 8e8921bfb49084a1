// pair_set.h - pairs of numbers, kept in order from step to step.
#pragma once

#include "base/array.h"

// A pair first < second as one number, so that pairs sort by first, then by second.
typedef uint64_t CnPair;

static inline CnPair cn_pair(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static inline int cn_pair_first(CnPair pair) {
    return (int)(pair >> 32);
}

static inline int cn_pair_second(CnPair pair) {
    return (int)(pair & UINT32_MAX);
}

typedef CN_ARRAY(CnPair) CnPairArray;

// What a pair remembers from step to step; zero when it is new. It only saves work: contact points
// are the same to the bit whatever it says.
typedef struct CnPairMemory {
    float axis[3]; // from the first to the second: along it they were apart; zero: none
} CnPairMemory;

typedef CN_ARRAY(CnPairMemory) CnPairMemoryArray;

typedef struct CnPairSet {
    CnPairArray pairs;        // in increasing order, none twice
    CnPairMemoryArray memory; // [pairs.count]
    CnPairArray added;        // found since the last merge, in any order, none of them in pairs
    CnPairArray spare;        // scratch
    CnPairMemoryArray spare_memory;
} CnPairSet;

// Keeps pair `from` as pair `to`, for closing gaps.
static inline void cn_pair_set_move(CnPairSet* set, int from, int to) {
    set->pairs.data[to] = set->pairs.data[from];
    set->memory.data[to] = set->memory.data[from];
}

// Sorts what was added into pairs. Members are below `number_count`. False: no memory, nothing
// changed.
bool cn_pair_set_merge(CnPairSet* set, int number_count, const CnAllocator* allocator);

void cn_pair_set_free(CnPairSet* set, const CnAllocator* allocator);
