// events.c - who touches whom from step to step, and the events that this makes.
//
// Touches are kept in the order of their keys. Contacts come in the same order, so that one merge
// of what touched with what meets now finds all that begins, goes on and ends.
#include "world/events.h"

#include "base/sort.h"
#include "world/contacts.h"

#include <string.h>

// Two shapes that met in this substep.
typedef struct Meeting {
    CnTouch touch;
    bool is_touching; // whatever was before; else only if they touched already
    CnVec3 point, normal;
    double gap;     // of that point [m]
    double speed;   // the fastest approach of a point that carries an impulse [m/s]
    double impulse; // normal, of all points [N s]
} Meeting;

// Contacts of a list, those of one pair after the other.
typedef struct Stream {
    const CnContactArray* contacts;
    int next, end;
} Stream;

// Where meetings come from: contacts of the solve and at the end of the substep, or overlaps.
typedef struct Source Source;
struct Source {
    const CnWorld* world;
    bool (*next)(Source* source, Meeting* meeting); // in the order of keys; false: no more
    Stream solved, last;
    const CnTouchArray* overlaps;
    int next_overlap;
};

static int compare_keys(const uint64_t a[2], const uint64_t b[2]) {
    if (a[0] != b[0]) {
        return a[0] < b[0] ? -1 : 1;
    }
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

static CnBodyId id_at(const CnWorld* world, int index) {
    return index < 0 ? (CnBodyId){0} : world->order.data[index];
}

static CnTouch touch_of(const CnWorld* world, const CnContact* contact) {
    CnTouch touch = {
        .body_a = id_at(world, contact->body_a),
        .body_b = id_at(world, contact->body_b),
        .shape_a = contact->shape_a,
        .shape_b = contact->shape_b,
    };
    if (contact->given >= 0) {
        CnPoolId id = cn_pool_id_at(&world->given_contacts, contact->given);
        touch.contact = (CnContactId){id.index, id.generation};
        touch.key[0] = id.index;
        touch.key[1] = id.generation;
    } else {
        const CnBody* a = cn_world_body_by_index(world, contact->body_a);
        const CnBody* b = cn_world_body_by_index(world, contact->body_b);
        touch.key[0] = a->serial + (uint64_t)contact->shape_a;
        touch.key[1] = b->serial + (uint64_t)contact->shape_b;
    }
    return touch;
}

static bool is_same_pair(const CnContact* a, const CnContact* b) {
    return a->body_a == b->body_a && a->body_b == b->body_b && a->shape_a == b->shape_a &&
           a->shape_b == b->shape_b && a->given == b->given;
}

static void deepen(Meeting* meeting, const CnContact* contact) {
    if (contact->gap < meeting->gap) {
        meeting->gap = contact->gap;
        meeting->point = contact->point;
        meeting->normal = contact->normal;
    }
}

// How the points of a pair took part in the solve.
static void add_solved(const CnWorld* world, Stream* stream, Meeting* meeting) {
    const CnRows* rows = &world->step.rows;
    const CnContact* first = &stream->contacts->data[stream->next];
    for (; stream->next < stream->end; ++stream->next) {
        const CnContact* contact = &stream->contacts->data[stream->next];
        if (!is_same_pair(contact, first)) {
            break;
        }
        deepen(meeting, contact);
        double impulse =
            contact->block < 0 ? 0.0 : rows->impulse[rows->blocks.data[contact->block].first_row];
        if (impulse > 0.0) {
            meeting->is_touching = true;
            meeting->impulse += impulse;
            meeting->speed = fmax(meeting->speed, -contact->approach);
        }
    }
    meeting->touch.is_hit = meeting->speed > world->def.step.hit_speed;
}

// How near the points of a pair are in the end. Where the solve saw them is where they met.
static void add_last(Stream* stream, Meeting* meeting, bool is_solved) {
    const CnContact* first = &stream->contacts->data[stream->next];
    for (; stream->next < stream->end; ++stream->next) {
        const CnContact* contact = &stream->contacts->data[stream->next];
        if (!is_same_pair(contact, first)) {
            break;
        }
        meeting->is_touching |= contact->gap <= 0.0;
        if (!is_solved) {
            deepen(meeting, contact);
        }
    }
}

// Pairs of the solve that neither act nor are near in the end have not met.
static bool next_contact(Source* source, Meeting* meeting) {
    const CnWorld* world = source->world;
    Stream *solved = &source->solved, *last = &source->last;
    while (solved->next < solved->end || last->next < last->end) {
        CnTouch from_solve = {.key = {UINT64_MAX, UINT64_MAX}}, from_last = from_solve;
        if (solved->next < solved->end) {
            from_solve = touch_of(world, &solved->contacts->data[solved->next]);
        }
        if (last->next < last->end) {
            from_last = touch_of(world, &last->contacts->data[last->next]);
        }
        int side = compare_keys(from_solve.key, from_last.key);
        *meeting = (Meeting){.touch = side <= 0 ? from_solve : from_last, .gap = INFINITY};
        if (side <= 0) {
            add_solved(world, solved, meeting);
        }
        if (side >= 0) {
            add_last(last, meeting, side == 0);
        }
        if (side >= 0 || meeting->is_touching) {
            return true;
        }
    }
    return false;
}

static bool next_overlap(Source* source, Meeting* meeting) {
    if (source->next_overlap == source->overlaps->count) {
        return false;
    }
    *meeting = (Meeting){
        .touch = source->overlaps->data[source->next_overlap++],
        .is_touching = true,
    };
    return true;
}

static bool add_event(CnWorld* world, CnEventType type, const CnTouch* touch,
                      const Meeting* meeting) {
    CnEventLog* log = &world->events;
    if (!cn_array_reserve(&log->latest, &world->allocator, log->latest.count + 1)) {
        return false;
    }
    CnEvent event = {
        .type = type,
        .time = world->step.time + world->step.dt,
        .body_a = touch->body_a,
        .body_b = touch->body_b,
        .shape_a = touch->shape_a,
        .shape_b = touch->shape_b,
        .contact = touch->contact,
    };
    if (type == CN_EVENT_CONTACT_BEGIN || type == CN_EVENT_CONTACT_HIT) {
        event.point = meeting->point;
        event.normal = meeting->normal;
    }
    if (type == CN_EVENT_CONTACT_HIT) {
        event.speed = meeting->speed;
        event.impulse = meeting->impulse;
    }
    int place = log->latest.count++;
    log->latest.data[place].event = event;
    memcpy(log->latest.data[place].key, touch->key, sizeof touch->key);
    return true;
}

CnStatus cn_events_add_break(CnWorld* world, const CnEvent* event) {
    CnEventLog* log = &world->events;
    if (!cn_array_reserve(&log->latest, &world->allocator, log->latest.count + 1)) {
        return CN_NO_MEMORY;
    }
    int place = log->latest.count++;
    log->latest.data[place].event = *event;
    log->latest.data[place].key[0] = log->latest.data[place].key[1] = 0; // as they come
    return CN_OK;
}

static bool keep(CnWorld* world, CnTouchSet* set, const Meeting* meeting, const CnTouch* before,
                 CnEventType begin) {
    const CnTouch* touch = &meeting->touch;
    if (before == NULL && !add_event(world, begin, touch, meeting)) {
        return false;
    }
    // An impact takes two substeps when it stops a contact that was open: it is one hit.
    if (touch->is_hit && !(before != NULL && before->is_hit) &&
        !add_event(world, CN_EVENT_CONTACT_HIT, touch, meeting)) {
        return false;
    }
    return cn_array_push(&set->next, &world->allocator, *touch);
}

static CnStatus merge(CnWorld* world, CnTouchSet* set, Source* source, CnEventType begin,
                      CnEventType end) {
    Meeting meeting;
    bool more = source->next(source, &meeting);
    int old = 0;
    bool ok = true;
    set->next.count = 0;
    while (ok && (more || old < set->latest.count)) {
        const CnTouch* before = old < set->latest.count ? &set->latest.data[old] : NULL;
        int side = before == NULL ? 1 : !more ? -1 : compare_keys(before->key, meeting.touch.key);
        if (side < 0) {
            ok = add_event(world, end, before, NULL);
            ++old;
            continue;
        }
        if (side == 0) {
            ++old;
            ok = keep(world, set, &meeting, before, begin);
        } else if (meeting.is_touching) {
            ok = keep(world, set, &meeting, NULL, begin);
        }
        more = source->next(source, &meeting);
    }
    CnTouchArray merged = set->next;
    set->next = set->latest;
    set->latest = merged;
    return ok ? CN_OK : CN_NO_MEMORY;
}

// Contacts given by hand come after those found by collision.
static int count_found(const CnContactArray* contacts) {
    int count = contacts->count;
    while (count > 0 && contacts->data[count - 1].given >= 0) {
        --count;
    }
    return count;
}

static CnStatus add_contacts(CnWorld* world) {
    const CnContactArray* solved = &world->step.contacts;
    const CnContactArray* last = &world->correction.contacts;
    int solved_found = count_found(solved), last_found = count_found(last);
    Source found = {
        .world = world,
        .next = next_contact,
        .solved = {solved, 0, solved_found},
        .last = {last, 0, last_found},
    };
    Source given = {
        .world = world,
        .next = next_contact,
        .solved = {solved, solved_found, solved->count},
        .last = {last, last_found, last->count},
    };
    CnEventLog* log = &world->events;
    CnStatus status =
        merge(world, &log->found, &found, CN_EVENT_CONTACT_BEGIN, CN_EVENT_CONTACT_END);
    return status != CN_OK
               ? status
               : merge(world, &log->given, &given, CN_EVENT_CONTACT_BEGIN, CN_EVENT_CONTACT_END);
}

static bool comes_first(int a, int b, const void* context) {
    const CnTouchArray* touches = context;
    return compare_keys(touches->data[a].key, touches->data[b].key) < 0;
}

// Overlaps come in the order of pairs; a sensor that is the later shape of a pair spoils theirs.
static CnStatus sort_overlaps(CnWorld* world, CnTouchArray* overlaps) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = overlaps->count;
    int* order = CN_ARENA_NEW(&world->arena, int, count);
    CnTouch* copy = CN_ARENA_NEW(&world->arena, CnTouch, count);
    CnStatus status = CN_NO_MEMORY;
    if (order != NULL && copy != NULL) {
        for (int i = 0; i < count; ++i) {
            order[i] = i;
            copy[i] = overlaps->data[i];
        }
        cn_sort(order, count, comes_first, overlaps);
        for (int i = 0; i < count; ++i) {
            overlaps->data[i] = copy[order[i]];
        }
        status = CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

static CnStatus find_overlaps(CnWorld* world, CnTouchArray* overlaps) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    CnStatus status = CN_NO_MEMORY;
    if (states != NULL) {
        for (int i = 0; i < world->order.count; ++i) {
            states[i] = cn_world_body_by_index(world, i)->state;
        }
        status = cn_world_collect_overlaps(world, states, overlaps);
    }
    if (status == CN_OK) {
        status = sort_overlaps(world, overlaps);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

static CnStatus add_overlaps(CnWorld* world) {
    CnEventLog* log = &world->events;
    CnStatus status = CN_OK;
    log->overlaps.count = 0;
    if (world->sensor_count > 0) {
        status = find_overlaps(world, &log->overlaps);
    }
    if (status != CN_OK) {
        return status;
    }
    Source source = {.world = world, .next = next_overlap, .overlaps = &log->overlaps};
    return merge(world, &log->sensors, &source, CN_EVENT_SENSOR_BEGIN, CN_EVENT_SENSOR_END);
}

CnStatus cn_events_add(CnWorld* world) {
    CnStatus status = add_contacts(world);
    return status == CN_OK ? add_overlaps(world) : status;
}

static bool reset(CnTouchSet* set, const CnAllocator* allocator) {
    set->latest.count = 0;
    if (!cn_array_reserve(&set->latest, allocator, set->kept.count)) {
        return false;
    }
    for (int i = 0; i < set->kept.count; ++i) {
        set->latest.data[i] = set->kept.data[i];
    }
    set->latest.count = set->kept.count;
    return true;
}

CnStatus cn_events_begin(CnWorld* world) {
    CnEventLog* log = &world->events;
    const CnAllocator* allocator = &world->allocator;
    log->latest.count = 0;
    return reset(&log->found, allocator) && reset(&log->given, allocator) &&
                   reset(&log->sensors, allocator)
               ? CN_OK
               : CN_NO_MEMORY;
}

// See the top of cairn/event.h. Substeps come one after the other, so equal ones are in the order
// of time.
static bool is_before(int a, int b, const void* context) {
    const CnEventLog* log = context;
    const CnEvent *x = &log->latest.data[a].event, *y = &log->latest.data[b].event;
    bool x_given = x->contact.index != 0, y_given = y->contact.index != 0;
    if (x->type != y->type) {
        return x->type < y->type;
    }
    if (x_given != y_given) {
        return y_given;
    }
    int side = compare_keys(log->latest.data[a].key, log->latest.data[b].key);
    return side != 0 ? side < 0 : a < b;
}

static void commit(CnTouchSet* set) {
    CnTouchArray old = set->kept;
    set->kept = set->latest;
    set->latest = old;
}

CnStatus cn_events_commit(CnWorld* world) {
    CnEventLog* log = &world->events;
    int count = log->latest.count;
    log->sorted.count = 0;
    if (!cn_array_reserve(&log->sorted, &world->allocator, count) ||
        !cn_array_reserve(&log->kept, &world->allocator, count)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        log->sorted.data[i] = i;
    }
    cn_sort(log->sorted.data, count, is_before, log);
    for (int i = 0; i < count; ++i) {
        log->kept.data[i] = log->latest.data[log->sorted.data[i]].event;
    }
    log->kept.count = count;
    commit(&log->found);
    commit(&log->given);
    commit(&log->sensors);
    return CN_OK;
}

static void free_set(CnTouchSet* set, const CnAllocator* allocator) {
    cn_array_free(&set->kept, allocator);
    cn_array_free(&set->latest, allocator);
    cn_array_free(&set->next, allocator);
}

void cn_events_free(CnEventLog* events, const CnAllocator* allocator) {
    free_set(&events->found, allocator);
    free_set(&events->given, allocator);
    free_set(&events->sensors, allocator);
    cn_array_free(&events->overlaps, allocator);
    cn_array_free(&events->latest, allocator);
    cn_array_free(&events->sorted, allocator);
    cn_array_free(&events->kept, allocator);
}

int cn_world_events(const CnWorld* world, CnEvent* events, int capacity) {
    const CnEventLog* log = &world->events;
    for (int i = 0; i < log->kept.count && i < capacity; ++i) {
        events[i] = log->kept.data[i];
    }
    return log->kept.count;
}

int cn_world_sensor_overlaps(const CnWorld* world, CnBodyId id, int shape, CnBodyId* bodies,
                             int capacity) {
    const CnBody* body = cn_world_body(world, id);
    if (body == NULL || shape < 0 || shape >= body->shape_count || !body->shapes[shape].sensor) {
        return -1;
    }
    uint64_t key = body->serial + (uint64_t)shape;
    const CnTouchArray* touches = &world->events.sensors.kept;
    CnBodyId before = {0};
    int count = 0;
    for (int i = 0; i < touches->count; ++i) { // shapes of one body follow each other
        CnBodyId other = touches->data[i].body_b;
        if (touches->data[i].key[0] != key || other.index == before.index ||
            cn_world_body(world, other) == NULL) {
            continue;
        }
        if (count < capacity) {
            bodies[count] = other;
        }
        before = other;
        ++count;
    }
    return count;
}
