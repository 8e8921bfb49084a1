// manifold_list.c - the manifolds of a step, in the order of pairs.
#include "base/tasks.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/manifolds.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"

#include <string.h>

static int first_manifold(const CnWorld* world, int record) {
    return world->pairs.records.data[record].manifold;
}

// A pair that the user's filter refuses has no rows in this step.
static CnStatus refuse_record(CnWorld* world, int record) {
    CnPairStore* store = &world->pairs;
    cn_soft_flush_record(world, record);
    for (int m = first_manifold(world, record); m >= 0; m = cn_manifold_at(store, m)->next) {
        if (!cn_pair_store_save_manifold(store, m)) {
            return CN_NO_MEMORY;
        }
        cn_manifold_at(store, m)->is_listed = false;
        cn_manifold_at(store, m)->has_tile = false;
        cn_manifold_at(store, m)->tile.acting = 0;
    }
    return CN_OK;
}

// The manifolds of a record in the list of the step.
static CnStatus list_record(CnWorld* world, int record, const CnBodyState* states) {
    CnIntArray* list = &world->step.manifolds;
    if (world->sleeping.bodies > 0 && first_manifold(world, record) >= 0 &&
        !cn_sleep_admit_record(world, record)) {
        return CN_OK;
    }
    if (first_manifold(world, record) >= 0 &&
        !cn_contact_hooks_admit_record(world, record, states)) {
        return refuse_record(world, record);
    }
    for (int m = first_manifold(world, record); m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        cn_soft_forget_note(world, m);
        if (!cn_manifold_at(&world->pairs, m)->is_listed) {
            if (!cn_pair_store_save_manifold(&world->pairs, m)) {
                return CN_NO_MEMORY;
            }
            cn_manifold_at(&world->pairs, m)->is_listed = true;
        }
        list->data[list->count++] = m;
    }
    return CN_OK;
}

// A list of the manifolds of all pairs, as long as it is as the last one was made: every task has
// as much room as it has pairs.
typedef struct Listing {
    const CnWorld* world;
    CnIndexList pairs;
    int* manifolds;    // of each part from the place of its first pair on   [pairs.count]
    int* counts;       // of each part; CN_NONE: some have to be admitted first   [parts]
    CnSoftKnown known; // by record, found by listing
} Listing;

static bool is_list_known(const Listing* listing, int record) {
    return listing->known.bits != NULL && (listing->known.bits[record] & CN_KNOWN_LIST) != 0;
}

// Looks at the manifolds of a record, as the list needs them. False: some have to be admitted
// first, or there is no room.
static bool list_manifolds_of(const Listing* listing, int record, int end, int* count) {
    const CnPairStore* store = &listing->world->pairs;
    for (int m = store->records.data[record].manifold; m >= 0; m = cn_manifold_at(store, m)->next) {
        CnManifold* manifold = cn_manifold_at(store, m);
        cn_soft_forget_note(listing->world, m);
        if (*count == end || (!manifold->is_listed && manifold->saved != store->step)) {
            return false;
        }
        manifold->is_listed = true; // there is a copy of it as it was, or it is new
        listing->manifolds[(*count)++] = m;
    }
    cn_soft_note_list(listing->world, record);
    return true;
}

// Which lists of a part are not known; their records are prefetched.
static void fetch_unknown(const Listing* listing, const int* records, int count) {
    const CnPairRecord* all = listing->world->pairs.records.data;
    for (int i = 0; i < count; ++i) {
        if (!is_list_known(listing, records[i])) {
            cn_record_fetch(&all[records[i]]);
        }
    }
}

static int list_part(const Listing* listing, int begin, int end) {
    const CnPairSet* set = &listing->world->broad_phase.set;
    int records[CN_PAIRS_PER_TASK], count = begin;
    for (int i = begin; i < end; ++i) {
        records[i - begin] = set->records.data[cn_index_at(&listing->pairs, i)];
    }
    fetch_unknown(listing, records, end - begin);
    for (int i = begin; i < end; ++i) {
        int record = records[i - begin];
        if (!is_list_known(listing, record)) {
            if (!list_manifolds_of(listing, record, end, &count)) {
                return CN_NONE;
            }
            continue;
        }
        int only = listing->known.only[record];
        if (count < end) { // a branch less: whether there is one is hard to foresee
            listing->manifolds[count] = only;
            count += only >= 0;
        } else if (only >= 0) {
            return CN_NONE;
        }
    }
    return count - begin;
}

static void list_range(int begin, int end, int worker, void* data) {
    const Listing* listing = data;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        int first = part * CN_PAIRS_PER_TASK, last = first + CN_PAIRS_PER_TASK;
        last = last < listing->pairs.count ? last : listing->pairs.count;
        listing->counts[part] = list_part(listing, first, last);
    }
}

// What a part has not listed. is_plain: no filter and no sleeper has a say.
static CnStatus list_again(CnWorld* world, const Listing* listing, int record, bool is_plain,
                           const CnBodyState* states) {
    CnIntArray* list = &world->step.manifolds;
    bool is_known = is_list_known(listing, record);
    if (is_known && (is_plain || listing->known.only[record] < 0)) {
        if (listing->known.only[record] >= 0) {
            list->data[list->count++] = listing->known.only[record];
        }
        return CN_OK;
    }
    if (is_known) {
        listing->known.bits[record] = 0;
    }
    return list_record(world, record, states);
}

// The manifolds of pairs. Where no user's filter and no sleeper has a say, all workers list them;
// parts in which something is new are listed once more.
static CnStatus list_pairs(CnWorld* world, const CnBodyState* states) {
    const CnPairSet* set = &world->broad_phase.set;
    CnIntArray* list = &world->step.manifolds;
    Listing listing = {
        .world = world, .pairs = cn_active_pairs(world), .known = cn_soft_known(world)};
    int count = listing.pairs.count;
    int parts = (count + CN_PAIRS_PER_TASK - 1) / CN_PAIRS_PER_TASK;
    bool is_plain = world->sleeping.bodies == 0 && world->def.contact_hooks.filter == NULL;
    listing.manifolds = CN_ARENA_RAW(&world->arena, int, count);
    listing.counts = CN_ARENA_RAW(&world->arena, int, parts);
    CnStatus status = listing.manifolds == NULL || listing.counts == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK && is_plain) {
        cn_tasks_for(&world->def.tasks, parts, 1, list_range, &listing);
    }
    for (int part = 0; status == CN_OK && part < parts; ++part) {
        int first = part * CN_PAIRS_PER_TASK, last = first + CN_PAIRS_PER_TASK;
        last = last < count ? last : count;
        int listed = is_plain ? listing.counts[part] : CN_NONE;
        if (listed > 0) {
            memcpy(list->data + list->count, listing.manifolds + first,
                   (size_t)listed * sizeof(int));
            list->count += listed;
        }
        for (int i = first; listed < 0 && status == CN_OK && i < last; ++i) {
            int record = set->records.data[cn_index_at(&listing.pairs, i)];
            status = list_again(world, &listing, record, is_plain, states);
        }
    }
    return status;
}

CnStatus cn_manifolds_list(CnWorld* world, const CnBodyState* states) {
    CnIntArray* list = &world->step.manifolds;
    list->count = 0;
    if (!cn_array_reserve(list, &world->allocator, world->pairs.manifolds.count)) {
        return CN_NO_MEMORY;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnStatus status = list_pairs(world, states);
    cn_arena_release(&world->arena, mark);
    for (int i = 0; status == CN_OK && i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        status = given == NULL ? CN_OK : list_record(world, given->record, states);
    }
    return status;
}
