// soft_store.h - scheme soft_step: groups of islands, with their bodies and tiles of contacts.
//
// Islands are packed into groups that fit the second-level cache. A group has its bodies as rows of
// floats, one after the other, and its manifolds in tiles of eight; it is solved by one worker.
// Groups stay as they are while islands do; who is in which lane never depends on the workers.
#pragma once

#include "base/array.h"
#include "cairn/base.h"
#include "solvers/soft/soft_tile.h"

struct CnWorld;

typedef struct CnSoftGroup {
    int first_body, body_count; // rows; the first is what does not move; a multiple of 8
    int first_tile, tile_count;
    int first_island, island_count; // of CnIslandStore, none for bodies that nothing touches
} CnSoftGroup;

typedef struct CnSoftStore {
    // By row; groups one after the other.
    CN_ARRAY(CnSoftBody) rows;
    CN_ARRAY(CnSoftMass) masses;
    CN_ARRAY(CnSoftDrift) drifts;
    CnIntArray body; // index in CnWorld.bodies; CN_NONE: none

    CN_ARRAY(CnSoftTile) tiles;
    CnIntArray manifold; // of each lane, in CnWorld.pairs; CN_NONE: none   [8 * tiles.count]
    CN_ARRAY(CnSoftGroup) groups;
} CnSoftStore;

void cn_soft_store_free(CnSoftStore* store, const CnAllocator* allocator);

// Makes groups, rows and lanes of the islands of the step; what is in them is left to be written.
// CN_OK or CN_NO_MEMORY.
CnStatus cn_soft_schedule(struct CnWorld* world);

// The bodies of a group as kernels take them.
CnSoftBodies cn_soft_bodies(const CnSoftStore* store, const CnSoftGroup* group);
