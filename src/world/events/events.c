// events.c - who touches whom from step to step, and the events that this makes.
//
// Pair records know whether their shapes touched after the last step. After each part of a step
// they learn it anew, from the impulses of their manifolds and from the gaps at its end; what has
// changed is an event. cairn/event.h says when two shapes touch.
#include "world/events/events.h"

#include "base/sort.h"
#include "base/tasks.h"
#include "collision/convex/distance.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_shapes.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"

#include <string.h>

// How a pair met in a part of a step.
typedef struct Meeting {
    bool acts;            // a point carries an impulse
    double impulse;       // normal, of all points [N s]
    double speed;         // the fastest approach of a point that carries an impulse [m/s]
    double gap;           // of the deepest point where the problem was posed [m]; infinite: none
    CnVec3 point, normal; // there
} Meeting;

static CnBodyId id_at(const CnWorld* world, int index) {
    return index < 0 ? (CnBodyId){0} : world->order.data[index];
}

// The event of a record, without what happened; a sensor comes first.
static CnEvent begin_event(const CnWorld* world, const CnPairRecord* record) {
    CnEvent event = {0};
    if (record->given >= 0) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, record->given);
        CnPoolId id = cn_pool_id_at(&world->given_contacts, record->given);
        event.body_a = given->body_a;
        event.body_b = given->body_b;
        event.contact = (CnContactId){id.index, id.generation};
        return event;
    }
    bool swap = record->is_sensor && cn_world_shape_at(world, record->shape[1])->shape->sensor;
    int slot_a = record->shape[swap], slot_b = record->shape[!swap];
    const CnWorldShape* a = cn_world_shape_at(world, slot_a);
    const CnWorldShape* b = cn_world_shape_at(world, slot_b);
    event.body_a = id_at(world, a->body);
    event.body_b = id_at(world, b->body);
    event.shape_a = cn_world_shape_id(world, slot_a);
    event.shape_b = cn_world_shape_id(world, slot_b);
    return event;
}

static bool is_rare(const CnEvent* event) {
    return event->contact.index != 0 || event->joint.index != 0 || event->speed != 0.0 ||
           event->impulse != 0.0;
}

static bool push(CnWorld* world, CnEvent event) {
    CnEventList* latest = &world->events.latest;
    bool has_rest = is_rare(&event);
    CnKeptEvent kept = {
        .time = event.time,
        .point = event.point,
        .normal = event.normal,
        .body_a = event.body_a,
        .body_b = event.body_b,
        .shape_a = event.shape_a,
        .shape_b = event.shape_b,
        .type = event.type,
        .rare = has_rest ? latest->rare.count : CN_NONE,
    };
    CnRareEvent rest = {event.contact, event.joint, event.speed, event.impulse};
    return (!has_rest || cn_array_push(&latest->rare, &world->allocator, rest)) &&
           cn_array_push(&latest->events, &world->allocator, kept);
}

static bool add_event(CnWorld* world, const CnPairRecord* record, CnEventType type,
                      const Meeting* meeting) {
    CnEvent event = begin_event(world, record);
    event.type = type;
    event.time = world->step.time + world->step.dt;
    if (type == CN_EVENT_CONTACT_BEGIN || type == CN_EVENT_CONTACT_HIT) {
        event.point = meeting->point;
        event.normal = meeting->normal;
    }
    if (type == CN_EVENT_CONTACT_HIT) {
        event.speed = meeting->speed;
        event.impulse = meeting->impulse;
    }
    return push(world, event);
}

CnStatus cn_events_add_break(CnWorld* world, const CnEvent* event) {
    return push(world, *event) ? CN_OK : CN_NO_MEMORY;
}

CnStatus cn_events_add_sleep(CnWorld* world) {
    int memory[CN_MOST_CHANGES];
    CnIndexList list = cn_active_changes_since(world, world->active.told, memory);
    for (int k = 0; k < list.count; ++k) {
        int i = cn_index_at(&list, k);
        const CnSleep* sleep = &world->bodies.data[i].sleep;
        if (sleep->is_asleep == sleep->was_asleep) {
            continue;
        }
        CnEvent event = {.type = sleep->is_asleep ? CN_EVENT_SLEEP : CN_EVENT_WAKE,
                         .time = world->time,
                         .body_a = world->order.data[i]};
        if (!push(world, event)) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

static void deepen(Meeting* meeting, double gap, CnVec3 point, CnVec3 normal) {
    if (gap < meeting->gap) {
        meeting->gap = gap;
        meeting->point = point;
        meeting->normal = normal;
    }
}

// Normal impulse of a point [N s].
static double normal_impulse(const CnWorld* world, int manifold, int point) {
    const CnManifold* own = cn_manifold_at(&world->pairs, manifold);
    double push;
    if (cn_soft_point_push(world, manifold, point, &push)) {
        return push;
    }
    if (!own->is_wide) {
        const CnFrameImpulses frame = cn_pair_store_frame(&world->pairs, manifold);
        return (own->tile.acting >> point & 1u) != 0
                   ? cn_pair_store_total(&world->pairs, &frame, manifold, 0, point)
                   : 0.0;
    }
    CnContactPoint described = cn_manifold_describe(world, manifold, point);
    return cn_vec3_dot(described.impulse, described.normal);
}

static Meeting meet(const CnWorld* world, const CnPairRecord* record) {
    Meeting meeting = {.gap = HUGE_VAL};
    for (int m = record->manifold; m >= 0; m = cn_manifold_at(&world->pairs, m)->next) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, m);
        for (int i = 0; i < manifold->count; ++i) {
            double impulse = normal_impulse(world, m, i);
            deepen(&meeting, manifold->points[i].gap, cn_manifold_point(manifold, i),
                   cn_manifold_normal(manifold));
            if (impulse > 0.0) {
                meeting.acts = true;
                meeting.impulse += impulse;
                meeting.speed = fmax(meeting.speed, -(double)manifold->approach[i]);
            }
        }
    }
    return meeting;
}

// Where a pair met that had no points where the problem was posed: its deepest contact at the end.
static void find_end(const CnWorld* world, int record, Meeting* meeting) {
    const CnContactArray* contacts = &world->correction.contacts;
    for (int i = 0; meeting->gap == HUGE_VAL && i < contacts->count; ++i) {
        if (contacts->data[i].record == record) {
            for (; i < contacts->count && contacts->data[i].record == record; ++i) {
                const CnContact* contact = &contacts->data[i];
                deepen(meeting, contact->gap, contact->point, contact->normal);
            }
            return;
        }
    }
}

// Impulses of a pair since the step began, or since its hit. Where steps have one part, a meeting
// knows them.
static void add_impulse(const CnWorld* world, int index, const Meeting* meeting) {
    if (world->contact_totals.in_use) {
        CnPairHit* own = &world->events.hits.data[index];
        if (own->step != world->pairs.step) { // the first part of this step
            *own = (CnPairHit){.step = world->pairs.step, .event = CN_NONE};
        }
        own->impulse += meeting->impulse;
    }
}

// An impact takes two parts when it stops a contact that was open: it is one hit.
static bool add_hit_of_parts(CnWorld* world, int index, const Meeting* meeting, bool is_new) {
    CnEventList* latest = &world->events.latest;
    CnPairHit* own = &world->events.hits.data[index];
    add_impulse(world, index, meeting);
    if (is_new) {
        Meeting all = *meeting;
        all.impulse = own->impulse;
        own->event = latest->events.count;
        if (!add_event(world, &world->pairs.records.data[index], CN_EVENT_CONTACT_HIT, &all)) {
            return false;
        }
        own->impulse = 0.0;
    } else if (own->event >= 0) {
        latest->rare.data[latest->events.data[own->event].rare].impulse += own->impulse;
        own->impulse = 0.0;
    }
    return true;
}

static bool add_hit(CnWorld* world, int index, const Meeting* meeting, bool was_hit) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    bool is_new = record->is_hit && !was_hit;
    if (world->contact_totals.in_use) {
        return add_hit_of_parts(world, index, meeting, is_new);
    }
    return !is_new || add_event(world, record, CN_EVENT_CONTACT_HIT, meeting);
}

// Room for what pairs note between the parts of a step. False: no memory.
static bool reserve_hits(CnWorld* world) {
    CnEventLog* log = &world->events;
    int count = world->pairs.records.count;
    if (!cn_array_reserve(&log->hits, &world->allocator, count)) {
        return false;
    }
    while (log->hits.count < count) {
        log->hits.data[log->hits.count++] = (CnPairHit){0};
    }
    return true;
}

// A pair that touched and has not moved since its manifolds were found goes on touching; whether it
// was hit was told. In a step of several parts its impulses may count for a hit.
static bool rests(const CnWorld* world, const CnPairRecord* record) {
    return !world->contact_totals.in_use && record->is_touching && !record->is_hit &&
           record->given < 0 && cn_pair_is_still(world, record);
}

static bool is_near(const CnWorld* world, const CnPairRecord* record) {
    return record->end_gap <= world->def.step.contact_margin;
}

// Nothing has happened to a pair, and nothing is to be told.
static bool is_unchanged(const CnWorld* world, const CnPairRecord* record) {
    return record->manifold < 0 ? !is_near(world, record) && !record->is_touching
                                : rests(world, record) && is_near(world, record);
}

static bool touches_now(const CnWorld* world, const CnPairRecord* record, const Meeting* meeting) {
    return meeting->acts || record->end_gap <= 0.0 ||
           (record->is_touching && is_near(world, record));
}

// Whether a part of this step has told of a hit.
static bool has_hit(const CnWorld* world, int index) {
    const CnPairHit* own = world->contact_totals.in_use ? &world->events.hits.data[index] : NULL;
    return own != NULL && own->step == world->pairs.step && own->event >= 0;
}

// The part of add_contact() for pairs that go on as they were, which needs no event: all workers
// may do it, each for other pairs. False: it is left to add_contact().
static bool goes_on(const CnWorld* world, int index) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    if (record->is_hit || has_hit(world, index)) {
        return false;
    }
    Meeting meeting = meet(world, record);
    bool touches = touches_now(world, record, &meeting);
    if (touches != record->is_touching || (touches && meeting.speed > world->def.step.hit_speed)) {
        return false;
    }
    if (touches) {
        add_impulse(world, index, &meeting);
    }
    return true;
}

static bool add_contact(CnWorld* world, int index) {
    CnPairStore* store = &world->pairs;
    CnPairRecord* record = &store->records.data[index];
    if (is_unchanged(world, record)) {
        return true;
    }
    Meeting meeting = meet(world, record);
    bool touched = record->is_touching, was_hit = record->is_hit;
    bool touches = touches_now(world, record, &meeting);
    bool is_hit = touches && meeting.speed > world->def.step.hit_speed;
    if (touches != touched || is_hit != was_hit) {
        if (!cn_pair_store_save_record(store, index)) {
            return false;
        }
        record = &store->records.data[index];
        record->is_touching = touches;
        record->is_hit = is_hit;
    }
    if (!touches) {
        return !touched || add_event(world, record, CN_EVENT_CONTACT_END, NULL);
    }
    find_end(world, index, &meeting);
    return (touched || add_event(world, record, CN_EVENT_CONTACT_BEGIN, &meeting)) &&
           add_hit(world, index, &meeting, was_hit && touched);
}

// What is in a sensor where bodies are now.
static bool add_overlap(CnWorld* world, int index) {
    CnPairStore* store = &world->pairs;
    CnPairRecord* record = &store->records.data[index];
    const CnShapePlace* places = world->shape_places.data;
    const CnShapePlace *a = &places[record->shape[0]], *b = &places[record->shape[1]];
    if (cn_pair_is_still(world, record)) {
        return true;
    }
    bool overlaps = cn_bounds_overlap(&a->bounds, &b->bounds) &&
                    cn_nearest(a->placed, b->placed).distance <= 0.0;
    if (!cn_pair_store_save_record(store, index)) {
        return false;
    }
    record = &store->records.data[index];
    bool is_same = overlaps == record->is_touching;
    record->is_touching = overlaps;
    for (int side = 0; side < 2; ++side) { // where they are was looked at
        int body = record->body[side];
        record->epoch[side] = world->places.data[body].epoch;
    }
    return is_same ||
           add_event(world, record, overlaps ? CN_EVENT_SENSOR_BEGIN : CN_EVENT_SENSOR_END, NULL);
}

typedef struct Watch {
    const CnWorld* world;
    CnIndexList pairs;
    bool* may_differ; // something may have happened to the pair   [pairs.count]
    int* counts;      // of these, of each part of CN_PAIRS_PER_TASK pairs   [parts]
    uint8_t* known;   // by record: CnSoftKnownBits; NULL: nothing is known
} Watch;

// A pair that touches and presses or overlaps is calm, and one that does nothing of all three,
// until it is looked at again or its lanes tell that this changes. Exact ones have no lanes.
static void note_calm(const Watch* watch, int index) {
    const CnPairRecord* record = &watch->world->pairs.records.data[index];
    if (watch->known != NULL && record->manifold >= 0 && record->given < 0 && !record->is_hit &&
        cn_pair_is_still(watch->world, record) &&
        cn_soft_has_lane(watch->world, record->manifold) &&
        cn_soft_is_pressed(watch->world, index) == record->is_touching) {
        watch->known[index] = (uint8_t)(watch->known[index] | CN_KNOWN_CALM);
    }
}

static bool is_calm(const Watch* watch, int index) {
    return watch->known != NULL && (watch->known[index] & CN_KNOWN_CALM) != 0;
}

static int end_of_part(const Watch* watch, int part) {
    int end = (part + 1) * CN_PAIRS_PER_TASK;
    return end < watch->pairs.count ? end : watch->pairs.count;
}

// Prefetches the manifold of a record, which was prefetched before, and its impulses.
static void fetch_manifold(const CnWorld* world, int index) {
    int manifold = world->pairs.records.data[index].manifold;
    if (manifold >= 0) {
        cn_manifold_fetch(&world->pairs, manifold);
        cn_soft_fetch_impulses(world, manifold);
    }
}

// Whether something may have happened to a pair.
static bool may_differ(const Watch* watch, int index) {
    const CnWorld* world = watch->world;
    const CnPairRecord* record = &world->pairs.records.data[index];
    if (world->sleeping.bodies > 0 && cn_sleep_is_pair_idle(world, record)) {
        return false;
    }
    if (record->is_sensor || (!is_unchanged(world, record) && !goes_on(world, index))) {
        return true;
    }
    note_calm(watch, index);
    return false;
}

#define MANIFOLDS_AHEAD 4 // prefetched

// How many pairs of a part may differ.
static int watch_part(const Watch* watch, int part) {
    const CnWorld* world = watch->world;
    const CnPairSet* set = &world->broad_phase.set;
    int place[CN_PAIRS_PER_TASK], list[CN_PAIRS_PER_TASK], listed = 0, count = 0;
    for (int k = part * CN_PAIRS_PER_TASK; k < end_of_part(watch, part); ++k) {
        int index = set->records.data[cn_index_at(&watch->pairs, k)];
        watch->may_differ[k] = false;
        place[listed] = k; // kept if it is not calm: no processor predicts that
        list[listed] = index;
        listed += !is_calm(watch, index);
    }
    for (int i = 0; i < listed; ++i) {
        cn_record_fetch(&world->pairs.records.data[list[i]]);
    }
    for (int i = 0; i < listed; ++i) {
        if (watch->known != NULL && i + MANIFOLDS_AHEAD < listed) {
            fetch_manifold(world, list[i + MANIFOLDS_AHEAD]);
        }
        watch->may_differ[place[i]] = may_differ(watch, list[i]);
        count += watch->may_differ[place[i]];
    }
    return count;
}

static void watch_range(int begin, int end, int worker, void* data) {
    const Watch* watch = data;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        watch->counts[part] = watch_part(watch, part);
    }
}

// Room for one event of each pair that may have one: where many contacts begin at once, no more is
// asked for. False: no memory.
static bool reserve_latest(CnWorld* world, const Watch* watch, int parts) {
    CnEventList* latest = &world->events.latest;
    int count = latest->events.count;
    for (int part = 0; part < parts; ++part) {
        count += watch->counts[part];
    }
    return cn_array_reserve(&latest->events, &world->allocator, count);
}

static bool add_part(CnWorld* world, const Watch* watch, int part) {
    const CnPairSet* set = &world->broad_phase.set;
    bool ok = true;
    for (int k = part * CN_PAIRS_PER_TASK; ok && k < end_of_part(watch, part); ++k) {
        if (watch->may_differ[k]) {
            int index = set->records.data[cn_index_at(&watch->pairs, k)];
            bool is_sensor = world->pairs.records.data[index].is_sensor;
            ok = is_sensor ? add_overlap(world, index) : add_contact(world, index);
            if (!is_sensor) {
                note_calm(watch, index);
            }
        }
    }
    return ok;
}

// All workers look at the pairs; those of which there may be something to tell follow in order.
static bool add_pairs(CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Watch watch = {.world = world, .pairs = cn_active_pairs(world)};
    int parts = (watch.pairs.count + CN_PAIRS_PER_TASK - 1) / CN_PAIRS_PER_TASK;
    // Impulses of pairs that rest may count for a hit; a pair that a filter refuses has no lane
    // that tells of changes.
    if (!world->contact_totals.in_use && world->def.contact_hooks.filter == NULL) {
        watch.known = cn_soft_known(world).bits;
    }
    watch.may_differ = CN_ARENA_RAW(&world->arena, bool, watch.pairs.count);
    watch.counts = CN_ARENA_RAW(&world->arena, int, parts);
    bool ok = watch.may_differ != NULL && watch.counts != NULL;
    if (ok) {
        cn_tasks_for(&world->def.tasks, parts, 1, watch_range, &watch);
    }
    ok = ok && reserve_latest(world, &watch, parts);
    for (int part = 0; ok && part < parts; ++part) {
        if (watch.counts[part] > 0) {
            ok = add_part(world, &watch, part);
        }
    }
    cn_arena_release(&world->arena, mark);
    return ok;
}

// A sensor's pair that is lost: its fat boxes are apart, and so are the shapes.
static bool end_overlap(CnWorld* world, int index) {
    if (!world->pairs.records.data[index].is_touching) {
        return true;
    }
    if (!cn_pair_store_save_record(&world->pairs, index)) {
        return false;
    }
    CnPairRecord* record = &world->pairs.records.data[index];
    record->is_touching = false;
    return add_event(world, record, CN_EVENT_SENSOR_END, NULL);
}

// Lost pairs as well: one that had contact points in this step may have met before it was lost.
static CnStatus add_records(CnWorld* world) {
    const CnPairSet* set = &world->broad_phase.set;
    bool ok = add_pairs(world);
    for (int i = 0; ok && i < set->lost.count; ++i) {
        int index = set->lost_records.data[i];
        if (index == CN_NO_RECORD || world->pairs.records.data[index].is_gone) {
            continue;
        }
        CnPairRecord* record = &world->pairs.records.data[index];
        record->end_gap = HUGE_VAL; // fat boxes are apart
        ok = record->is_sensor ? end_overlap(world, index) : add_contact(world, index);
    }
    for (int i = 0; ok && i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        ok = given == NULL || cn_sleep_are_idle(world, given->body_a, given->body_b) ||
             add_contact(world, given->record);
    }
    return ok ? CN_OK : CN_NO_MEMORY;
}

CnStatus cn_events_add_pending(CnWorld* world) {
    CnEventLog* log = &world->events;
    bool ok = true;
    for (int i = 0; ok && !log->has_told_pending && i < log->pending.count; ++i) {
        const CnPendingEnd* end = &log->pending.data[i];
        CnEvent event = {
            .type = end->is_sensor ? CN_EVENT_SENSOR_END : CN_EVENT_CONTACT_END,
            .time = world->step.time + world->step.dt,
            .body_a = end->body_a,
            .body_b = end->body_b,
            .shape_a = end->shape_a,
            .shape_b = end->shape_b,
            .contact = end->contact,
        };
        ok = push(world, event);
    }
    log->has_told_pending = true;
    return ok ? CN_OK : CN_NO_MEMORY;
}

static CnStatus place_sensors(CnWorld* world) {
    const CnBodyState* states = cn_world_present_states(world, CN_STATES_LOOK);
    return states == NULL ? CN_NO_MEMORY : cn_world_find_pairs(world, states, 0.0);
}

CnStatus cn_events_add(CnWorld* world) {
    CnStatus status = world->sensor_count > 0 ? place_sensors(world) : CN_OK;
    if (status == CN_OK && world->contact_totals.in_use && !reserve_hits(world)) {
        status = CN_NO_MEMORY;
    }
    if (status == CN_OK) {
        status = cn_events_add_pending(world);
    }
    return status == CN_OK ? add_records(world) : status;
}

void cn_events_begin(CnWorld* world) {
    world->events.latest.events.count = world->events.latest.rare.count = 0;
    world->events.has_told_pending = false;
}

bool cn_events_reserve_ends(CnWorld* world, int count) {
    CnEventLog* log = &world->events;
    return count == 0 ||
           cn_array_reserve(&log->pending, &world->allocator, log->pending.count + count);
}

static int touching_count(const CnWorld* world, int slot) {
    int count = 0;
    for (int l = cn_pair_store_first(&world->pairs, slot); l >= 0;
         l = cn_pair_store_next(&world->pairs, l)) {
        count += world->pairs.records.data[l / 2].is_touching;
    }
    return count;
}

bool cn_events_reserve_ends_of_shape(CnWorld* world, int slot) {
    return cn_events_reserve_ends(world, touching_count(world, slot));
}

bool cn_events_reserve_ends_of_body(CnWorld* world, int body) {
    int count = 0;
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        count += touching_count(world, s);
    }
    for (int link = cn_body_first_link(world, body, CN_LINK_CONTACT); link != 0;
         link = cn_link_next(world, CN_LINK_CONTACT, link)) {
        ++count;
    }
    return cn_events_reserve_ends(world, count);
}

void cn_events_forget_record(CnWorld* world, int index) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    if (record->is_touching) {
        CnEvent event = begin_event(world, record);
        world->events.pending.data[world->events.pending.count++] = (CnPendingEnd){
            .body_a = event.body_a,
            .body_b = event.body_b,
            .shape_a = event.shape_a,
            .shape_b = event.shape_b,
            .contact = event.contact,
            .is_sensor = record->is_sensor,
        };
    }
}

// By which events of one type are sorted: the two shapes, the contact given by hand, or the body
// that falls asleep or wakes. Joints that break stay in their order.
typedef struct EventKey {
    uint64_t part[2];
} EventKey;

static EventKey key_of(const CnKeptEvent* event, CnRareEvent rest) {
    CnShapeId a = event->shape_a, b = event->shape_b;
    if (a.index != 0) {
        return (EventKey){{(uint64_t)a.index << 32 | (uint32_t)a.generation,
                           (uint64_t)b.index << 32 | (uint32_t)b.generation}};
    }
    if (rest.contact.index != 0) {
        return (EventKey){{rest.contact.index, rest.contact.generation}};
    }
    return (EventKey){{rest.joint.index == 0 ? event->body_a.index : 0}};
}

static CnRareEvent rest_of(const CnEventList* list, const CnKeptEvent* event) {
    return event->rare >= 0 ? list->rare.data[event->rare] : (CnRareEvent){0};
}

static int compare_keys(EventKey a, EventKey b) {
    int place = a.part[0] != b.part[0] ? 0 : 1;
    return a.part[place] < b.part[place] ? -1 : a.part[place] > b.part[place];
}

// See the top of cairn/event.h. Parts of a step come one after the other, so equal ones are in the
// order of time.
static bool is_before(int a, int b, const void* context) {
    const CnEventList* list = context;
    const CnKeptEvent *x = &list->events.data[a], *y = &list->events.data[b];
    CnRareEvent x_rest = rest_of(list, x), y_rest = rest_of(list, y);
    bool x_given = x_rest.contact.index != 0, y_given = y_rest.contact.index != 0;
    if (x->type != y->type) {
        return x->type < y->type;
    }
    if (x_given != y_given) {
        return y_given;
    }
    int side = compare_keys(key_of(x, x_rest), key_of(y, y_rest));
    return side != 0 ? side < 0 : a < b;
}

static bool is_sorted(const int* items, int count, const CnEventList* list) {
    for (int i = 1; i < count; ++i) {
        if (!is_before(items[i - 1], items[i], list)) {
            return false;
        }
    }
    return true;
}

// The order of events: by type, in the order in which they were added, and then only those types
// sorted that are not in order yet. Contacts of a part of a step are added in order.
static void sort_events(const CnEventList* list, int* sorted) {
    int start[CN_EVENT_TYPE_COUNT + 1] = {0};
    for (int i = 0; i < list->events.count; ++i) {
        ++start[list->events.data[i].type + 1];
    }
    for (int type = 0; type < CN_EVENT_TYPE_COUNT; ++type) {
        start[type + 1] += start[type];
    }
    for (int i = 0; i < list->events.count; ++i) { // start[type] moves to the end of the type
        sorted[start[list->events.data[i].type]++] = i;
    }
    for (int type = 0, first = 0; type < CN_EVENT_TYPE_COUNT; first = start[type++]) {
        if (!is_sorted(sorted + first, start[type] - first, list)) {
            cn_sort(sorted + first, start[type] - first, is_before, list);
        }
    }
}

// Puts event sorted[i] in place i, for all i. Cycle by cycle, so that no second array is needed;
// `sorted` is used up.
static void reorder(CnEventList* list, int* sorted) {
    CnKeptEvent* events = list->events.data;
    for (int i = 0; i < list->events.count; ++i) {
        CnKeptEvent first = events[i];
        int to = i;
        while (sorted[to] != i) {
            int from = sorted[to];
            events[to] = events[from];
            sorted[to] = to;
            to = from;
        }
        events[to] = first;
        sorted[to] = to;
    }
}

// Up to so many events memory stays from step to step; beyond it, none lies idle.
#define FEW 1024

static void free_list(CnEventList* list, const CnAllocator* allocator) {
    cn_array_free(&list->events, allocator);
    cn_array_free(&list->rare, allocator);
}

CnStatus cn_events_commit(CnWorld* world) {
    CnEventLog* log = &world->events;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = log->latest.events.count, *sorted = CN_ARENA_RAW(&world->arena, int, count);
    if (sorted != NULL) {
        sort_events(&log->latest, sorted);
        reorder(&log->latest, sorted);
    }
    cn_arena_release(&world->arena, mark);
    if (sorted == NULL) {
        return CN_NO_MEMORY;
    }
    CnEventList told = log->kept;
    log->kept = log->latest;
    log->latest = told;
    if (told.events.capacity > FEW) {
        free_list(&log->latest, &world->allocator);
    }
    log->pending.count = 0;
    int memory[CN_MOST_CHANGES];
    CnIndexList list = cn_active_changes_since(world, world->active.told, memory);
    for (int k = 0; k < list.count; ++k) {
        int i = cn_index_at(&list, k);
        world->bodies.data[i].sleep.was_asleep = world->bodies.data[i].sleep.is_asleep;
    }
    world->active.told = world->active.version;
    return CN_OK;
}

void cn_events_free(CnEventLog* events, const CnAllocator* allocator) {
    cn_array_free(&events->pending, allocator);
    free_list(&events->latest, allocator);
    free_list(&events->kept, allocator);
    cn_array_free(&events->hits, allocator);
}

static CnEvent read_kept(const CnEventList* list, const CnKeptEvent* kept) {
    CnRareEvent rest = rest_of(list, kept);
    return (CnEvent){
        .type = kept->type,
        .time = kept->time,
        .body_a = kept->body_a,
        .body_b = kept->body_b,
        .shape_a = kept->shape_a,
        .shape_b = kept->shape_b,
        .contact = rest.contact,
        .joint = rest.joint,
        .point = kept->point,
        .normal = kept->normal,
        .speed = rest.speed,
        .impulse = rest.impulse,
    };
}

int cn_world_events(const CnWorld* world, CnEvent* events, int capacity) {
    const CnEventList* kept = &world->events.kept;
    for (int i = 0; i < kept->events.count && i < capacity; ++i) {
        events[i] = read_kept(kept, &kept->events.data[i]);
    }
    return kept->events.count;
}

// Of the shapes in a sensor, the one with the least key above another; -1: none.
static int next_visitor(const CnWorld* world, int sensor, uint64_t above, uint64_t* key) {
    int next = -1;
    for (int l = cn_pair_store_first(&world->pairs, sensor); l >= 0;
         l = cn_pair_store_next(&world->pairs, l)) {
        const CnPairRecord* record = &world->pairs.records.data[l / 2];
        int other = record->shape[1 - l % 2];
        uint64_t own = cn_world_shape_key(world, other);
        if (record->is_touching && own > above && (next < 0 || own < *key)) {
            next = other;
            *key = own;
        }
    }
    return next;
}

int cn_world_sensor_overlaps(const CnWorld* world, CnShapeId id, CnBodyId* bodies, int capacity) {
    const CnWorldShape* shape = cn_pool_get(&world->shapes, CN_POOL_ID(id));
    if (shape == NULL || !shape->shape->sensor) {
        return -1;
    }
    int sensor = (int)id.index - 1;
    uint64_t key = 0;
    int count = 0, before = -1;
    for (int s = next_visitor(world, sensor, key, &key); s >= 0;
         s = next_visitor(world, sensor, key, &key)) { // shapes of one body follow each other
        int other = cn_world_shape_at(world, s)->body;
        if (other != before && count < capacity) {
            bodies[count] = world->order.data[other];
        }
        count += other != before;
        before = other;
    }
    return count;
}
