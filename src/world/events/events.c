// events.c - who touches whom from step to step, and the events that this makes.
//
// Touches are kept in the order of their keys. Contacts come in the same order, so that one merge
// of what touched with what meets now finds all that begins, goes on and ends.
#include "world/events/events.h"

#include "base/sort.h"
#include "world/bodies/body_shapes.h"
#include "world/events/encounters.h"

#include <string.h>

static bool add_event(CnWorld* world, CnEventType type, const CnTouch* touch,
                      const CnEncounter* encounter) {
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
        event.point = encounter->point;
        event.normal = encounter->normal;
    }
    if (type == CN_EVENT_CONTACT_HIT) {
        event.speed = encounter->speed;
        event.impulse = touch->impulse;
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

static bool keep(CnWorld* world, CnTouchSet* set, const CnEncounter* encounter,
                 const CnTouch* before, CnEventType begin) {
    CnEventLog* log = &world->events;
    CnTouch touch = encounter->touch;
    touch.hit = before == NULL ? -1 : before->hit;
    touch.impulse = encounter->impulse + (before == NULL ? 0.0 : before->impulse);
    if (before == NULL && !add_event(world, begin, &touch, encounter)) {
        return false;
    }
    // An impact takes two parts when it stops a contact that was open: it is one hit.
    if (touch.is_hit && !(before != NULL && before->is_hit)) {
        touch.hit = log->latest.count;
        if (!add_event(world, CN_EVENT_CONTACT_HIT, &touch, encounter)) {
            return false;
        }
        touch.impulse = 0.0;
    } else if (touch.hit >= 0) {
        log->latest.data[touch.hit].event.impulse += touch.impulse;
        touch.impulse = 0.0;
    }
    return cn_array_push(&set->next, &world->allocator, touch);
}

static CnStatus merge(CnWorld* world, CnTouchSet* set, CnEncounterSource* source, CnEventType begin,
                      CnEventType end) {
    CnEncounter encounter;
    bool more = source->next(source, &encounter);
    int old = 0;
    bool ok = true;
    set->next.count = 0;
    while (ok && (more || old < set->latest.count)) {
        const CnTouch* before = old < set->latest.count ? &set->latest.data[old] : NULL;
        int side = before == NULL ? 1
                   : !more        ? -1
                                  : cn_touch_compare(before->key, encounter.touch.key);
        if (side < 0) {
            ok = add_event(world, end, before, NULL);
            ++old;
            continue;
        }
        if (side == 0) {
            ++old;
            ok = keep(world, set, &encounter, before, begin);
        } else if (encounter.is_touching) {
            ok = keep(world, set, &encounter, NULL, begin);
        }
        more = source->next(source, &encounter);
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
    CnEncounterSource found = {
        .world = world,
        .next = cn_encounter_next_contact,
        .solved = {solved, 0, solved_found},
        .last = {last, 0, last_found},
    };
    CnEncounterSource given = {
        .world = world,
        .next = cn_encounter_next_contact,
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

static CnStatus add_overlaps(CnWorld* world) {
    CnEventLog* log = &world->events;
    CnStatus status = CN_OK;
    log->overlaps.count = 0;
    if (world->sensor_count > 0) {
        status = cn_encounter_find_overlaps(world, &log->overlaps);
    }
    if (status != CN_OK) {
        return status;
    }
    CnEncounterSource source = {
        .world = world, .next = cn_encounter_next_overlap, .overlaps = &log->overlaps};
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
        set->latest.data[i].impulse = 0.0;
        set->latest.data[i].hit = -1;
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
    int side = cn_touch_compare(log->latest.data[a].key, log->latest.data[b].key);
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

// Whether another shape of the body was met before: touches of one sensor follow each other.
static bool is_listed(const CnTouchArray* touches, int first, int touch) {
    CnBodyId body = touches->data[touch].body_b;
    for (int i = first; i < touch; ++i) {
        if (touches->data[i].body_b.index == body.index &&
            touches->data[i].body_b.generation == body.generation) {
            return true;
        }
    }
    return false;
}

int cn_world_sensor_overlaps(const CnWorld* world, CnBodyId id, int shape, CnBodyId* bodies,
                             int capacity) {
    int body = cn_world_body_index(world, id);
    int slot = body < 0 ? -1 : cn_body_shape_slot(world, body, shape);
    if (slot < 0 || !cn_world_shape_at(world, slot)->shape.sensor) {
        return -1;
    }
    uint64_t key = cn_world_shape_key(world, slot);
    const CnTouchArray* touches = &world->events.sensors.kept;
    int count = 0, first = 0;
    while (first < touches->count && touches->data[first].key[0] != key) {
        ++first;
    }
    for (int i = first; i < touches->count && touches->data[i].key[0] == key; ++i) {
        CnBodyId visitor = touches->data[i].body_b;
        int index = cn_world_body_index(world, visitor);
        if (index < 0 ||
            (world->details.data[index].shape_count > 1 && is_listed(touches, first, i))) {
            continue;
        }
        if (count < capacity) {
            bodies[count] = visitor;
        }
        ++count;
    }
    return count;
}
