// soft_placing.h - scheme soft_step: which lanes of which tiles the contacts of a group get.
//
// Within a group contacts are packed by first fit in their order, so that lanes depend on who is in
// the group and on nothing else. Where its tiles lie in memory is of no account: a group that has
// the members it had before keeps them, with all that was prepared in them.
#pragma once

#include "solvers/soft/lane_packing.h"
#include "world/soft/soft_store.h"

typedef struct CnSoftPlacing {
    struct CnWorld* world;
    const int* row; // of each body, from the base of its group; of kinematic bodies the last
    CnLanePacking* packings; // by worker
    CnSoftGroup* old_groups; // of the schedule before; without tiles once they are taken over
    const CnSoftMember* old_members;
    const int* old_body; // CnSoftStore.body then
    int old_group_count, old_row_count;
    int* place; // 8 * slot + lane from the first slot of its group, of each member   [most]
    int* slot;  // of each tile from there, at the first member of its group and on   [most]
    int most;
    int* old;           // group before that has the members of each, CN_NONE: none   [groups]
    int free;           // free tiles are looked for from this one on
    bool carries;       // lanes of the schedule before are still those of their manifolds
    bool has_same_rows; // each body has the row it had
} CnSoftPlacing;

// Before another schedule. carries: see above; else all impulses go to their manifolds first.
// False: no memory.
bool cn_soft_begin_placing(struct CnWorld* world, bool carries, CnSoftPlacing* placing);

// Tiles for the members of all groups of the schedule; row: see above. All workers pack and fill
// them. Lanes that are not carried over are to be loaded. False: no memory.
bool cn_soft_place_groups(CnSoftPlacing* placing, const int* row);

// Tiles that no group has taken over are free, and those who have left them without a lane.
void cn_soft_end_placing(CnSoftPlacing* placing);

// Impulses go to their manifolds; all tiles are free, and no manifold has a lane.
void cn_soft_forget_tiles(struct CnWorld* world);
