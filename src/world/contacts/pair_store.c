// pair_store.c - what is kept from step to step of two shapes whose fat boxes overlap.
#include "world/contacts/pair_store.h"

#include "base/error.h"
#include "world/contacts/saved_manifold.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

void cn_pair_store_init(CnPairStore* store, const CnAllocator* allocator) {
    *store = (CnPairStore){.allocator = *allocator,
                           .free_record = CN_NONE,
                           .free_manifold = CN_NONE,
                           .manifolds.size = sizeof(CnManifold),
                           .step = 1}; // 0 marks what no step has saved
}

void cn_pair_store_destroy(CnPairStore* store) {
    const CnAllocator* allocator = &store->allocator;
    cn_array_free(&store->records, allocator);
    cn_array_free(&store->listed, allocator);
    cn_release(allocator, store->manifolds.data);
    cn_array_free(&store->extras, allocator);
    cn_array_free(&store->kept, allocator);
    cn_array_free(&store->frames, allocator);
    cn_array_free(&store->heads, allocator);
    cn_undo_log_destroy(&store->log, allocator);
    for (int i = 0; i < store->worker_logs.count; ++i) {
        cn_undo_log_destroy(&store->worker_logs.data[i], allocator);
    }
    cn_array_free(&store->worker_logs, allocator);
    cn_array_free(&store->added_manifolds, allocator);
    cn_array_free(&store->dropped_manifolds, allocator);
    cn_array_free(&store->added_records, allocator);
    cn_array_free(&store->dropped_records, allocator);
}

bool cn_pair_store_reserve_manifolds(CnPairStore* store, int wanted) {
    CnManifoldArray* array = &store->manifolds;
    return cn_array_reserve_bytes(&array->data, &array->capacity, array->count, wanted, array->size,
                                  &store->allocator);
}

bool cn_pair_store_need_extras(CnPairStore* store) {
    if (store->has_extras) {
        return true;
    }
    int count = store->manifolds.count;
    if (!cn_array_reserve(&store->extras, &store->allocator, store->manifolds.capacity)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        store->extras.data[i] = (CnManifoldExtras){0};
    }
    store->extras.count = count;
    store->has_extras = true;
    cn_pair_store_link_extras(store);
    return true;
}

// Impulses for the next step are those of the tile.
static void keep_those_of_tile(CnPairStore* store, int manifold) {
    for (int i = 0; i < CN_TILE_POINTS; ++i) {
        store->kept.data[manifold].points[i] =
            cn_manifold_impulse(cn_manifold_at(store, manifold), i);
    }
}

bool cn_pair_store_keep_apart(CnPairStore* store) {
    if (store->keeps_apart) {
        return true;
    }
    int count = store->manifolds.count;
    if (!cn_array_reserve(&store->kept, &store->allocator, store->manifolds.capacity)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (cn_manifold_at(store, i)->in_use) {
            keep_those_of_tile(store, i);
        }
    }
    store->kept.count = count;
    store->keeps_apart = true;
    return true;
}

void cn_pair_store_link_extras(CnPairStore* store) {
    for (int i = 0; cn_pair_store_has_rows(store) && i < store->manifolds.count; ++i) {
        cn_manifold_at(store, i)->tile.slide =
            store->has_extras ? &store->extras.data[i].slide : NULL;
    }
}

static CnPairLink* link_at(const CnPairStore* store, int link) {
    return &store->records.data[link / 2].link[link % 2];
}

// Room in the table of heads for a shape's slot.
static bool reserve_head(CnPairStore* store, int slot) {
    if (!cn_array_reserve(&store->heads, &store->allocator, slot + 1)) {
        return false;
    }
    while (store->heads.count <= slot) {
        store->heads.data[store->heads.count++] = CN_NONE;
    }
    return true;
}

static void list(CnPairStore* store, int record, int side) {
    int link = 2 * record + side,
        *head = &store->heads.data[store->records.data[record].shape[side]];
    *link_at(store, link) = (CnPairLink){.previous = CN_NONE, .next = *head};
    if (*head >= 0) {
        link_at(store, *head)->previous = link;
    }
    *head = link;
}

static void unlist(CnPairStore* store, int record, int side) {
    CnPairLink own = store->records.data[record].link[side];
    if (own.next >= 0) {
        link_at(store, own.next)->previous = own.previous;
    }
    if (own.previous >= 0) {
        link_at(store, own.previous)->next = own.next;
    } else {
        store->heads.data[store->records.data[record].shape[side]] = own.next;
    }
}

int cn_pair_store_first(const CnPairStore* store, int slot) {
    return slot < store->heads.count ? store->heads.data[slot] : CN_NONE;
}

int cn_pair_store_next(const CnPairStore* store, int link) {
    return link_at(store, link)->next;
}

void cn_pair_store_forget_tiles(CnPairStore* store, int slot) {
    ++store->changes;
    for (int l = cn_pair_store_first(store, slot); l >= 0; l = cn_pair_store_next(store, l)) {
        for (int m = store->records.data[l / 2].manifold; m >= 0;
             m = cn_manifold_at(store, m)->next) {
            cn_manifold_at(store, m)->has_tile = false;
        }
    }
}

void cn_pair_store_set_body(CnPairStore* store, int slot, int body) {
    for (int l = cn_pair_store_first(store, slot); l >= 0; l = cn_pair_store_next(store, l)) {
        store->records.data[l / 2].body[l % 2] = body;
    }
}

// Entries of the log.
enum {
    SAVED_RECORD,
    SAVED_IMPULSES,
    SAVED_TARGETS,
    SAVED_MANIFOLD,
    KIND = 3,        // the bits of an entry's kind that tell which of these it is. Further bits:
    WITH_EXTRAS = 4, // extras of the manifold come first,
    WITH_KEPT = 8,   // then its kept impulses
    WITH_POSED = 16, // it was packed with CnManifoldHints.posed
};

// The largest entries of a manifold, with their heads.
static size_t most_of_manifold(const CnPairStore* store) {
    return sizeof(uint64_t[CN_SAVED_MANIFOLD_WORDS]) + sizeof(CnSavedTargets) +
           2 * sizeof(CnUndoEntry) + (store->has_extras ? sizeof(CnManifoldExtras) : 0) +
           (store->keeps_apart ? sizeof(CnFrameImpulses) : 0);
}
_Static_assert(sizeof(CnFrameImpulses) >= sizeof(CnKeptImpulses), "the larger one");

// What a step changes of a record and the next one reads. The rest only saves work: the separating
// axis, and what materials make of the contact, are right after a failed step too, contacts at
// other poses are collected anew.
typedef struct SavedRecord {
    double margin, end_gap;
    uint32_t epoch[2], ahead[2];
    int manifold;
    bool is_sensor, is_touching, is_hit;
} SavedRecord;

// What a solve changes of a manifold.
typedef struct SavedImpulses {
    bool is_solved, has_tile, is_framed;
    struct {
        bool pressed, stuck;
        uint8_t age;
        float residual;    // of the tile
        double impulse[3]; // of the tile
    } points[CN_TILE_POINTS];
} SavedImpulses;

// Up to so many manifolds there is room for copies of all: small worlds never ask for it later.
#define FEW 1024

static size_t bytes_of_few(const CnPairStore* store) {
    int few = store->manifolds.capacity < FEW ? store->manifolds.capacity : 0;
    return (size_t)few * most_of_manifold(store);
}

// Room for one more in the lists that a step keeps of what it adds and drops: each thing that there
// is may be dropped, so that dropping needs no memory.
bool cn_pair_store_reserve(CnPairStore* store) {
    const CnAllocator* allocator = &store->allocator;
    return cn_undo_log_reserve(&store->log, allocator, bytes_of_few(store)) &&
           cn_array_reserve(&store->dropped_records, allocator, store->records.capacity) &&
           cn_array_reserve(&store->dropped_manifolds, allocator, store->manifolds.capacity) &&
           cn_array_reserve(&store->added_records, allocator, store->added_records.count + 1) &&
           cn_array_reserve(&store->added_manifolds, allocator, store->added_manifolds.count + 1);
}

bool cn_pair_store_copy(CnPairStore* store, const CnPairStore* from) {
    const CnAllocator* allocator = &store->allocator;
    store->free_record = from->free_record;
    store->free_manifold = from->free_manifold;
    store->has_extras = from->has_extras;
    store->keeps_apart = from->keeps_apart;
    store->gone = from->gone;
    store->step = from->step;
    store->manifolds.size = from->manifolds.size;
    bool ok = cn_array_copy(&store->records, allocator, &from->records) &&
              cn_array_copy_bytes(&store->manifolds.data, &store->manifolds.count,
                                  &store->manifolds.capacity, from->manifolds.data,
                                  from->manifolds.count, from->manifolds.size, allocator) &&
              cn_array_copy(&store->extras, allocator, &from->extras) &&
              cn_array_copy(&store->kept, allocator, &from->kept) &&
              cn_array_copy(&store->frames, allocator, &from->frames) &&
              cn_array_copy(&store->heads, allocator, &from->heads) && cn_pair_store_reserve(store);
    if (ok) {
        cn_pair_store_link_extras(store);
    }
    return ok;
}

// With room for as many as there is room for records: it then grows only when they do.
bool cn_pair_store_reserve_listed(CnPairStore* store) {
    if (!cn_array_reserve(&store->listed, &store->allocator, store->records.capacity)) {
        return false;
    }
    while (store->listed.count < store->records.count) {
        store->listed.data[store->listed.count++] = (CnListedContacts){0};
    }
    return true;
}

static int add_record(CnPairStore* store, CnPairRecord content) {
    int record = store->free_record;
    bool is_new = record < 0;
    if ((is_new &&
         !cn_array_reserve(&store->records, &store->allocator, store->records.count + 1)) ||
        !cn_pair_store_reserve(store)) {
        return CN_NONE;
    }
    if (is_new) {
        record = store->records.count++;
    } else {
        store->free_record = store->records.data[record].manifold;
    }
    content.manifold = CN_NONE;
    content.end_gap = HUGE_VAL;
    content.saved = store->is_open ? store->step : 0;
    content.in_use = true;
    store->records.data[record] = content;
    if (record < store->listed.count) {
        store->listed.data[record] = (CnListedContacts){0};
    }
    if (store->is_open) {
        store->added_records.data[store->added_records.count++] = record;
    }
    return record;
}

int cn_pair_store_add_pair(CnPairStore* store, int shape_a, int shape_b) {
    if (!reserve_head(store, shape_a > shape_b ? shape_a : shape_b)) {
        return CN_NONE;
    }
    int record = add_record(
        store,
        (CnPairRecord){.shape = {shape_a, shape_b}, .body = {CN_NONE, CN_NONE}, .given = CN_NONE});
    if (record >= 0) {
        list(store, record, 0);
        list(store, record, 1);
    }
    return record;
}

int cn_pair_store_add_given(CnPairStore* store, int given) {
    return add_record(
        store,
        (CnPairRecord){.shape = {CN_NONE, CN_NONE}, .body = {CN_NONE, CN_NONE}, .given = given});
}

// Room for impulses that are kept apart.
static bool reserve_apart(CnPairStore* store) {
    int capacity = store->manifolds.capacity;
    if (!cn_pair_store_has_rows(store)) {
        return store->frames.count == 0 ||
               cn_array_reserve(&store->frames, &store->allocator, capacity);
    }
    return !store->keeps_apart || cn_array_reserve(&store->kept, &store->allocator, capacity);
}

static void clear_apart(CnPairStore* store, int manifold) {
    if (manifold < store->frames.count) {
        store->frames.data[manifold] = (CnFrameImpulses){0};
    } else if (manifold < store->kept.count) {
        store->kept.data[manifold] = (CnKeptImpulses){0};
    }
}

int cn_pair_store_add_manifold(CnPairStore* store, int pair) {
    ++store->changes;
    const CnManifoldExtras* extras = store->extras.data;
    int manifold = store->free_manifold;
    bool is_new = manifold < 0;
    int wanted = store->manifolds.count + 1;
    // Extras come last: once they have moved, nothing may fail before the tiles know of it.
    if ((is_new && !cn_pair_store_reserve_manifolds(store, wanted)) ||
        !cn_pair_store_reserve(store) || (is_new && !reserve_apart(store)) ||
        (is_new && store->has_extras &&
         !cn_array_reserve(&store->extras, &store->allocator, store->manifolds.capacity))) {
        return CN_NONE;
    }
    if (is_new) {
        manifold = store->manifolds.count++;
        store->extras.count = store->has_extras ? store->manifolds.count : 0;
        bool has_rows = cn_pair_store_has_rows(store);
        store->kept.count = has_rows && store->keeps_apart ? store->manifolds.count : 0;
        store->frames.count = store->frames.count > 0 ? store->manifolds.count : 0;
    } else {
        store->free_manifold = cn_manifold_at(store, manifold)->next;
    }
    CnManifold* own = cn_manifold_at(store, manifold);
    memset(own, 0, store->manifolds.size);
    own->pair = pair;
    own->next = CN_NONE;
    own->saved = store->is_open ? store->step : 0;
    own->in_use = true;
    clear_apart(store, manifold);
    if (store->has_extras) {
        store->extras.data[manifold] = (CnManifoldExtras){0};
    }
    if (store->has_extras && cn_pair_store_has_rows(store)) {
        own->tile.slide = &store->extras.data[manifold].slide;
    }
    if (store->extras.data != extras) {
        cn_pair_store_link_extras(store);
    }
    if (store->is_open) {
        store->added_manifolds.data[store->added_manifolds.count++] = manifold;
    }
    return manifold;
}

static void free_manifold(CnPairStore* store, int manifold) {
    cn_manifold_at(store, manifold)->in_use = false;
    cn_manifold_at(store, manifold)->next = store->free_manifold;
    store->free_manifold = manifold;
}

static void free_record(CnPairStore* store, int record) {
    if (store->records.data[record].given < 0 && !store->records.data[record].is_gone) {
        unlist(store, record, 0);
        unlist(store, record, 1);
    }
    store->gone -= store->records.data[record].is_gone;
    store->records.data[record].in_use = false;
    store->records.data[record].manifold = store->free_record;
    store->free_record = record;
}

void cn_pair_store_drop_manifold(CnPairStore* store, int manifold) {
    ++store->changes;
    if (store->is_open) {
        store->dropped_manifolds.data[store->dropped_manifolds.count++] = manifold;
    } else {
        free_manifold(store, manifold);
    }
}

static void drop_manifolds(CnPairStore* store, int record) {
    for (int m = store->records.data[record].manifold; m >= 0;) {
        int next = cn_manifold_at(store, m)->next;
        cn_pair_store_drop_manifold(store, m);
        m = next;
    }
    store->records.data[record].manifold = CN_NONE;
}

void cn_pair_store_forget(CnPairStore* store, int record) {
    CN_ASSERT(!store->is_open);
    unlist(store, record, 0);
    unlist(store, record, 1);
    drop_manifolds(store, record);
    store->gone += !store->records.data[record].is_gone;
    store->records.data[record].is_gone = true;
    store->records.data[record].is_touching = store->records.data[record].is_hit = false;
    store->records.data[record].end_gap = HUGE_VAL;
}

// Within a step the record keeps its manifolds, should the step fail; they are freed with it.
void cn_pair_store_drop_record(CnPairStore* store, int record) {
    if (store->is_open) {
        store->dropped_records.data[store->dropped_records.count++] = record;
    } else {
        drop_manifolds(store, record);
        free_record(store, record);
    }
}

static bool save_record(CnPairStore* store, CnUndoLog* log, int record) {
    CnPairRecord* own = &store->records.data[record];
    if (!store->is_open || own->saved == store->step) {
        return true;
    }
    SavedRecord* saved =
        cn_undo_log_add(log, &store->allocator, SAVED_RECORD, record, sizeof *saved);
    if (saved == NULL) {
        return false;
    }
    *saved = (SavedRecord){.margin = own->margin,
                           .end_gap = own->end_gap,
                           .epoch = {own->epoch[0], own->epoch[1]},
                           .ahead = {own->ahead[0], own->ahead[1]},
                           .manifold = own->manifold,
                           .is_sensor = own->is_sensor,
                           .is_touching = own->is_touching,
                           .is_hit = own->is_hit};
    own->saved = store->step;
    return true;
}

// What a manifold has beside it, as flags of what is saved.
static int beside(const CnPairStore* store) {
    bool has_kept = cn_pair_store_has_rows(store) ? store->keeps_apart : store->frames.count > 0;
    return (store->has_extras ? WITH_EXTRAS : 0) | (has_kept ? WITH_KEPT : 0);
}

// Impulses that are kept apart, where they are.
static void* apart_of(const CnPairStore* store, int manifold) {
    return cn_pair_store_has_rows(store) ? (void*)&store->kept.data[manifold]
                                         : (void*)&store->frames.data[manifold];
}

static size_t bytes_apart(const CnPairStore* store) {
    return cn_pair_store_has_rows(store) ? sizeof(CnKeptImpulses) : sizeof(CnFrameImpulses);
}

static size_t bytes_beside(const CnPairStore* store, int kind) {
    return ((kind & WITH_EXTRAS) != 0 ? sizeof(CnManifoldExtras) : 0) +
           ((kind & WITH_KEPT) != 0 ? bytes_apart(store) : 0);
}

// Returns where the rest is to be saved.
static unsigned char* save_beside(const CnPairStore* store, int kind, int manifold,
                                  unsigned char* to) {
    if ((kind & WITH_EXTRAS) != 0) {
        memcpy(to, &store->extras.data[manifold], sizeof store->extras.data[manifold]);
        to += sizeof store->extras.data[manifold];
    }
    if ((kind & WITH_KEPT) != 0) {
        memcpy(to, apart_of(store, manifold), bytes_apart(store));
        to += bytes_apart(store);
    }
    return to;
}

static bool save_manifold(CnPairStore* store, CnUndoLog* log, int manifold) {
    CnManifold* own = cn_manifold_at(store, manifold);
    if (!store->is_open || own->saved == store->step) {
        return true;
    }
    uint64_t packed[CN_SAVED_MANIFOLD_WORDS];
    int kind = SAVED_MANIFOLD | beside(store) | (store->hints.posed != NULL ? WITH_POSED : 0);
    int words = cn_manifold_pack(own, &store->hints, cn_pair_store_has_rows(store), packed);
    size_t size = (size_t)words * sizeof packed[0];
    unsigned char* saved =
        cn_undo_log_add(log, &store->allocator, kind, manifold, bytes_beside(store, kind) + size);
    if (saved == NULL) {
        return false;
    }
    memcpy(save_beside(store, kind, manifold, saved), packed, size);
    own->saved = store->step;
    return true;
}

bool cn_pair_store_save_record(CnPairStore* store, int record) {
    return save_record(store, &store->log, record);
}

bool cn_pair_store_save_manifold(CnPairStore* store, int manifold) {
    ++store->changes;
    return save_manifold(store, &store->log, manifold);
}

bool cn_pair_store_reserve_logs(CnPairStore* store, int workers) {
    if (!cn_array_reserve(&store->worker_logs, &store->allocator, workers - 1)) {
        return false;
    }
    while (store->worker_logs.count < workers - 1) {
        store->worker_logs.data[store->worker_logs.count++] = (CnUndoLog){0};
    }
    return true;
}

bool cn_pair_store_save_by_worker(CnPairStore* store, int worker, int record, int manifold) {
    CnUndoLog* log = worker == 0 ? &store->log : &store->worker_logs.data[worker - 1];
    return save_record(store, log, record) && (manifold < 0 || save_manifold(store, log, manifold));
}

bool cn_pair_store_has_saved_impulses(const CnPairStore* store, int index) {
    const CnManifold* manifold = cn_manifold_at(store, index);
    return !store->is_open || manifold->saved == store->step ||
           manifold->saved_impulses == store->step;
}

bool cn_pair_store_save_impulses(CnPairStore* store, int index) {
    CnManifold* manifold = cn_manifold_at(store, index);
    if (cn_pair_store_has_saved_impulses(store, index)) {
        return true;
    }
    size_t size = offsetof(SavedImpulses, points) +
                  (size_t)manifold->count * sizeof(((SavedImpulses*)NULL)->points[0]);
    int kind = SAVED_IMPULSES | (beside(store) & WITH_KEPT);
    unsigned char* place = cn_undo_log_add(&store->log, &store->allocator, kind, index,
                                           bytes_beside(store, kind) + size);
    if (place == NULL) {
        return false;
    }
    SavedImpulses* saved = (SavedImpulses*)(void*)save_beside(store, kind, index, place);
    saved->is_solved = manifold->is_solved;
    saved->has_tile = manifold->has_tile;
    saved->is_framed = manifold->is_framed;
    for (int i = 0; i < manifold->count; ++i) {
        saved->points[i].pressed = manifold->points[i].pressed;
        saved->points[i].stuck = manifold->points[i].stuck;
        saved->points[i].age = manifold->points[i].age;
        saved->points[i].residual = manifold->tile.residual[i];
        for (int row = 0; row < 3 && cn_pair_store_has_rows(store); ++row) {
            saved->points[i].impulse[row] = manifold->tile.impulse[row][i];
        }
    }
    manifold->saved_impulses = store->step;
    return true;
}

bool cn_pair_store_has_saved_targets(const CnPairStore* store, int index) {
    const CnManifold* manifold = cn_manifold_at(store, index);
    return !store->is_open || manifold->saved == store->step ||
           manifold->saved_targets == store->step;
}

CnSavedTargets* cn_pair_store_add_targets(CnPairStore* store, int count) {
    CN_ASSERT(count <= CN_SAVED_TARGETS);
    CnSavedTargets* saved = cn_undo_log_add(&store->log, &store->allocator, SAVED_TARGETS, count,
                                            (size_t)count * sizeof *saved);
    if (saved != NULL) {
        saved[0].manifold = CN_NONE;
    }
    return saved;
}

void cn_pair_store_save_targets(CnPairStore* store, int index, CnSavedTargets* saved) {
    CnManifold* manifold = cn_manifold_at(store, index);
    saved->manifold = index;
    memcpy(saved->target, manifold->tile.target, sizeof saved->target);
    memcpy(saved->residual, manifold->tile.residual, sizeof saved->residual);
    manifold->saved_targets = store->step;
}

void cn_pair_store_begin(CnPairStore* store) {
    CN_ASSERT(!store->is_open);
    store->is_open = true;
    ++store->step;
    if (store->manifolds.count > 0) {
        store->hints.typical = cn_pair_store_whole(store, store->manifolds.count / 2);
    }
    cn_undo_log_clear(&store->log);
    for (int i = 0; i < store->worker_logs.count; ++i) {
        cn_undo_log_clear(&store->worker_logs.data[i]);
    }
    store->added_manifolds.count = store->dropped_manifolds.count = 0;
    store->added_records.count = store->dropped_records.count = 0;
}

void cn_pair_store_commit(CnPairStore* store) {
    store->is_open = false;
    for (int i = 0; i < store->dropped_manifolds.count; ++i) {
        free_manifold(store, store->dropped_manifolds.data[i]);
    }
    for (int i = 0; i < store->dropped_records.count; ++i) {
        drop_manifolds(store, store->dropped_records.data[i]);
        free_record(store, store->dropped_records.data[i]);
    }
}

void cn_pair_store_trim(CnPairStore* store) {
    cn_undo_log_clear(&store->log);
    cn_undo_log_trim(&store->log, &store->allocator, bytes_of_few(store));
    for (int i = 0; i < store->worker_logs.count; ++i) {
        cn_undo_log_clear(&store->worker_logs.data[i]);
        cn_undo_log_trim(&store->worker_logs.data[i], &store->allocator, 0);
    }
}

static void restore_impulses(const SavedImpulses* saved, bool has_rows, CnManifold* manifold) {
    manifold->is_solved = saved->is_solved;
    manifold->has_tile = saved->has_tile;
    manifold->is_framed = saved->is_framed;
    for (int i = 0; i < manifold->count; ++i) {
        manifold->points[i].pressed = saved->points[i].pressed;
        manifold->points[i].stuck = saved->points[i].stuck;
        manifold->points[i].age = saved->points[i].age;
        manifold->tile.residual[i] = saved->points[i].residual;
        for (int row = 0; row < 3 && has_rows; ++row) {
            manifold->tile.impulse[row][i] = saved->points[i].impulse[row];
        }
    }
}

static void restore_targets(CnPairStore* store, const CnSavedTargets* saved, int count) {
    for (int i = 0; i < count && saved[0].manifold != CN_NONE; ++i) {
        CnContactTile* tile = &cn_manifold_at(store, saved[i].manifold)->tile;
        memcpy(tile->target, saved[i].target, sizeof saved[i].target);
        memcpy(tile->residual, saved[i].residual, sizeof saved[i].residual);
    }
}

static void restore_record(const SavedRecord* saved, CnPairRecord* record) {
    record->manifold = saved->manifold;
    record->margin = saved->margin;
    record->end_gap = saved->end_gap;
    memcpy(record->epoch, saved->epoch, sizeof record->epoch);
    memcpy(record->ahead, saved->ahead, sizeof record->ahead);
    record->is_sensor = saved->is_sensor;
    record->is_touching = saved->is_touching;
    record->is_hit = saved->is_hit;
}

// Extras of a manifold that got them after it was saved were zero. Returns where the rest was
// saved.
static const unsigned char* restore_extras(CnPairStore* store, int kind, int manifold,
                                           const unsigned char* saved) {
    if ((kind & WITH_EXTRAS) != 0) {
        memcpy(&store->extras.data[manifold], saved, sizeof store->extras.data[manifold]);
        return saved + sizeof store->extras.data[manifold];
    }
    if (store->has_extras) {
        store->extras.data[manifold] = (CnManifoldExtras){0};
    }
    return saved;
}

static const unsigned char* restore_kept(CnPairStore* store, int kind, int manifold,
                                         const unsigned char* saved) {
    if ((kind & WITH_KEPT) != 0) {
        memcpy(apart_of(store, manifold), saved, bytes_apart(store));
        return saved + bytes_apart(store);
    }
    return saved;
}

// They were not kept apart when the manifold was saved.
static void restore_unkept(CnPairStore* store, int manifold) {
    if (cn_pair_store_has_rows(store)) {
        keep_those_of_tile(store, manifold);
    } else if (manifold < store->frames.count) {
        store->frames.data[manifold] = (CnFrameImpulses){0};
    }
}

static void restore_entry(CnPairStore* store, const CnUndoEntry* entry) {
    const void* saved = entry->bytes;
    int kind = entry->kind & KIND;
    if (kind == SAVED_RECORD) {
        restore_record(saved, &store->records.data[entry->index]);
    } else if (kind == SAVED_TARGETS) {
        restore_targets(store, saved, entry->index);
    } else if (kind == SAVED_IMPULSES) {
        saved = restore_kept(store, entry->kind, entry->index, entry->bytes);
        restore_impulses(saved, cn_pair_store_has_rows(store), cn_manifold_at(store, entry->index));
    } else {
        CnManifoldHints hints = store->hints;
        hints.posed = (entry->kind & WITH_POSED) != 0 ? hints.posed : NULL;
        saved = restore_extras(store, entry->kind, entry->index, entry->bytes);
        saved = restore_kept(store, entry->kind, entry->index, saved);
        cn_manifold_unpack(saved, &hints, cn_pair_store_has_rows(store),
                           cn_manifold_at(store, entry->index));
    }
    bool has_impulses = kind == SAVED_IMPULSES || kind == SAVED_MANIFOLD;
    if (has_impulses && store->keeps_apart && (entry->kind & WITH_KEPT) == 0) {
        restore_unkept(store, entry->index);
    }
}

// The newest first, so that things end as they were before any change.
static void restore_log(CnPairStore* store, const CnUndoLog* log) {
    for (const CnUndoEntry* entry = log->newest; entry != NULL; entry = cn_undo_log_before(entry)) {
        restore_entry(store, entry);
    }
}

// What was added goes first: the links of a saved record are those among the others that were there
// before, and the lists of the shapes are mended by unlisting. A manifold that is saved whole is
// not saved again, so what workers saved is never older than what else was saved of it.
void cn_pair_store_restore(CnPairStore* store) {
    store->is_open = false;
    for (int i = store->added_records.count - 1; i >= 0; --i) {
        free_record(store, store->added_records.data[i]);
    }
    for (int i = store->added_manifolds.count - 1; i >= 0; --i) {
        free_manifold(store, store->added_manifolds.data[i]);
    }
    for (int i = 0; i < store->worker_logs.count; ++i) {
        restore_log(store, &store->worker_logs.data[i]);
    }
    restore_log(store, &store->log);
}
