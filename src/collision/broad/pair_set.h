// pair_set.h - pairs of numbers kept in order from step to step, with a record each.
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
typedef CN_ARRAY(int) CnPairRecordArray;

#define CN_NO_RECORD (-1) // of a pair that is new

// What a pair remembers from step to step; zero when it is new. It only saves work: contact points
// are the same to the bit whatever it says.
typedef struct CnPairMemory {
    float axis[3]; // from the first to the second: along it they were apart; zero: none
} CnPairMemory;

typedef struct CnPairSet {
    CnPairArray pairs;         // in increasing order, none twice
    CnPairRecordArray records; // what the caller keeps of each   [pairs.count]
    CnPairArray added;         // found since the last merge, in any order, none of them in pairs
    CnPairArray loose;         // taken out since the last merge, in increasing order
    CnPairRecordArray loose_records; // [loose.count]
    CnPairArray lost; // by merges since cn_pair_set_forget_lost(), in their order: loose, and not
                      // found again by the same merge
    CnPairRecordArray lost_records; // [lost.count]
    CnPairArray spare;              // scratch
    CnPairRecordArray spare_records;
} CnPairSet;

// Takes the pairs out for which `is_loose` holds, one byte for each number: of a pair that has one
// of these. False: no memory, nothing changed.
bool cn_pair_set_loosen(CnPairSet* set, const uint8_t* is_loose, const CnAllocator* allocator);

// Sorts what was added into pairs. A pair that was loose keeps its record, a new one has
// CN_NO_RECORD; loose pairs that were not added again are lost. Members are below `number_count`.
// False: no memory, nothing changed.
bool cn_pair_set_merge(CnPairSet* set, int number_count, const CnAllocator* allocator);

// Puts loose pairs back where they were. Needs no memory.
void cn_pair_set_restore_loose(CnPairSet* set);

// The lost pairs are gone for good; or they come back, with their records. Needs no memory.
static inline void cn_pair_set_forget_lost(CnPairSet* set) {
    set->lost.count = set->lost_records.count = 0;
}
void cn_pair_set_restore_lost(CnPairSet* set);

// Some of them come back, the others stay lost. Between merges only; needs no memory. Returns how
// many came back.
int cn_pair_set_restore_some(CnPairSet* set, bool (*comes_back)(int record, const void* data),
                             const void* data);

void cn_pair_set_free(CnPairSet* set, const CnAllocator* allocator);
