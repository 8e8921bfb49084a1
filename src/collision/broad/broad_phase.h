// broad_phase.h - which boxes may meet: pairs kept from step to step.
//
// A proxy stands for one box. Each has a fat box around it, and only what has left its fat box is
// looked at again, so things at rest cost one comparison. Proxies are numbered 0, 1, 2, ... in the
// order they were added, and the pairs found depend on that order and on the boxes, never on what
// happened before. docs/theory/broad_phase.md.
#pragma once

#include "collision/broad/pair_set.h"
#include "collision/broad/tree.h"

// False for a pair that must not be reported. Asked when the fat boxes of a pair come to overlap,
// not in every step.
typedef bool CnPairFilter(int first, int second, void* data);

typedef struct CnProxy {
    float middle[3]; // of its box when it was last made fat [m]
    uint32_t fitted; // the update in which that was
    int owner;       // whatever the caller calls it
    bool moves;      // false: pairs only with those that do
    bool is_new;     // was nowhere yet
    bool removed;    // waits for the next update to be forgotten
    bool unbounded;  // in no tree: may meet everything
} CnProxy;

typedef struct CnBroadPhase {
    CnAllocator allocator;
    CN_ARRAY(CnProxy) proxies;
    CN_ARRAY(CnFloatBox) fat;  // [proxies.count]
    CN_ARRAY(uint8_t) stirred; // pairs must be found anew   [proxies.count]
    CnTree trees[2];           // of fat boxes: those at rest, those that move
    int change_count[2];       // to each tree since it was built
    int placed_count[2];       // leaves that came to each tree between updates, since then
    double built_cost[2];      // of each tree, then
    CN_ARRAY(int) unbounded;   // proxies in no tree
    CN_ARRAY(int) moved;       // scratch: proxies that have left their fat box
    CN_ARRAY(int) members;     // scratch
    CnTreeQuery query;
    CnPairSet set;
    uint32_t update_count;
    int removed_count;
    bool is_stirred;  // some proxies wait for their pairs to be found anew
    bool placed_some; // between updates: their pairs are to be found
    bool complete;    // false: an update failed half-way; the next one starts from nothing
} CnBroadPhase;

void cn_broad_phase_init(CnBroadPhase* phase, const CnAllocator* allocator);
void cn_broad_phase_destroy(CnBroadPhase* phase);

// The new proxy's number, or -1: no memory. It is nowhere before it is placed or the next update,
// and has no pairs before that. owner: what the caller wants to find in CnProxy.
int cn_broad_phase_add(CnBroadPhase* phase, bool moves, int owner);

// Between updates: the box is there now, and there the trees have it at once. Its pairs follow with
// the next update.
void cn_broad_phase_place(CnBroadPhase* phase, int proxy, const CnBounds* bounds);

// The others keep their numbers until the next update, which closes the gaps and keeps the order.
void cn_broad_phase_remove(CnBroadPhase* phase, int proxy);

// What the filter says of a proxy has changed: the next update asks it about every pair of this one
// again, those that it refused before too.
void cn_broad_phase_filter_again(CnBroadPhase* phase, int proxy);

// Proxies get new numbers without those of removed ones, in the old order; so does an update.
// False: no number has changed.
bool cn_broad_phase_close_gaps(CnBroadPhase* phase);

// Where the boxes are now, numbered as they will be once gaps are closed. Boxes may be infinite.
// After CN_NO_MEMORY there are no pairs until an update succeeds.
CnStatus cn_broad_phase_update(CnBroadPhase* phase, const CnBounds* bounds, CnPairFilter* filter,
                               void* data);

// Pairs whose fat boxes overlap, in increasing order; every pair of boxes that overlap is among
// them. Valid until something changes.
static inline const CnPairArray* cn_broad_phase_pairs(const CnBroadPhase* phase) {
    return &phase->set.pairs;
}

// What each of them remembers, for the narrow phase to write. [pairs]
static inline CnPairMemory* cn_broad_phase_memory(CnBroadPhase* phase) {
    return phase->set.memory.data;
}
