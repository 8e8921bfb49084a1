// island_store.h - islands: bodies joined by rows, kept while the same rows join them.
#pragma once

#include "base/arena.h"
#include "base/array.h"

struct CnWorld;

// Two bodies that rows act between.
typedef struct CnIslandLink {
    int body_a, body_b; // indices; -1: the immovable world
    int place; // of the manifold in CnStep.manifolds, or of the explicit block in CnStep.rows
} CnIslandLink;

// Islands in the order of their first rows; what is in each keeps its order, so results never
// depend on how the islands were found. Bodies that impulses do not move join nothing: each island
// that touches one has it in its list. Rows without movable bodies are an island alone.
typedef struct CnIslandStore {
    int count;
    CnIntArray
        manifold_start;     // manifolds of island i: manifold[manifold_start[i] ..]   [count + 1]
    CnIntArray manifold;    // places in CnStep.manifolds of those whose tile acts
    CnIntArray block_start; // explicit blocks of island i, likewise   [count + 1]
    CnIntArray block;       // indices into CnStep.rows
    CnIntArray body_start;  // bodies of island i, likewise   [count + 1]
    CnIntArray body;        // in order of first appearance
    CN_ARRAY(CnIslandLink) links; // what they were made from: of tiles, then of explicit blocks
    CN_ARRAY(uint8_t) moves;      // of each link: which of its bodies impulses moved, a bit each
    int tile_links;               // of the links
    uint32_t version;             // of CnActive, that moves was compared with last
    uint32_t rebuilds;            // how often they were made
    bool has_seconds;             // blocks had second pairs: they are made anew in every step
} CnIslandStore;

// Brings the islands up to date with the rows of the step. CN_OK or CN_NO_MEMORY.
CnStatus cn_islands_update(struct CnWorld* world);

void cn_island_store_free(CnIslandStore* store, const CnAllocator* allocator);
