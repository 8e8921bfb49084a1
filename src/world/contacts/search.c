// search.c - the narrow phase over the pairs of a world, in parallel.
#include "world/contacts/search.h"

#include "base/fetch.h"
#include "base/tasks.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_look.h"
#include "world/soft/soft_pack.h"

#include <limits.h>
#include <math.h>
#include <string.h>

bool cn_pair_is_still(const CnWorld* world, const CnPairRecord* record) {
    const CnPlace* a = &world->places.data[record->body[0]];
    const CnPlace* b = &world->places.data[record->body[1]];
    return record->epoch[0] == a->epoch && record->epoch[1] == b->epoch;
}

bool cn_pair_is_listed(const CnWorld* world, int index) {
    if (index >= world->pairs.listed.count) {
        return false;
    }
    const CnPairRecord* record = &world->pairs.records.data[index];
    const CnListedContacts* listed = &world->pairs.listed.data[index];
    return listed->collection == world->collections &&
           listed->epoch[0] == world->places.data[record->body[0]].epoch &&
           listed->epoch[1] == world->places.data[record->body[1]].epoch;
}

// The broad phase keeps pairs of fat boxes; what counts is whether the bounds themselves meet, so
// that contacts do not depend on the past.
static bool do_bounds_meet(const CnWorld* world, const CnPairRecord* record) {
    const CnShapePlace* places = world->shape_places.data;
    return cn_bounds_overlap(&places[record->shape[0]].bounds, &places[record->shape[1]].bounds);
}

// Prefetches a placed shape, which may lie across two cache lines.
static void fetch_shape(const CnShapePlace* place) {
    cn_fetch(&place->placed);
    cn_fetch((const char*)(&place->placed + 1) - 1);
}

static CnNarrowPair pair_at(const CnShapePlace* a, const CnShapePlace* b, double margin) {
    return (CnNarrowPair){
        .a = &a->placed,
        .b = &b->placed,
        .polyhedron_a = &a->polyhedron,
        .polyhedron_b = &b->polyhedron,
        .margin = margin,
    };
}

static CnNarrowPair pair_of(const CnWorld* world, const CnFoundPair* found) {
    CnPairRecord* record = &world->pairs.records.data[found->record];
    const CnShapePlace* a = &world->shape_places.data[record->shape[0]];
    const CnShapePlace* b = &world->shape_places.data[record->shape[1]];
    fetch_shape(a);
    fetch_shape(b);
    CnNarrowPair pair = pair_at(a, b, found->margin);
    pair.memory = &record->memory;
    pair.is_near = record->manifold >= 0;
    return pair;
}

// A look ahead that differs by less than this share of contact_margin finds the same contacts.
#define SAME_MARGIN 1e-3

// Manifolds of still bodies that look as far ahead as before need no look at all.
static bool is_up_to_date(const CnWorld* world, const CnPairRecord* record) {
    const CnPlace* a = &world->places.data[record->body[0]];
    const CnPlace* b = &world->places.data[record->body[1]];
    return record->epoch[0] == a->epoch && record->epoch[1] == b->epoch &&
           record->ahead[0] == a->ahead && record->ahead[1] == b->ahead;
}

// Whether a pair is looked at; *is_near: its bounds meet, else it has no points without a look.
static bool is_chosen(const CnWorld* world, CnSearchMode mode, CnPairRecord* record,
                      bool* is_near) {
    *is_near = false;
    if (record->is_sensor || record->is_gone) {
        return false;
    }
    if ((mode == CN_SEARCH_OUT_OF_DATE && is_up_to_date(world, record)) ||
        (mode == CN_SEARCH_MOVED && cn_pair_is_still(world, record)) ||
        (mode == CN_SEARCH_UNLISTED &&
         cn_pair_is_listed(world, (int)(record - world->pairs.records.data)))) {
        return false;
    }
    *is_near = do_bounds_meet(world, record);
    if (mode != CN_SEARCH_OUT_OF_DATE) {
        record->end_gap = HUGE_VAL;
        return *is_near;
    }
    return *is_near || record->manifold >= 0;
}

// What becomes of a pair.
typedef enum PairChoice {
    LEFT_OUT,       // 0
    WITHOUT_POINTS, // its bounds do not meet: there is nothing to look at
    LOOKED_AT,
} PairChoice;

static PairChoice choose(const CnSearch* job, CnPairRecord* record, double* margin) {
    const CnWorld* world = job->world;
    CnSearchMode mode = job->mode;
    bool is_near;
    if ((mode != CN_SEARCH_EVERYTHING && world->sleeping.bodies > 0 &&
         cn_sleep_is_pair_idle(world, record)) ||
        !is_chosen(world, mode, record, &is_near)) {
        return LEFT_OUT;
    }
    double slack = SAME_MARGIN * world->def.step.contact_margin;
    *margin = cn_places_margin(world, record->shape, record->body);
    if (mode == CN_SEARCH_OUT_OF_DATE && cn_pair_is_still(world, record) &&
        fabs(*margin - record->margin) <= slack) {
        return LEFT_OUT;
    }
    return is_near ? LOOKED_AT : WITHOUT_POINTS;
}

// pair: its place among those to choose from.
static CnPairRecord* record_of(const CnSearch* job, int pair) {
    const CnWorld* world = job->world;
    int place = cn_index_at(&job->among, pair);
    return &world->pairs.records.data[world->broad_phase.set.records.data[place]];
}

#define RECORDS_AHEAD 16 // some 100 ns

// Prefetches the record of a later pair of the list, and where the bodies and shapes of one before
// that are.
static void fetch_pairs(const CnSearch* job, const int* list, int left) {
    const CnWorld* world = job->world;
    if (left > RECORDS_AHEAD) {
        cn_record_fetch(record_of(job, list[RECORDS_AHEAD]));
    }
    if (left > 8) {
        const CnPairRecord* record = record_of(job, list[8]);
        for (int side = 0; side < 2; ++side) {
            const CnShapePlace* shape = &world->shape_places.data[record->shape[side]];
            cn_fetch(&world->places.data[record->body[side]].epoch);
            cn_fetch(&shape->bounds);
            cn_fetch(&shape->ahead);
            cn_fetch(&world->bodies.data[record->body[side]].state.velocity);
        }
    }
}

// Whether a look at two shapes would find no points.
static bool is_in_vain(const CnSearch* job, int a, int b) {
    const CnWorld* world = job->world;
    const CnShapePlace* places = world->shape_places.data;
    const CnSoftLook* looks = world->soft->looks.data;
    if (job->looks_hold &&
        cn_soft_look_apart(&looks[a], &looks[b], (float)world->def.step.contact_margin)) {
        return true;
    }
    if (!cn_bounds_overlap(&places[a].bounds, &places[b].bounds)) {
        return true;
    }
    const int shapes[2] = {a, b};
    const int bodies[2] = {cn_world_shape_at(world, a)->body, cn_world_shape_at(world, b)->body};
    CnNarrowPair pair = pair_at(&places[a], &places[b], cn_places_margin(world, shapes, bodies));
    return cn_narrow_is_apart(&pair);
}

// Lists the pairs of a part of which a shape has not kept its place: choose() would leave out all
// others. Returns how many; places from `begin` on to before `end`.
static int list_stirred(const CnSearch* job, int begin, int end, int* list) {
    const CnPair* pairs = job->world->broad_phase.set.pairs.data;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        CnPair pair = pairs[cn_index_at(&job->among, i)];
        list[count] = i; // without a branch, which would be hard to foresee
        count += job->stirred == NULL ||
                 (job->stirred[cn_pair_first(pair)] | job->stirred[cn_pair_second(pair)]) != 0;
    }
    return count;
}

// Whether a look at a pair, which has no manifold, would find no points. This is found without
// reading the pair's record, which is seldom in the cache.
static bool has_nothing(const CnSearch* job, int i) {
    const CnPairSet* set = &job->world->broad_phase.set;
    int place = cn_index_at(&job->among, i);
    CnPair pair = set->pairs.data[place];
    return job->stirred != NULL && cn_soft_has_no_manifold(job->world, set->records.data[place]) &&
           is_in_vain(job, cn_pair_first(pair), cn_pair_second(pair));
}

// How many pairs of a chunk are divided into parts, and where one of them ends.
static int part_count(int pairs) {
    return (pairs + CN_PAIRS_PER_TASK - 1) / CN_PAIRS_PER_TASK;
}

static int end_of_part(const CnSearch* job, int part) {
    int end = (part + 1) * CN_PAIRS_PER_TASK;
    return end < job->chunk ? end : job->chunk;
}

// Those of a part that are not left out come first in its places.
static void choose_part(const CnSearch* job, int part) {
    int list[CN_PAIRS_PER_TASK], count = 0, chosen = 0, looks = 0;
    int begin = part * CN_PAIRS_PER_TASK, end = end_of_part(job, part);
    int stirred = list_stirred(job, job->chosen + begin, job->chosen + end, list);
    for (int k = 0; k < stirred; ++k) {
        if (!has_nothing(job, list[k])) {
            if (count < RECORDS_AHEAD) {
                cn_record_fetch(record_of(job, list[k]));
            }
            list[count++] = list[k];
        }
    }
    for (int k = 0; k < count; ++k) {
        fetch_pairs(job, list + k, count - k);
        CnPairRecord* record = record_of(job, list[k]);
        CnFoundPair found = {.record = (int)(record - job->world->pairs.records.data)};
        if (job->known != NULL) {
            job->known[found.record] = 0;
        }
        PairChoice choice = choose(job, record, &found.margin);
        found.is_near = choice == LOOKED_AT;
        job->found[begin + chosen] = found; // stays if the pair is not left out
        chosen += choice != LEFT_OUT;
        looks += choice == LOOKED_AT;
    }
    job->chosen_of[part] = (CnChosenPart){chosen, looks};
}

static void choose_range(int begin, int end, int worker, void* data) {
    (void)worker;
    for (int part = begin; part < end; ++part) {
        choose_part(data, part);
    }
}

// The next chunk of pairs: chosen by all workers, then those of all parts moved together. If most
// of them are at rest there is little to look at, and the next chunk, or that of the next search,
// is larger.
static void choose_chunk(CnSearch* job) {
    int left = job->among.count - job->chosen;
    job->chunk = left < job->chunk ? left : job->chunk;
    job->count = job->found_stop = 0;
    cn_tasks_for(&job->world->def.tasks, part_count(job->chunk), 1, choose_range, job);
    for (int part = 0; part < part_count(job->chunk); ++part) {
        int count = job->chosen_of[part].count;
        if (count > 0) {
            memmove(job->found + job->count, job->found + part * CN_PAIRS_PER_TASK,
                    (size_t)count * sizeof *job->found);
        }
        job->count += count;
        job->look_count += job->chosen_of[part].looks;
    }
    job->chosen += job->chunk;
    job->chunk = job->count < job->chunk / 8 ? 4 * job->chunk : job->least_chunk;
    job->world->search_chunk = job->chunk;
}

// While positions are corrected: the pairs of shapes whose body is in the scope. False: no memory.
static bool list_scope(CnWorld* world, CnIndexList* pairs) {
    const bool* scope = world->correction.scope;
    const CnPairSet* set = &world->broad_phase.set;
    uint8_t* is_in = CN_ARENA_NEW(&world->arena, uint8_t, cn_pool_slot_count(&world->shapes));
    int* list = CN_ARENA_RAW(&world->arena, int, pairs->count);
    int count = 0;
    if (is_in == NULL || list == NULL) {
        return false;
    }
    for (int i = 0; i < world->bodies.count; ++i) {
        for (int s = scope[i] ? world->details.data[i].first_shape : -1; s >= 0;
             s = cn_world_shape_at(world, s)->next) {
            is_in[s] = 1;
        }
    }
    for (int k = 0; k < pairs->count; ++k) {
        int i = cn_index_at(pairs, k);
        CnPair pair = set->pairs.data[i];
        if (is_in[cn_pair_first(pair)] || is_in[cn_pair_second(pair)]) {
            list[count++] = i;
        }
    }
    *pairs = (CnIndexList){list, count};
    return true;
}

// The pairs to choose from, and what is known of them. False: no memory.
static bool list_pairs(CnSearch* job) {
    CnWorld* world = job->world;
    job->among = cn_active_pairs(world);
    if (job->mode == CN_SEARCH_OUT_OF_DATE && world->def.step.scheme == CN_SCHEME_SOFT_STEP) {
        if (!cn_soft_reserve_known(world)) {
            return false;
        }
        job->stirred = cn_soft_stirred(world);
        job->looks_hold = world->sleeping.bodies == 0;
        job->known = cn_soft_known(world).bits;
    }
    if (job->mode == CN_SEARCH_EVERYTHING) {
        job->among = (CnIndexList){NULL, world->broad_phase.set.pairs.count};
    }
    if (world->correction.scope != NULL && !list_scope(world, &job->among)) {
        return false;
    }
    job->chosen_of = CN_ARENA_RAW(&world->arena, CnChosenPart, part_count(job->among.count));
    return job->chosen_of != NULL;
}

// Whether all points that the narrow phase found count.
static bool can_all_close(const CnWorld* world, const CnPairRecord* record,
                          const CnManifoldPoint* points, int count) {
    bool can_close = true;
    for (int i = 0; can_close && i < count; ++i) {
        can_close = cn_places_can_close(world, record->shape[0], record->shape[1], &points[i]);
    }
    return can_close;
}

static bool keep_points(const CnSearch* job, CnFoundPair* found, const CnManifoldPoint* points,
                        int count, CnSearchScratch* scratch) {
    const CnWorld* world = job->world;
    const CnPairRecord* record = &world->pairs.records.data[found->record];
    int first = scratch->kept.count;
    for (int i = 0; i < count; ++i) {
        if (cn_places_can_close(world, record->shape[0], record->shape[1], &points[i]) &&
            !cn_array_push(&scratch->kept, &world->allocator, points[i])) {
            return false;
        }
    }
    found->count = scratch->kept.count - first;
    found->first = first;
    return true;
}

// Points that are taken over at once need not be kept: they are taken from where they were found,
// or without those that do not count.
static bool take_or_keep(const CnSearch* job, CnFoundPair* found, const CnManifoldPoint* points,
                         int count, CnSearchScratch* scratch) {
    const CnWorld* world = job->world;
    bool takes = job->take != NULL;
    bool keeps =
        !takes || !can_all_close(world, &world->pairs.records.data[found->record], points, count);
    found->count = count;
    if (keeps && !keep_points(job, found, points, count, scratch)) {
        return false;
    }
    if (takes && !job->take(job, found, keeps ? scratch->kept.data + found->first : points)) {
        return false;
    }
    if (keeps && found->is_taken) {
        scratch->kept.count = found->first;
    }
    return keeps || found->is_taken || keep_points(job, found, points, count, scratch);
}

bool cn_search_next(CnSearch* search) {
    CnWorld* world = search->world;
    while (search->found_stop == search->count) {
        if (search->chosen == search->among.count) {
            return false;
        }
        choose_chunk(search);
    }
    int i = search->found_stop;
    search->first_found = i;
    search->part_looks = 0;
    for (; i < search->count && search->part_looks < search->most_looks; ++i) {
        if (search->found[i].is_near) {
            search->place[search->part_looks++] = i;
        }
    }
    search->found_stop = i;
    for (int worker = 0; worker < world->workspace_count; ++worker) {
        world->search[worker].kept.count = 0;
    }
    return true;
}

#define LOOKS_AHEAD 4 // some 1 us

// Prefetches what taking over a later look changes and reads, and the record of one after that.
static void fetch_found(const CnSearch* job, int i, int end) {
    const CnWorld* world = job->world;
    const CnPairStore* store = &world->pairs;
    if (job->take == NULL || i + LOOKS_AHEAD >= end) {
        return;
    }
    cn_record_fetch(&store->records.data[job->found[job->place[i + LOOKS_AHEAD]].record]);
    const CnPairRecord* record =
        &store->records.data[job->found[job->place[i + LOOKS_AHEAD / 2]].record];
    cn_fetch(&world->places.data[record->body[0]].epoch);
    cn_fetch(&world->places.data[record->body[1]].epoch);
    if (record->manifold >= 0) {
        cn_manifold_fetch(store, record->manifold);
        cn_kept_fetch(store, record->manifold);
        cn_soft_fetch_impulses(world, record->manifold);
    }
}

// Looks that are handed to the narrow phase at once: boxes among them go side by side.
#define BATCH 256
#define PAIRS_AHEAD 16 // in the list of these

void cn_search_range(int begin, int end, int worker, void* data) {
    const CnSearch* job = data;
    CnSearchScratch* scratch = &job->world->search[worker];
    const CnPairRecord* records = job->world->pairs.records.data;
    CnNarrowResult results[BATCH];
    for (int from = begin; from < end && !scratch->failed; from += BATCH) {
        int count = end - from < BATCH ? end - from : BATCH;
        for (int i = from; i < from + count; ++i) {
            if (i + PAIRS_AHEAD < end) {
                cn_record_fetch(&records[job->found[job->place[i + PAIRS_AHEAD]].record]);
            }
            job->pairs[i] = pair_of(job->world, &job->found[job->place[i]]);
        }
        scratch->failed =
            cn_narrow_phase(&job->pairs[from], count, &scratch->narrow, results) != CN_OK;
        for (int i = 0; i < count && !scratch->failed; ++i) {
            CnFoundPair* found = &job->found[job->place[from + i]];
            fetch_found(job, from + i, from + count);
            const CnManifoldPoint* points = scratch->narrow.points.data + results[i].first;
            found->worker = worker;
            scratch->failed = !take_or_keep(job, found, points, results[i].count, scratch);
        }
    }
}

// most: looks of a part, and pairs that it is chosen from. Where looks may wake bodies, and in the
// first search of a world, whose looks are counted beforehand, all pairs are chosen at once.
static CnStatus list(CnWorld* world, CnSearchMode mode, int most, CnSearch* search) {
    int pair_count = world->broad_phase.set.pairs.count;
    bool at_once = world->sleeping.bodies > 0 || world->pairs.manifolds.capacity == 0 ||
                   world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    *search = (CnSearch){
        .world = world,
        .mode = mode,
        .found = CN_ARENA_RAW(&world->arena, CnFoundPair, pair_count),
        .most_looks = most < pair_count ? most : pair_count,
        .chunk = most > world->search_chunk ? most : world->search_chunk,
        .least_chunk = most,
    };
    search->chunk = at_once ? pair_count : search->chunk;
    search->pairs = CN_ARENA_RAW(&world->arena, CnNarrowPair, search->most_looks);
    search->place = CN_ARENA_RAW(&world->arena, int, search->most_looks);
    if (search->found == NULL || search->pairs == NULL || search->place == NULL ||
        !list_pairs(search)) {
        return CN_NO_MEMORY;
    }
    if (at_once) {
        choose_chunk(search);
    }
    for (int i = 0; i < world->workspace_count; ++i) {
        world->search[i].failed = false;
    }
    return CN_OK;
}

CnStatus cn_search_begin(CnWorld* world, CnSearchMode mode, CnSearch* search) {
    return list(world, mode, CN_SEARCH_PART * world->workspace_count, search);
}

CnStatus cn_search_end(const CnWorld* world) {
    for (int i = 0; i < world->workspace_count; ++i) {
        if (world->search[i].failed) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

CnStatus cn_search_pairs(CnWorld* world, CnSearchMode mode, CnSearch* search) {
    CnStatus status = list(world, mode, INT_MAX, search);
    if (status != CN_OK) {
        return status;
    }
    if (cn_search_next(search)) { // one part
        cn_tasks_for(&world->def.tasks, search->part_looks, CN_SEARCH_GRAIN, cn_search_range,
                     search);
    }
    return cn_search_end(world);
}
