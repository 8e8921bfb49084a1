// search.h - the narrow phase over the pairs of a world, in parallel.
#pragma once

#include "base/fetch.h"
#include "world/contacts/places.h"
#include "world/world.h"

// The contact points of one pair, as a search found them.
typedef struct CnFoundPair {
    int record;               // of the pair
    bool is_near;             // its bounds meet: it is looked at
    double margin;            // that was searched with [m]
    int worker, first, count; // its points in the memory of that worker; count 0: apart
    bool is_taken;            // CnSearch.take has done all there is to do
} CnFoundPair;

// Pairs that one task looks through, where it reads little of each.
#define CN_PAIRS_PER_TASK 64

// Which pairs to look at.
typedef enum CnSearchMode {
    CN_SEARCH_OUT_OF_DATE, // those that have manifolds, or may, and are not still or look further
    CN_SEARCH_MOVED,       // those that are not still; the end_gap of those that are apart is set
    CN_SEARCH_ALL,         // all; the same
    CN_SEARCH_UNLISTED,    // those that have moved since the last collection: cn_pair_is_listed()
    CN_SEARCH_EVERYTHING,  // all, those between sleepers too, which the others leave out
} CnSearchMode;

// How many pairs of a part are not left out, and how many of these are looked at.
typedef struct CnChosenPart {
    int count, looks;
} CnChosenPart;

typedef struct CnSearch CnSearch;

// For the worker that has found the points of a pair: takes them over where nothing that other
// workers use is needed for it, and says so by `is_taken`. False: no memory.
typedef bool CnTakeFound(const CnSearch* search, CnFoundPair* found, const CnManifoldPoint* points);

struct CnSearch {
    struct CnWorld* world;
    CnSearchMode mode;
    CnTakeFound* take;         // NULL: points are kept for the caller
    const struct CnLook* look; // that it takes them over for

    // Pairs are chosen in chunks, so that what a choice has read is at hand for the look.
    CnIndexList among;       // to choose from: of a correction, those in its scope
    int chosen;              // of these so far
    int chunk, least_chunk;  // of these now or next time; next time where many move
    int look_count;          // pairs that are looked at so far, of all chunks
    CnChosenPart* chosen_of; // of each part of CN_PAIRS_PER_TASK pairs of the chunk
    const uint8_t* stirred;  // by shape; NULL: any pair may be out of date
    bool looks_hold;         // CnSoftStore.looks are of this step: nobody sleeps
    uint8_t* known;          // by record, nothing of those looked at; NULL: of no use

    CnFoundPair* found; // of the chunk, in the order of pairs   [count]
    int count;

    // The part under way: see cn_search_next().
    CnNarrowPair* pairs;         // that are looked at   [part_looks]
    int* place;                  // of each of these in found   [part_looks]
    int part_looks, most_looks;  // of this part; of any part
    int first_found, found_stop; // in found
};

static inline const CnManifoldPoint* cn_found_points(const CnWorld* world,
                                                     const CnFoundPair* found) {
    return world->search[found->worker].kept.data + found->first;
}

// Prefetches what searches read of a record, which may lie across two cache lines.
static inline void cn_record_fetch(const CnPairRecord* record) {
    cn_fetch(record);
    cn_fetch((const char*)record + 64);
}

#define CN_SEARCH_AHEAD 16 // pairs: some 100 ns

// In a loop over pairs: prefetches the record of a later one. Records lie in the order in which
// pairs were found, not in that of the loop. known: by record, those with one of `bits` are not
// read; NULL: all are.
static inline void cn_search_fetch(const CnWorld* world, const CnIndexList* pairs, int i,
                                   const uint8_t* known, unsigned bits) {
    const CnPairSet* set = &world->broad_phase.set;
    int later = i + CN_SEARCH_AHEAD;
    if (later < pairs->count) {
        int record = set->records.data[cn_index_at(pairs, later)];
        record = record > 0 ? record : 0;
        if (known == NULL || (known[record] & bits) == 0) {
            cn_record_fetch(world->pairs.records.data + record);
        }
    }
}

// Prefetches a manifold: in a loop over manifolds, which lie anywhere, a later one.
static inline void cn_manifold_fetch(const CnPairStore* store, int manifold) {
    for (size_t at = 0; at < store->manifolds.size; at += 64) {
        cn_fetch((const char*)cn_manifold_at(store, manifold) + at);
    }
}

// And its impulses, where they are kept apart from it.
static inline void cn_kept_fetch(const CnPairStore* store, int manifold) {
    if (manifold < store->frames.count) {
        cn_fetch(&store->frames.data[manifold]);
        cn_fetch((const char*)(&store->frames.data[manifold] + 1) - 1);
    } else if (manifold < store->kept.count) {
        cn_fetch(&store->kept.data[manifold]);
        cn_fetch((const char*)(&store->kept.data[manifold] + 1) - 1);
    }
}

// Whether the manifolds of a record were found at the present places of its bodies.
bool cn_pair_is_still(const CnWorld* world, const CnPairRecord* record);

// Whether the last collection of contacts has those of a record at the present places.
bool cn_pair_is_listed(const CnWorld* world, int record);

// The contact points of these pairs, sensors left out, at the places that cn_places_update() has
// set. Points that cannot close in the time looked ahead are left out. The arrays are in the
// world's arena, the points in memory of the workers until the next search. CN_OK or CN_NO_MEMORY.
CnStatus cn_search_pairs(CnWorld* world, CnSearchMode mode, CnSearch* search);

// The same in parts of CN_SEARCH_PART looks for each worker, so that points of few pairs are in
// memory at a time:
//
//     cn_search_begin(world, mode, &search);
//     while (cn_search_next(&search)) {
//         cn_tasks_for(tasks, search.part_looks, CN_SEARCH_GRAIN, cn_search_range, &search);
//         if (cn_search_end(world) == CN_OK) { ... found[first_found] to found[found_stop - 1] ...
//         }
//     }
//
// cn_search_next() chooses pairs, cn_search_range() looks at some of a part, cn_search_end() tells
// whether memory sufficed.
CnStatus cn_search_begin(CnWorld* world, CnSearchMode mode, CnSearch* search);
#define CN_SEARCH_GRAIN 128 // of these by one task
#define CN_SEARCH_PART 512
bool cn_search_next(CnSearch* search); // false: there is no further part
void cn_search_range(int begin, int end, int worker, void* search);
CnStatus cn_search_end(const CnWorld* world);
