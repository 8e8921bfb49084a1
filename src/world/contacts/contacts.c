// contacts.c - contacts at given poses, as a list: of manifolds, and for those who only look.
#include "world/contacts/contacts.h"

#include "base/tasks.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/given_contacts.h"
#include "world/events/events.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"

static uint64_t pair_key(const CnWorld* world, const CnPairRecord* record) {
    uint64_t key = cn_hash_mix(CN_HASH_SEED, cn_world_shape_key(world, record->shape[0]));
    return cn_hash_mix(key, cn_world_shape_key(world, record->shape[1]));
}

static CnMaterialId material_of(const CnWorld* world, int slot) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    return shape->shape->material.index != 0 ? shape->shape->material
                                             : world->details.data[shape->body].material;
}

// A contact of a pair without its point.
static CnContact contact_of(const CnWorld* world, int index, const CnBodyState* states) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    int slot_a = record->shape[0], slot_b = record->shape[1];
    CnContact contact = {
        .body_a = record->body[0],
        .body_b = record->body[1],
        .shape_a = slot_a,
        .shape_b = slot_b,
        .record = index,
        .given = CN_NONE,
        .fast = world->fast_count > 0 && cn_places_are_cut(world, slot_a, slot_b),
    };
    if (record->surfaces == world->surfaces) {
        contact.friction = record->friction;
        contact.restitution = record->restitution;
        contact.hold = 1.0;
        return contact;
    }
    cn_contact_take_materials(world, material_of(world, slot_a), material_of(world, slot_b), states,
                              &contact);
    return contact;
}

static bool is_zero(CnVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

void cn_contact_keep_surface(const CnWorld* world, CnPairRecord* record) {
    if (record->surfaces == world->surfaces) {
        return;
    }
    CnSurfacePair meeting = cn_world_combine_materials(world, material_of(world, record->shape[0]),
                                                       material_of(world, record->shape[1]));
    bool is_plain = meeting.torsion == 0.0 && meeting.rolling == 0.0 && meeting.hold == 1.0 &&
                    is_zero(meeting.grain) && is_zero(meeting.surface_velocity_a) &&
                    is_zero(meeting.surface_velocity_b);
    record->surfaces = is_plain ? world->surfaces : 0;
    record->friction = meeting.friction;
    record->restitution = meeting.restitution;
}

CnContact cn_manifold_contact(const CnWorld* world, const CnManifold* manifold,
                              const CnBodyState* states) {
    int given = world->pairs.records.data[manifold->pair].given;
    CnContact contact = given < 0 ? contact_of(world, manifold->pair, states)
                                  : cn_given_contact_of(world, given, states);
    contact.normal = cn_manifold_normal(manifold);
    return contact;
}

void cn_contact_set_point(CnContact* contact, const CnManifold* manifold, int point,
                          const CnTouchExtras* extras) {
    const CnTouchPoint* own = &manifold->points[point];
    contact->start_gap = extras == NULL ? 0.0 : extras->start_gap;
    if (extras != NULL && extras->has_material) {
        contact->friction = extras->friction;
        contact->restitution = extras->restitution;
        contact->surface_velocity_a = cn_vec3(0.0, 0.0, 0.0);
        contact->surface_velocity_b = extras->surface_velocity;
    }
    contact->point = cn_manifold_point(manifold, point);
    contact->gap = own->gap;
    contact->approach = (double)manifold->approach[point];
    contact->feature = own->feature;
}

uint64_t cn_contact_key(const CnWorld* world, const CnContact* contact) {
    return contact->given >= 0
               ? cn_given_contact_key(world, contact->given)
               : cn_hash_mix(pair_key(world, &world->pairs.records.data[contact->record]),
                             contact->feature);
}

// The contacts of a pair with a gap of at most `highest`, with the point and the normal of each.
static bool add_found(CnWorld* world, const CnBodyState* states, const CnFoundPair* pair,
                      double highest, CnContactArray* found) {
    const CnManifoldPoint* points = cn_found_points(world, pair);
    CnPairRecord* record = &world->pairs.records.data[pair->record];
    record->end_gap = HUGE_VAL;
    if (pair->count == 0) {
        return true;
    }
    for (int i = 0; i < pair->count; ++i) {
        record->end_gap = fmin(record->end_gap, points[i].gap);
    }
    if (record->end_gap > highest) {
        return true;
    }
    CnContact contact = contact_of(world, pair->record, states);
    for (int i = 0; i < pair->count; ++i) {
        contact.point = points[i].point;
        contact.normal = points[i].normal;
        contact.gap = points[i].gap;
        contact.feature = points[i].feature;
        if (contact.gap <= highest && !cn_array_push(found, &world->allocator, contact)) {
            return false;
        }
    }
    return true;
}

// A pair that has not moved since its manifolds were found still has their points.
static void measure_still(const CnWorld* world, CnPairRecord* record) {
    record->end_gap = HUGE_VAL;
    for (int m = record->manifold; m >= 0; m = cn_manifold_at(&world->pairs, m)->next) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, m);
        for (int i = 0; i < manifold->count; ++i) {
            record->end_gap = fmin(record->end_gap, manifold->points[i].gap);
        }
    }
    if (record->end_gap > world->def.step.contact_margin) {
        record->end_gap = HUGE_VAL;
    }
}

// Notes where the contacts of a record are in the list of this collection.
static void note_listed(CnWorld* world, int index, int first, int count) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    world->pairs.listed.data[index] = (CnListedContacts){
        .collection = world->collections + 1,
        .epoch = {world->places.data[record->body[0]].epoch,
                  world->places.data[record->body[1]].epoch},
        .first = first,
        .count = count,
    };
}

// Contacts of the pairs that a search found, in their order; of those that it left out, for they
// have not moved since the last collection, what that had found.
static CnStatus list_contacts(CnWorld* world, const CnBodyState* states, const CnSearch* search,
                              const CnContactArray* old, CnContactArray* found) {
    const CnPairSet* set = &world->broad_phase.set;
    const CnIndexList* pairs = &search->among;
    int next = 0;
    bool ok = cn_pair_store_reserve_listed(&world->pairs);
    for (int i = 0; ok && i < pairs->count; ++i) {
        int index = set->records.data[cn_index_at(pairs, i)], first = found->count;
        const CnPairRecord* record = &world->pairs.records.data[index];
        const CnListedContacts* listed = &world->pairs.listed.data[index];
        if (next < search->count && search->found[next].record == index) {
            ok = add_found(world, states, &search->found[next++], HUGE_VAL, found);
        } else if (old != NULL && cn_pair_is_listed(world, index)) {
            for (int k = 0; ok && k < listed->count; ++k) {
                ok = cn_array_push(found, &world->allocator, old->data[listed->first + k]);
            }
        } else if (record->is_sensor || record->is_gone) {
            continue;
        }
        note_listed(world, index, first, found->count - first);
    }
    return ok ? CN_OK : CN_NO_MEMORY;
}

static CnStatus search_at(CnWorld* world, const CnBodyState* states, double dt, CnSearchMode mode,
                          CnSearch* search) {
    CnStatus status = cn_world_find_pairs(world, states, dt);
    return status == CN_OK ? cn_search_pairs(world, mode, search) : status;
}

// Contacts given by hand come behind those found, and the user's filter has the last word.
static CnStatus complete(CnWorld* world, const CnBodyState* states, double dt, bool with_sleepers,
                         CnStatus status, CnContactArray* found) {
    ++world->collections;
    if (status == CN_OK) {
        status = cn_world_add_given_contacts(world, states, dt, with_sleepers, found);
    }
    if (status == CN_OK) {
        cn_contact_hooks_apply(world, found);
    }
    return status;
}

static CnStatus collect(CnWorld* world, const CnBodyState* states, double dt, CnSearchMode mode,
                        const CnContactArray* old, CnContactArray* found) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSearch search;
    found->count = 0;
    CnStatus status = search_at(world, states, dt, mode, &search);
    if (status == CN_OK) {
        status = list_contacts(world, states, &search, old, found);
    }
    cn_arena_release(&world->arena, mark);
    return complete(world, states, dt, false, status, found);
}

// The least gap of a part of the pairs; those that are still have the points of their manifolds.
typedef struct GapSearch {
    CnWorld* world;
    CnIndexList pairs;
    double* least; // of each part   [parts]
} GapSearch;

static double find_least_gap(const GapSearch* search, int begin, int end) {
    CnWorld* world = search->world;
    const CnPairSet* set = &world->broad_phase.set;
    double least = HUGE_VAL;
    for (int i = begin; i < end; ++i) {
        CnPairRecord* record =
            &world->pairs.records.data[set->records.data[cn_index_at(&search->pairs, i)]];
        if (record->is_sensor || record->is_gone) {
            continue;
        }
        if (cn_pair_is_still(world, record)) {
            measure_still(world, record);
        }
        least = fmin(least, record->end_gap);
    }
    return least;
}

static void find_gap_range(int begin, int end, int worker, void* data) {
    const GapSearch* search = data;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        int first = part * CN_PAIRS_PER_TASK, last = first + CN_PAIRS_PER_TASK;
        last = last < search->pairs.count ? last : search->pairs.count;
        search->least[part] = find_least_gap(search, first, last);
    }
}

static CnStatus measure_gaps(CnWorld* world, double* least_gap) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    GapSearch search = {world, cn_active_pairs(world), NULL};
    int parts = (search.pairs.count + CN_PAIRS_PER_TASK - 1) / CN_PAIRS_PER_TASK;
    search.least = CN_ARENA_RAW(&world->arena, double, parts);
    CnStatus status = search.least == NULL ? CN_NO_MEMORY : CN_OK;
    *least_gap = HUGE_VAL;
    if (status == CN_OK) {
        cn_tasks_for(&world->def.tasks, parts, 1, find_gap_range, &search);
        for (int i = 0; i < parts; ++i) {
            *least_gap = fmin(*least_gap, search.least[i]);
        }
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   CnContactArray* found) {
    return collect(world, states, dt, CN_SEARCH_ALL, NULL, found);
}

CnStatus cn_world_collect_everything(CnWorld* world, const CnBodyState* states,
                                     CnContactArray* found) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSearch search;
    found->count = 0;
    CnStatus status = search_at(world, states, 0.0, CN_SEARCH_EVERYTHING, &search);
    for (int i = 0; status == CN_OK && i < search.count; ++i) {
        status = add_found(world, states, &search.found[i], HUGE_VAL, found) ? CN_OK : CN_NO_MEMORY;
    }
    cn_arena_release(&world->arena, mark);
    return complete(world, states, 0.0, true, status, found);
}

CnStatus cn_world_list_overlaps(CnWorld* world, const CnBodyState* states, const CnSearch* search,
                                double tolerance, CnContactArray* found) {
    CnStatus status = cn_search_end(world);
    for (int i = search->first_found; status == CN_OK && i < search->found_stop; ++i) {
        bool is_new = world->pairs.records.data[search->found[i].record].manifold < 0;
        status = add_found(world, states, &search->found[i], is_new ? HUGE_VAL : -tolerance, found)
                     ? CN_OK
                     : CN_NO_MEMORY;
    }
    return status;
}

CnStatus cn_world_end_overlaps(CnWorld* world, const CnBodyState* states, double* least_gap,
                               CnContactArray* found) {
    CnStatus status = measure_gaps(world, least_gap);
    return complete(world, states, 0.0, false, status, found);
}

CnStatus cn_world_collect_again(CnWorld* world, const CnBodyState* states,
                                const CnContactArray* old, CnContactArray* found) {
    bool may_differ = world->def.contact_hooks.filter != NULL; // its list has lost some
    return may_differ ? collect(world, states, 0.0, CN_SEARCH_ALL, NULL, found)
                      : collect(world, states, 0.0, CN_SEARCH_UNLISTED, old, found);
}

// The lost pairs of a step as runs in increasing order: every merge of the broad phase adds one.
typedef struct LostRuns {
    int* start; // of each run in CnPairSet.lost, and where the last one ends   [count + 1]
    int count;
} LostRuns;

static bool is_start_of_run(const CnPairArray* lost, int i) {
    return i == 0 || lost->data[i] <= lost->data[i - 1];
}

// In the arena. False: no memory.
static bool find_lost_runs(CnWorld* world, LostRuns* runs) {
    const CnPairArray* lost = &world->broad_phase.set.lost;
    *runs = (LostRuns){NULL, 0};
    for (int i = 0; i < lost->count; ++i) {
        runs->count += is_start_of_run(lost, i);
    }
    runs->start = CN_ARENA_RAW(&world->arena, int, runs->count + 1);
    if (runs->start == NULL) {
        return false;
    }
    for (int i = 0, run = 0; i < lost->count; ++i) {
        if (is_start_of_run(lost, i)) {
            runs->start[run++] = i;
        }
    }
    runs->start[runs->count] = lost->count;
    return true;
}

// The first of the lost pairs begin <= i < end, which are in increasing order, that is not below
// the pair; end: none.
static int find_in_run(const CnPairArray* lost, int begin, int end, CnPair pair) {
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (lost->data[middle] < pair) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// The record of a pair that an earlier part of the step under way has lost, or one that was undone:
// it has it again. CN_NO_RECORD: there is none.
static int take_lost(CnWorld* world, const LostRuns* runs, CnPair pair) {
    CnPairSet* set = &world->broad_phase.set;
    for (int run = runs->count - 1; run >= 0; --run) {
        int i = find_in_run(&set->lost, runs->start[run], runs->start[run + 1], pair);
        if (i == runs->start[run + 1] || set->lost.data[i] != pair) {
            continue;
        }
        int record = set->lost_records.data[i];
        if (record != CN_NO_RECORD && !world->pairs.records.data[record].is_gone) {
            set->lost_records.data[i] = CN_NO_RECORD;
            return record;
        }
    }
    return CN_NO_RECORD;
}

// Pairs whose shapes are others by now, under the same slots, begin anew.
static CnStatus assign_record(CnWorld* world, const LostRuns* lost, int pair) {
    CnPairSet* set = &world->broad_phase.set;
    CnPairStore* store = &world->pairs;
    int old = set->records.data[pair];
    if (old != CN_NO_RECORD && (store->gone == 0 || !store->records.data[old].is_gone)) {
        return CN_OK;
    }
    if (old == CN_NO_RECORD) {
        set->records.data[pair] = take_lost(world, lost, set->pairs.data[pair]);
    }
    if (set->records.data[pair] != old) {
        cn_soft_stir_pair(world, set->records.data[pair]);
        return CN_OK;
    }
    int slot_a = cn_pair_first(set->pairs.data[pair]);
    int slot_b = cn_pair_second(set->pairs.data[pair]);
    int record = cn_pair_store_add_pair(store, slot_a, slot_b);
    if (record < 0) {
        return CN_NO_MEMORY;
    }
    if (old != CN_NO_RECORD) {
        cn_pair_store_drop_record(store, old);
    }
    const CnWorldShape* a = cn_world_shape_at(world, slot_a);
    const CnWorldShape* b = cn_world_shape_at(world, slot_b);
    store->records.data[record].body[0] = a->body;
    store->records.data[record].body[1] = b->body;
    store->records.data[record].is_sensor = a->shape->sensor || b->shape->sensor;
    set->records.data[pair] = record;
    cn_soft_stir_pair(world, record);
    return CN_OK;
}

// The first pair from this one on that lacks a record, or may have one that is gone.
static int next_to_assign(const CnWorld* world, int pair) {
    const CnPairSet* set = &world->broad_phase.set;
    const int *record = set->records.data + pair, *end = set->records.data + set->pairs.count;
    while (world->pairs.gone == 0 && record < end && *record != CN_NO_RECORD) {
        ++record;
    }
    return (int)(record - set->records.data);
}

static CnStatus assign_new_records(CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    LostRuns lost;
    CnStatus status = find_lost_runs(world, &lost) ? CN_OK : CN_NO_MEMORY;
    int count = world->broad_phase.set.pairs.count;
    for (int i = next_to_assign(world, 0); status == CN_OK && i < count;
         i = next_to_assign(world, i + 1)) {
        status = assign_record(world, &lost, i);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// The first pairs of a world are most of those that a scene at rest ever has: it gets room for few
// more, one in so many. Without any the next pair would copy all records.
#define FIRST_SPARE 32

CnStatus cn_world_assign_records(CnWorld* world) {
    bool is_new = world->broad_phase.has_new_pairs;
    bool is_first = world->pairs.records.capacity == 0;
    int count = world->broad_phase.set.pairs.count;
    CnStatus status = !is_first || cn_array_reserve(&world->pairs.records, &world->allocator,
                                                    count + count / FIRST_SPARE)
                          ? CN_OK
                          : CN_NO_MEMORY;
    if (status == CN_OK && is_new) {
        status = assign_new_records(world);
    }
    if (status == CN_OK) {
        status = cn_active_list_pairs(world, is_new);
    }
    world->broad_phase.has_new_pairs = world->broad_phase.has_new_pairs && status != CN_OK;
    return status;
}

static bool has_points(int record, const void* data) {
    const CnPairStore* store = data;
    return !store->records.data[record].is_gone && store->records.data[record].manifold >= 0;
}

void cn_world_keep_pairs_with_points(CnWorld* world) {
    CnBroadPhase* phase = &world->broad_phase;
    if (cn_pair_set_restore_some(&phase->set, has_points, &world->pairs) > 0) {
        phase->has_new_pairs = true;
    }
}

CnStatus cn_world_find_pairs(CnWorld* world, const CnBodyState* states, double dt) {
    CnStatus status = cn_places_update(world, states, dt);
    return status == CN_OK ? cn_world_assign_records(world) : status;
}

void cn_world_forget_tiles(CnWorld* world, int slot) {
    for (int l = cn_pair_store_first(&world->pairs, slot); l >= 0;
         l = cn_pair_store_next(&world->pairs, l)) {
        cn_soft_flush_record(world, l / 2);
    }
    cn_pair_store_forget_tiles(&world->pairs, slot);
}

void cn_world_forget_shape(CnWorld* world, int slot) {
    CnPairStore* store = &world->pairs;
    int link;
    if (cn_pair_store_first(store, slot) >= 0) {
        cn_soft_flush(world);
    }
    while ((link = cn_pair_store_first(store, slot)) >= 0) {
        cn_events_forget_record(world, link / 2);
        cn_pair_store_forget(store, link / 2);
    }
}
