// soft_known.h - scheme soft_step: what is known of pairs that nothing has happened to.
//
// In a pile that comes to rest a few shapes move in each step, and all other pairs are as they
// were. Bytes by shape and by record say which: searching, listing and telling events pass over
// pairs by them, without reading records and manifolds, which are far apart in memory. All of it is
// lost when anybody else changes contacts, and found again in the next step.
#pragma once

#include "world/soft/soft_store.h"

typedef enum CnSoftKnownBits {
    CN_KNOWN_LIST = 1, // its manifold, one or none, is that of the last step's list
    CN_KNOWN_CALM = 2, // it touches as it did, or does not, or has no manifold: nothing to tell
} CnSoftKnownBits;

// By record. bits NULL: nothing is known, another scheme steps.
typedef struct CnSoftKnown {
    uint8_t* bits;
    int* only; // see CnSoftStore
} CnSoftKnown;

// Shapes whose places or bounds have changed; the search has looked at all of them. False: no
// memory.
bool cn_soft_stir(struct CnWorld* world, const struct CnProxyBounds* moved, int count);
void cn_soft_note_search(struct CnWorld* world);

// A pair is new: nothing is known of its record. Where none of its shapes has moved, and a filter
// lets them meet from now on, the search has to be told.
void cn_soft_stir_pair(const struct CnWorld* world, int record);

// By slot, whether the pairs of a shape may be out of date. NULL: any may.
const uint8_t* cn_soft_stirred(const struct CnWorld* world);

// Whether some shape has moved since the last search: bodies that are held back are placed again as
// their step ends.
bool cn_soft_is_any_stirred(const struct CnWorld* world);

// Room for what is known about records, of which nothing is unless cn_soft_stirred(). False: no
// memory.
bool cn_soft_reserve_known(struct CnWorld* world);
CnSoftKnown cn_soft_known(const struct CnWorld* world);

// Where cn_soft_stirred() is not NULL: whether a record is known to have no manifold, and no event
// to report.
bool cn_soft_has_no_manifold(const struct CnWorld* world, int record);

// A record has the manifold that it has now, or none, until it is looked at again.
void cn_soft_note_list(const struct CnWorld* world, int record);

// For a worker that has taken over what was found of a pair: where nothing but this can change its
// manifold in this step, it is posed at once, its place in the list is known, and it is added to
// `renewed`, from where cn_soft_note_renewed() takes it afterwards. False: no memory.
bool cn_soft_take_found(struct CnWorld* world, int record, CnIntArray* renewed);
bool cn_soft_note_renewed(struct CnWorld* world, const CnIntArray* renewed);

// Room for notes of manifolds. False: no memory.
bool cn_soft_reserve_notes(struct CnWorld* world);
void cn_soft_forget_note(const struct CnWorld* world, int manifold); // it may be another now

// The record of a manifold of the step, and whether its lane of the last step has its contacts and
// impulses: from its note where it has one.
int cn_soft_record_of(const struct CnWorld* world, int manifold);
bool cn_soft_keeps_lane(const struct CnWorld* world, int manifold);

// Whether a lane of a record had a normal impulse in this step, or overlaps after it.
bool cn_soft_is_pressed(const struct CnWorld* world, int record);

// A record that has lost a lane is not calm: without a lane nothing tells when its contacts begin
// or cease to press.
void cn_soft_wake_record(const struct CnWorld* world, int record);

// Records with a lane that began or ceased to press or overlap in this step are not calm.
void cn_soft_wake_records(const struct CnWorld* world);
