// rollback.h - a world as a step finds it, to go back to should the step fail.
#pragma once

#include "world/world.h"

// What is copied; impulses of the last step, its buffers, events and warnings are kept apart from
// those of the step that is under way, so that going back costs nothing while steps succeed.
typedef struct CnRollback {
    double time, whole_dt, kept_dt; // [s]
    CnTilePosing tile_posing;
    CnPlace* places; // [place_count]
    int place_count;
    CnTransform* posed; // [posed_count]
    int posed_count;
    CnBodyState* states; // [bodies]
    CnSleep* sleep;      // [bodies]
    CnSleepCounts sleeping;
    unsigned char* constraint; // results and memory of constraints, one after the other
} CnRollback;

// Begins a step. From the world's arena; CN_NO_MEMORY: nothing was changed.
CnStatus cn_rollback_begin(CnWorld* world, CnRollback* rollback);

// The step stands.
void cn_rollback_commit(CnWorld* world);

// The step failed: all that a user can read, and all that the next step reads, is as it was.
void cn_rollback_restore(CnWorld* world, const CnRollback* rollback);
