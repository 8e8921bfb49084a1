// pair_store.h - what is kept from step to step of two shapes whose fat boxes overlap.
//
// A pair record lives from the step in which the broad phase finds the pair to the step in which it
// loses it. It leads to the pair's manifolds: contact points that share a normal, with the impulses
// that the last solve leaves for the next one. A contact given by hand has a record for life.
//
// A step that fails must leave all of this as it was. Within a step, whoever changes a record or a
// manifold calls cn_pair_store_save_*() first, which keeps a copy the first time; records and
// manifolds that are added are listed, those that are dropped are freed when the step stands.
#pragma once

#include "base/array.h"
#include "base/error.h"
#include "cairn/math.h"
#include "collision/broad/pair_set.h"
#include "constraints/tiles/contact_tile.h"
#include "world/contacts/undo_log.h"

#include <stddef.h>

#define CN_NONE (-1)

// One contact point of a manifold; where it was found, and what the last solve left of it, are in
// the tile.
typedef struct CnTouchPoint {
    double gap;       // there; negative when overlapping [m]
    uint32_t feature; // which features meet; stable from step to step
    bool pressed;     // last solve: had a normal impulse
    bool stuck;       // last solve: did not slip
    uint8_t age;      // steps that its rows were posed in since it was found, at most 255
} CnTouchPoint;

// Impulses of contact points for the next step, where the tile has others: see
// CnPairStore.keeps_apart.
typedef struct CnKeptImpulses {
    CnVec3 points[CN_TILE_POINTS]; // on B, world axes [N s]; scheme soft_step: soft_pack.h
} CnKeptImpulses;

// The same where tiles are only frames, in single precision like scheme soft_step, with what else
// such tiles do without.
typedef struct CnFrameImpulses {
    float next[CN_TILE_POINTS][3];  // for the next step: soft_pack.h [N s]
    float total[CN_TILE_POINTS][3]; // of the last step, along the rows of the tile [N s]
    float tangent[3];               // the first of these; the second is normal x the first,
    float across;                   // scaled by this
} CnFrameImpulses;

// What only some contact points have: see CnPairStore.has_extras.
typedef struct CnTouchExtras {
    CnVec3 moment;    // last solve: of torsion and rolling on B, world axes [N m s]
    CnVec3 anchor[2]; // where it began to stick: of A from its centre in its axes, of B too [m]
    double start_gap; // scheme implicit: overlap as the step began, <= 0 [m]

    // What the user's material hook said: see CnContactHooks.
    bool has_material;
    double friction, restitution;
    CnVec3 surface_velocity; // of B's surface against A's, world axes [m/s]
} CnTouchExtras;

typedef struct CnManifoldExtras {
    CnTouchExtras points[CN_TILE_POINTS];
    CnTileSlide slide; // of the tile
} CnManifoldExtras;

// Contact points of two shapes that share one normal.
typedef struct CnManifold {
    int pair;                // its record
    int next;                // manifold of the same pair; CN_NONE: the last one
    int count;               // of points
    uint32_t saved;          // the step in which a copy was kept
    uint32_t saved_impulses; // the step in which a copy of its impulses was kept
    uint32_t saved_targets;  // the step in which a copy of its targets was kept
    bool in_use;
    bool is_listed; // the last step had it: CnStep.manifolds
    bool has_tile;  // the tile is that of these points
    bool is_wide;   // its contacts resist spinning or rolling: explicit blocks, no tile
    bool is_belt;   // a surface moves against its body
    bool has_hold;  // friction depends on whether its points stuck in the last step
    bool is_solved; // this step has changed its impulses
    bool is_framed; // impulses of the tile are along its rows; else along the axes of the world
    CnTouchPoint points[CN_TILE_POINTS];
    float approach[CN_TILE_POINTS]; // rate of the gap before the step, once rows are posed [m/s]
    CnContactTile tile; // where all points are, their normal, and rows of those that act. Comes
                        // last: its rows may be left out, see CnManifoldArray
} CnManifold;

// Manifolds, one after the other. In a world of scheme soft_step, which has rows of its own, tiles
// are only frames unless a body is solved exactly: each manifold ends with the normal of its tile,
// and nobody may touch what comes after it. What contacts did is in CnPairStore.frames then, or in
// lanes of that scheme: cn_soft_impulses().
typedef struct CnManifoldArray {
    void* data; // cn_manifold_at()
    int count, capacity;
    size_t size; // of each: sizeof(CnManifold), or CN_MANIFOLD_FRAME [byte]
} CnManifoldArray;
#define CN_MANIFOLD_FRAME (offsetof(CnManifold, tile) + CN_TILE_FRAME)

static inline CnVec3 cn_manifold_normal(const CnManifold* manifold) { // unit, from A to B
    const double* normal = manifold->tile.direction[0];
    return cn_vec3(normal[0], normal[1], normal[2]);
}

static inline void cn_manifold_set_normal(CnManifold* manifold, CnVec3 normal) {
    double* to = manifold->tile.direction[0];
    to[0] = normal.x;
    to[1] = normal.y;
    to[2] = normal.z;
}

// Where a point was found, world axes [m].
static inline CnVec3 cn_manifold_point(const CnManifold* manifold, int i) {
    const double(*point)[CN_TILE_POINTS] = manifold->tile.point;
    return cn_vec3(point[0][i], point[1][i], point[2][i]);
}

static inline void cn_manifold_set_point(CnManifold* manifold, int i, CnVec3 point) {
    manifold->tile.point[0][i] = point.x;
    manifold->tile.point[1][i] = point.y;
    manifold->tile.point[2][i] = point.z;
}

// Impulse of a point along the axes of the world, from a tile with rows [N s].
static inline CnVec3 cn_manifold_impulse(const CnManifold* manifold, int i) {
    const CnContactTile* tile = &manifold->tile;
    if (!manifold->is_framed) {
        return cn_vec3(tile->impulse[0][i], tile->impulse[1][i], tile->impulse[2][i]);
    }
    CnVec3 impulse = {0.0, 0.0, 0.0};
    for (int row = 0; row < tile->row_count && (tile->acting >> i & 1u) != 0; ++row) {
        const double* d = tile->direction[row];
        impulse = cn_vec3_add_scaled(impulse, tile->impulse[row][i], cn_vec3(d[0], d[1], d[2]));
    }
    return impulse;
}

static inline void cn_manifold_set_impulse(CnManifold* manifold, int i, CnVec3 impulse) {
    manifold->tile.impulse[0][i] = impulse.x;
    manifold->tile.impulse[1][i] = impulse.y;
    manifold->tile.impulse[2][i] = impulse.z;
}

typedef struct CnPairLink {
    int previous, next; // 2 * record + side, of the pairs of one shape; CN_NONE: none
} CnPairLink;

// Two cache lines. What every search reads is the first one.
typedef struct CnPairRecord {
    _Alignas(64) int shape[2]; // slots of A and B, A < B; CN_NONE: given by hand
    int body[2];               // indices of their bodies; CN_NONE: given by hand
    int manifold;              // the first one; CN_NONE: none
    int given;                 // slot of the contact given by hand; CN_NONE: found by collision
    uint32_t epoch[2];         // of the two bodies' places when the manifolds were found
    uint32_t ahead[2];         // and of how far they could come then
    double margin;             // that they were searched with [m]
    double end_gap; // least gap at the end of the last part of a step [m]; infinite: none
    uint32_t saved; // the step in which a copy was kept
    bool in_use;
    bool is_gone;     // a shape was removed: the next update loses the pair
    bool is_sensor;   // one of the shapes is a sensor
    bool is_touching; // events: after the last part of a step

    bool is_hit; // events: met faster than hit_speed in the last part of a step

    // What two plain materials make of the contact: see cn_contact_keep_surface().
    uint32_t surfaces;            // CnWorld.surfaces then; 0: not known
    double friction, restitution; // of contacts without anything else

    CnPairMemory memory; // separating axis
    CnPairLink link[2];  // in the list of each shape's pairs
    uint32_t unused[3];  // 0: fills the second line
} CnPairRecord;
_Static_assert(offsetof(CnPairRecord, is_hit) == 64 && sizeof(CnPairRecord) == 128, "two lines");

// Contacts of a pair at other poses: see cn_world_collect_contacts().
typedef struct CnListedContacts {
    uint32_t collection; // that has them; 0: none
    uint32_t epoch[2];   // of the two bodies' places then
    int first, count;    // in its list
} CnListedContacts;

// What a step changes of a tile that stays, besides impulses.
typedef struct CnSavedTargets {
    int manifold;                   // CN_NONE: nothing is saved here
    double target[CN_TILE_POINTS];  // of the normal rows
    float residual[CN_TILE_POINTS]; // of the last solve
} CnSavedTargets;

// From what most numbers of a manifold of the last step follow: it only makes copies shorter.
typedef struct CnManifoldHints {
    double dt;                // of the last step that tiles were built for [s]
    const CnTransform* posed; // bodies there, by index; NULL: not known any more   [posed_count]
    int posed_count;
    CnManifold typical; // one as the step began: others are often like it
} CnManifoldHints;

typedef struct CnPairStore {
    CnAllocator allocator;
    CN_ARRAY(CnPairRecord) records;
    CN_ARRAY(CnListedContacts) listed; // by record; those beyond: none
    CnManifoldArray manifolds;
    CN_ARRAY(CnManifoldExtras) extras; // empty unless has_extras   [manifolds.count]
    CN_ARRAY(CnKeptImpulses) kept;     // empty unless keeps_apart, with rows   [manifolds.count]
    CN_ARRAY(CnFrameImpulses)
    frames;                         // where tiles are frames, of manifolds that are in no lane
                                    // of scheme soft_step; empty: zeros   [manifolds.count]
    CN_ARRAY(int) heads;            // first link of each shape's pairs, by slot
    int free_record, free_manifold; // first of each list of free places; linked by manifold, next
    bool has_extras;                // some contact points may have them
    bool keeps_apart;               // impulses for the next step are not those of the tile: scheme
                                    // soft_step keeps those of one substep, and a step that is cut
                                    // short starts again from those before it
    int gone;                       // records in use that are gone
    uint32_t changes;               // of manifolds, besides impulses: counted

    // Of the step under way.
    uint32_t step;
    bool is_open;                    // within a step
    CnUndoLog log;                   // records, manifolds, impulses, targets before they changed
    CN_ARRAY(CnUndoLog) worker_logs; // of workers besides the first: records, manifolds
    CnManifoldHints hints;           // as it began
    CN_ARRAY(int) added_manifolds, dropped_manifolds, added_records, dropped_records;
} CnPairStore;

void cn_pair_store_init(CnPairStore* store, const CnAllocator* allocator);
void cn_pair_store_destroy(CnPairStore* store);

// Between steps: makes an empty store the same as another. False: no memory.
bool cn_pair_store_copy(CnPairStore* store, const CnPairStore* from);

// A place for each record in `listed`. False: no memory.
bool cn_pair_store_reserve_listed(CnPairStore* store);

// Room for what a step drops, after records and manifolds came from elsewhere. False: no memory.
bool cn_pair_store_reserve(CnPairStore* store);

static inline CnManifold* cn_manifold_at(const CnPairStore* store, int manifold) {
    return (CnManifold*)(void*)((unsigned char*)store->manifolds.data +
                                (size_t)manifold * store->manifolds.size);
}

// Room for so many manifolds. False: no memory.
bool cn_pair_store_reserve_manifolds(CnPairStore* store, int wanted);

// Between steps, or before the first manifold of one. From now on tiles are only frames, if there
// has been no manifold yet, and impulses are kept apart; or they have rows: those there are get
// their impulses and tangents, and zeros else. False: no memory.
void cn_pair_store_use_frames(CnPairStore* store);
bool cn_pair_store_need_rows(CnPairStore* store);

static inline bool cn_pair_store_has_rows(const CnPairStore* store) {
    return store->manifolds.size == sizeof(CnManifold);
}

// Room beside each manifold for its impulses, where tiles are only frames: zeros at first. False:
// no memory.
bool cn_pair_store_reserve_frames(CnPairStore* store);

static inline CnFrameImpulses cn_pair_store_frame(const CnPairStore* store, int manifold) {
    return manifold < store->frames.count ? store->frames.data[manifold] : (CnFrameImpulses){0};
}

// Impulses of a tile are along the axes of the world, where it has rows: its frame is about to
// change.
static inline void cn_pair_store_unframe(CnPairStore* store, int index) {
    CnManifold* manifold = cn_manifold_at(store, index);
    bool has_impulses = cn_pair_store_has_rows(store) && manifold->is_framed;
    for (int i = 0; has_impulses && i < CN_TILE_POINTS; ++i) {
        cn_manifold_set_impulse(manifold, i, cn_manifold_impulse(manifold, i));
    }
    manifold->is_framed = false;
}

// From now on contact points have extras: those there are get zeros. False: no memory.
bool cn_pair_store_need_extras(CnPairStore* store);

// From now on impulses for the next step are kept apart from those of tiles. False: no memory.
bool cn_pair_store_keep_apart(CnPairStore* store);

// Impulse of a point for the next step, along the axes of the world [N s]; scheme soft_step:
// soft_pack.h. It is stored in the tile, or beside it where impulses are kept apart.
static inline CnVec3 cn_pair_store_impulse(const CnPairStore* store, int manifold, int point) {
    if (!cn_pair_store_has_rows(store)) {
        const CnFrameImpulses own = cn_pair_store_frame(store, manifold);
        const float* next = own.next[point];
        return cn_vec3((double)next[0], (double)next[1], (double)next[2]);
    }
    return store->keeps_apart ? store->kept.data[manifold].points[point]
                              : cn_manifold_impulse(cn_manifold_at(store, manifold), point);
}

// Without room for impulses all of them are zero, and so is this one.
static inline void cn_pair_store_set_impulse(CnPairStore* store, int manifold, int point,
                                             CnVec3 impulse) {
    if (!cn_pair_store_has_rows(store)) {
        CN_ASSERT(manifold < store->frames.count || cn_vec3_dot(impulse, impulse) == 0.0);
        if (manifold < store->frames.count) {
            float* next = store->frames.data[manifold].next[point];
            next[0] = (float)impulse.x;
            next[1] = (float)impulse.y;
            next[2] = (float)impulse.z;
        }
    } else if (store->keeps_apart) {
        store->kept.data[manifold].points[point] = impulse;
    } else {
        cn_manifold_set_impulse(cn_manifold_at(store, manifold), point, impulse);
    }
}

// Impulse of a point along a row of its tile over the last step, and the direction of that row.
// own: read where tiles are only frames.
static inline double cn_pair_store_total(const CnPairStore* store, const CnFrameImpulses* own,
                                         int manifold, int row, int point) {
    return cn_pair_store_has_rows(store) ? cn_manifold_at(store, manifold)->tile.impulse[row][point]
                                         : (double)own->total[point][row];
}
CnVec3 cn_pair_store_direction(const CnPairStore* store, const CnFrameImpulses* own, int manifold,
                               int row);

// The direction of the second or third row, 1 or 2.
CnVec3 cn_frame_tangent(const CnFrameImpulses* own, CnVec3 normal, int row);

// A manifold, with zeros for the rows that it has not.
CnManifold cn_pair_store_whole(const CnPairStore* store, int manifold);

// Impulse of a point over the last step, along the axes of the world [N s].
CnVec3 cn_pair_store_sum(const CnPairStore* store, const CnFrameImpulses* own, int manifold,
                         int point);

// After extras came from elsewhere: tiles know where theirs are.
void cn_pair_store_link_extras(CnPairStore* store);

// CN_NONE: no memory. Zeroed but for what is CN_NONE or infinite; the caller sets the bodies.
int cn_pair_store_add_pair(CnPairStore* store, int shape_a, int shape_b);
int cn_pair_store_add_given(CnPairStore* store, int given);
int cn_pair_store_add_manifold(CnPairStore* store, int pair);

// With its manifolds. Within a step they are freed when it stands.
void cn_pair_store_drop_record(CnPairStore* store, int record);
void cn_pair_store_drop_manifold(CnPairStore* store, int manifold);

// Outside of a step: a pair one of whose shapes goes has no manifolds, and is in no list any more.
// The record itself is dropped when the broad phase loses the pair.
void cn_pair_store_forget(CnPairStore* store, int record);

// Before a change within a step; outside of one they do nothing. False: no memory.
bool cn_pair_store_save_record(CnPairStore* store, int record);
bool cn_pair_store_save_manifold(CnPairStore* store, int manifold);
bool cn_pair_store_save_impulses(CnPairStore* store, int manifold); // of a tile that stays

// The first two for a worker that changes a record and its manifold while others change theirs: it
// saves into a log of its own, for which there is room after cn_pair_store_reserve_logs(), and the
// caller counts changes afterwards. False: no memory.
bool cn_pair_store_reserve_logs(CnPairStore* store, int workers);
bool cn_pair_store_save_by_worker(CnPairStore* store, int worker, int record, int manifold);

// Whether the impulses of a manifold were saved in this step, or need not be.
bool cn_pair_store_has_saved_impulses(const CnPairStore* store, int manifold);

// Of tiles that stay: places for 1 to CN_SAVED_TARGETS of them, one after the other. Then a worker
// fills all of them, so that memory is touched where it is changed, or nobody fills any. NULL: no
// memory.
CnSavedTargets* cn_pair_store_add_targets(CnPairStore* store, int count);
void cn_pair_store_save_targets(CnPairStore* store, int manifold, CnSavedTargets* saved);
#define CN_SAVED_TARGETS 64

// Whether the targets of a manifold were saved in this step, or need not be.
bool cn_pair_store_has_saved_targets(const CnPairStore* store, int manifold);

// A step begins, stands, or fails. Neither of the last two needs memory.
void cn_pair_store_begin(CnPairStore* store);
void cn_pair_store_commit(CnPairStore* store);
void cn_pair_store_trim(CnPairStore* store); // after a commit, now and then: gives idle memory back
void cn_pair_store_restore(CnPairStore* store);

// The pairs of a shape:
//     for (int l = cn_pair_store_first(store, slot); l >= 0; l = cn_pair_store_next(store, l))
//         record = l / 2, the shape is side l % 2 of it
int cn_pair_store_first(const CnPairStore* store, int slot);
int cn_pair_store_next(const CnPairStore* store, int link);

// The tiles of a shape's pairs are to be built anew. Impulses that scheme soft_step keeps elsewhere
// are lost: see cn_world_forget_tiles().
void cn_pair_store_forget_tiles(CnPairStore* store, int slot);

// The body of a shape has another index. Its tiles, which know bodies by index, are the caller's to
// forget.
void cn_pair_store_set_body(CnPairStore* store, int slot, int body);

static inline CnTouchExtras* cn_touch_extras(const CnPairStore* store, int manifold, int point) {
    return store->has_extras ? &store->extras.data[manifold].points[point] : NULL;
}
