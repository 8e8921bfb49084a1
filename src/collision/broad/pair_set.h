// pair_set.h - pairs of numbers kept in order from step to step, with a record each.
#pragma once

#include "base/array.h"
#include "base/tasks.h"

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

// Pairs that follow each other, as a merge takes them.
typedef struct CnPairPart {
    int first, end;             // of the pairs before
    int loose;                  // of these
    int first_added, end_added; // of the added pairs, those that come before the next part
    int out;                    // where the merged ones begin
    int first_lost, lost;       // where in CnPairSet.lost the lost ones are, and how many
} CnPairPart;

typedef struct CnPairSet {
    CnPairArray pairs;         // in increasing order, none twice
    CnPairRecordArray records; // what the caller keeps of each   [pairs.count]
    CnPairArray added;         // found since the last merge, in any order; in pairs only if loose
    CnPairArray lost; // by merges since cn_pair_set_forget_lost(), in their order: loose, and not
                      // found again by the same merge
    CnPairRecordArray lost_records; // [lost.count]
    CnPairArray spare;              // scratch
    CnPairRecordArray spare_records;
    CN_ARRAY(CnPairPart) parts; // scratch
} CnPairSet;

// Sorts what was added into pairs. Loose are those pairs for which `is_loose` holds, one byte for
// each number, NULL: none: of a pair that has one of these. A loose pair that was added too keeps
// its record, other loose ones are lost; a new pair has CN_NO_RECORD. Members are below
// `number_count`. Workers of `tasks` share the pairs. False: no memory, nothing changed.
bool cn_pair_set_merge(CnPairSet* set, const uint8_t* is_loose, int number_count,
                       const CnTasks* tasks, const CnAllocator* allocator);

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
