// rollback.h - a world as a step finds it, to go back to should the step fail.
#pragma once

#include "world/world.h"

#include <stddef.h>

typedef struct CnSavedBody {
    int body; // index
    bool was_exact;
    bool has_place, has_posed; // where it was placed, and posed, is saved
} CnSavedBody;

typedef struct CnSavedPlace {
    CnPlace place;
    CnSoftPlace soft; // if there are any
    CnTransform posed;
} CnSavedPlace;

// What is copied; impulses of the last step, its buffers, events and warnings are kept apart from
// those of the step that is under way, so that going back costs nothing while steps succeed.
typedef struct CnRollback {
    double time, whole_dt, kept_dt; // [s]
    CnTilePosing tile_posing;
    int place_count, posed_count; // of CnWorld.places and CnWorld.posed
    int soft_place_count;         // of CnWorld.soft_places
    CnSavedBody* bodies; // that a step may write about, increasing, then those that woke since
    int body_count;
    int first_count;      // of bodies that the step began with
    CnSavedPlace* places; // of the same, where has_place or has_posed; NULL: no room was made yet
    atomic_bool waits;    // for that room, since it was asked for
    CnBodyState* states;  // of the same, from first_state on
    int first_state;      // 0, or first_count: those that the step began with are in CnMotion.start
    bool has_starts;      // they are
    CnSleep* sleeps;      // of the same; NULL: none sleeps or may fall asleep
    CnSleepCounts sleeping;
    int* constraints; // of those that may act: 2 * slot, + 1: its data are saved too
    int constraint_count;
    double* memory; // their results and memory, one after the other   [CnActive.saved_numbers]
    ptrdiff_t memory_size;
} CnRollback;

// At most so many numbers are kept of a constraint.
size_t cn_rollback_numbers(const CnUserConstraint* constraint, bool advances);

// Begins a step. From the world's arena; CN_NO_MEMORY: nothing was changed.
CnStatus cn_rollback_begin(CnWorld* world, CnRollback* rollback);

// CnMotion.start is now the state of every body as this part of the step found it.
void cn_rollback_note_starts(CnWorld* world);

// A body is about to wake during a step: it may move from now on, and its constraints may act.
// There is room for all of them.
void cn_rollback_add_body(CnWorld* world, int body);

// A place, or the pose that contacts are of, is about to change, during a step or not: in a step
// it is saved before its first change. For each body from one worker only. near: where it may be
// among the bodies that the step began with. False: there is no room for it yet, and nothing may
// change. Only steps of scheme soft_step begin without room: most of them place no body.
bool cn_rollback_keep_place(CnWorld* world, int body, int near);
bool cn_rollback_keep_posed(CnWorld* world, int body, int near);

// After a loop that keeps places. Whether some were refused: there is room now, and the loop is to
// be made again. False: no memory.
bool cn_rollback_make_room(CnWorld* world, bool* is_again);

// Between steps, now and then: room that no step has needed since the last time goes back.
void cn_rollback_trim(CnWorld* world);

// The step stands.
void cn_rollback_commit(CnWorld* world);

// The step failed: all that a user can read, and all that the next step reads, is as it was.
void cn_rollback_restore(CnWorld* world, const CnRollback* rollback);
