// rollback.h - a world as a step finds it, to go back to should the step fail.
#pragma once

#include "world/world.h"

typedef struct CnSavedBody {
    CnBodyState state;
    int body; // index
    bool was_exact, was_asleep;
    bool has_place; // where it was placed and posed is saved too
} CnSavedBody;

typedef struct CnSavedPlace {
    CnPlace place;
    CnTransform posed;
} CnSavedPlace;

// What is copied; impulses of the last step, its buffers, events and warnings are kept apart from
// those of the step that is under way, so that going back costs nothing while steps succeed.
typedef struct CnRollback {
    double time, whole_dt, kept_dt; // [s]
    CnTilePosing tile_posing;
    int place_count, posed_count; // of CnWorld.places and CnWorld.posed
    CnSavedBody* bodies;          // that a step may write about, and that woke since   [body_count]
    CnSavedPlace* places;         // of the same, where they have one
    CnSleep* sleeps; // of the same; NULL: none sleeps or may fall asleep, and was_asleep is all
                     // that a step changes of it
    int body_count;
    int first_count;  // of bodies that the step began with, in increasing order
    bool is_late;     // their places are saved as they are changed: cn_rollback_keep_place()
    bool waits;       // they are still to be saved, and as they were
    CnIndexList list; // the same bodies
    CnSleepCounts sleeping;
    int* constraints; // of those that may act: 2 * slot, + 1: its data are saved too
    int constraint_count;
    unsigned char* memory; // their results and memory, one after the other
    size_t memory_size;
} CnRollback;

// Begins a step. From the world's arena; CN_NO_MEMORY: nothing was changed.
CnStatus cn_rollback_begin(CnWorld* world, CnRollback* rollback);

// The bodies of a step that begins with a loop over all of them are saved by this loop, which reads
// them anyway: some at a time, from the list that it walks, and then all are. In other steps, and
// with any other list, they are saved before. Bodies do not change until then.
bool cn_rollback_waits_for(const CnWorld* world, const CnIndexList* list);
void cn_rollback_save_some(const CnWorld* world, int begin, int end);
void cn_rollback_end_saving(CnWorld* world);
void cn_rollback_save_bodies(CnWorld* world);

// A body is about to wake during a step: it may move from now on, and its constraints may act.
// There is room for all of them.
void cn_rollback_add_body(CnWorld* world, int body);

// A place, or the pose that contacts are of, is about to change during a step: in scheme soft_step
// few do, and they are saved one by one. For each body from one worker only.
void cn_rollback_keep_place(CnWorld* world, int body);

// The step stands.
void cn_rollback_commit(CnWorld* world);

// The step failed: all that a user can read, and all that the next step reads, is as it was.
void cn_rollback_restore(CnWorld* world, const CnRollback* rollback);
