// broad_phase.h - which boxes may meet: pairs kept from step to step.
//
// A proxy stands for one box. Each has a fat box around it, and only what has left its fat box is
// looked at again, so things at rest cost one comparison. The caller numbers the proxies, and uses
// the numbers of removed ones again; the pairs found depend on the numbers and on the boxes, never
// on what happened before. docs/theory/collision/broad_phase.md.
#pragma once

#include "base/tasks.h"
#include "collision/broad/pair_set.h"
#include "collision/broad/tree.h"

// False for a pair that must not be reported. Asked when the fat boxes of a pair come to overlap,
// not in every step, and by several workers at once.
typedef bool CnPairFilter(int first, int second, void* data);

// The box of a proxy.
typedef struct CnProxyBounds {
    int proxy;
    CnBounds bounds;
} CnProxyBounds;

typedef struct CnProxy {
    float middle[3]; // of its box when it was last made fat [m]
    uint32_t fitted; // the update in which that was
    bool moves;      // false: pairs only with those that do
    bool is_new;     // was nowhere yet
    bool removed;    // its number is not in use
    bool unbounded;  // in no tree: may meet everything
} CnProxy;

// What a worker finds pairs with: scratch.
typedef struct CnPairFinder {
    CnTreeQuery query;
    CnPairArray found; // pairs, in no order
    bool failed;       // no memory
} CnPairFinder;

typedef struct CnBroadPhase {
    CnAllocator allocator;
    CN_ARRAY(CnProxy) proxies;
    CN_ARRAY(CnFloatBox) fat;       // [proxies.count]
    CN_ARRAY(uint8_t) stirred;      // pairs must be found anew   [proxies.count]
    CN_ARRAY(int) stirred_list;     // those of which it is true, in no order; room for all
    CnTree trees[2];                // of fat boxes: those at rest, those that move
    int change_count[2];            // to each tree since it was built
    int placed_count[2];            // leaves that came to each tree between updates, since then
    double built_cost[2];           // of each tree, then
    CN_ARRAY(int) unbounded;        // proxies in no tree
    CN_ARRAY(int) moved;            // scratch: proxies that have left their fat box
    CN_ARRAY(int) members;          // scratch
    CN_ARRAY(int) part_counts;      // scratch
    CN_ARRAY(CnPairFinder) finders; // of each worker
    CnPairSet set;
    uint32_t update_count;
    const CnTasks* tasks; // set by the caller: whose workers find pairs; NULL: the caller alone
    bool keeps_size;    // set by the caller: this update's boxes are smaller than those of the next
                        // one, because they do not look ahead; no fat box shrinks
    bool looks_ahead;   // set by the caller: boxes come with the way they go in an update, and only
                        // when they change; fat ones add less, and shrink at once
    bool is_stirred;    // some proxies wait for their pairs to be found anew
    bool complete;      // false: an update failed half-way; the next one finds every pair anew
    bool has_new_pairs; // set by updates: some pairs may have no record yet; the caller clears it
} CnBroadPhase;

void cn_broad_phase_init(CnBroadPhase* phase, const CnAllocator* allocator);
void cn_broad_phase_destroy(CnBroadPhase* phase);

// Makes an empty one the same as another, trees and all. False: no memory.
bool cn_broad_phase_copy(CnBroadPhase* phase, const CnBroadPhase* from);

// Trees anew, and room, after proxies and pairs came from elsewhere. False: no memory.
bool cn_broad_phase_rebuild(CnBroadPhase* phase);

// A proxy with a number that is not in use: one of those removed, or the first that never was. It
// is nowhere before it is placed or the next update, and has no pairs before that. False: no
// memory, nothing changed.
bool cn_broad_phase_add(CnBroadPhase* phase, int proxy, bool moves);

// Between updates: the box is there now, and there the trees have it at once. Its pairs follow with
// the next update.
void cn_broad_phase_place(CnBroadPhase* phase, int proxy, const CnBounds* bounds);

// Its number may be used again at once; its pairs go with the next update.
void cn_broad_phase_remove(CnBroadPhase* phase, int proxy);

// What the filter says of a proxy has changed: the next update asks it about every pair of this one
// again, those that it refused before too.
void cn_broad_phase_filter_again(CnBroadPhase* phase, int proxy);

// Whether the next update, keeps_size and looks_ahead being set for it, does something about a
// proxy that has moved within its fat box: now and then it looks for fat boxes that are far too
// large.
bool cn_broad_phase_shrinks(const CnBroadPhase* phase);

// Where the boxes of some proxies are now: of all that have moved since the last update, and of new
// ones that were not placed. Those within their fat boxes may be left out, unless it shrinks. Boxes
// may be infinite. A pair that is found again keeps its record, one that is new has none, and those
// that are lost are in set.lost. After CN_NO_MEMORY the pairs are those of before, and the next
// update finds all of them anew.
CnStatus cn_broad_phase_update(CnBroadPhase* phase, const CnProxyBounds* boxes, int count,
                               CnPairFilter* filter, void* data);

// Pairs whose fat boxes overlap, in increasing order; every pair of boxes that overlap is among
// them. Valid until something changes.
static inline const CnPairArray* cn_broad_phase_pairs(const CnBroadPhase* phase) {
    return &phase->set.pairs;
}
