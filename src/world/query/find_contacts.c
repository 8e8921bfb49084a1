// find_contacts.c - contact points at the present poses, without a step.
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"

// What a search for contacts changes of what later steps start from: where bodies were placed last,
// and how near pairs were as the last step ended.
typedef struct SearchState {
    CnPlace* places;          // [place_count]
    CnSoftPlace* soft_places; // [soft_count]
    double* end_gap; // of each pair record; infinite where it is not in use   [record_count]
    int place_count, soft_count, record_count;
} SearchState;

// In the arena. False: no memory.
static bool save(CnWorld* world, SearchState* saved) {
    *saved = (SearchState){
        .place_count = world->places.count,
        .soft_count = world->soft_places.count,
        .record_count = world->pairs.records.count,
        .places = CN_ARENA_RAW(&world->arena, CnPlace, world->places.count),
        .soft_places = CN_ARENA_RAW(&world->arena, CnSoftPlace, world->soft_places.count),
        .end_gap = CN_ARENA_RAW(&world->arena, double, world->pairs.records.count),
    };
    if (saved->places == NULL || saved->soft_places == NULL || saved->end_gap == NULL) {
        return false;
    }
    for (int i = 0; i < saved->place_count; ++i) {
        saved->places[i] = world->places.data[i];
    }
    for (int i = 0; i < saved->soft_count; ++i) {
        saved->soft_places[i] = world->soft_places.data[i];
    }
    for (int i = 0; i < saved->record_count; ++i) {
        const CnPairRecord* record = &world->pairs.records.data[i];
        saved->end_gap[i] = record->in_use ? record->end_gap : HUGE_VAL;
    }
    return true;
}

// The shapes of the body are placed again by the next step, at its place.
static void forget_shapes(CnWorld* world, int body) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        if (s < world->shape_places.count) {
            world->shape_places.data[s].epoch = 0;
        }
    }
    world->active.placed = 0; // bodies that do not move are looked at too
}

// Bodies that were placed elsewhere, or for the first time, are where they were before.
static void restore(CnWorld* world, const SearchState* saved) {
    for (int i = 0; i < world->places.count; ++i) {
        CnPlace old = i < saved->place_count ? saved->places[i] : (CnPlace){0};
        if (world->places.data[i].epoch != old.epoch) {
            world->places.data[i] = old;
            forget_shapes(world, i);
        }
    }
    for (int i = 0; i < world->soft_places.count; ++i) {
        world->soft_places.data[i] =
            i < saved->soft_count ? saved->soft_places[i] : (CnSoftPlace){0};
    }
    for (int i = 0; i < world->pairs.records.count; ++i) {
        world->pairs.records.data[i].end_gap =
            i < saved->record_count ? saved->end_gap[i] : HUGE_VAL;
    }
}

// With memory from the arena. -1: there is none.
static int find(CnWorld* world, CnContactArray* found) {
    CnBodyState* states = CN_ARENA_RAW(&world->arena, CnBodyState, world->order.count);
    SearchState saved;
    if (states == NULL || !save(world, &saved)) {
        return -1;
    }
    for (int i = 0; i < world->order.count; ++i) {
        states[i] = cn_world_body_by_index(world, i)->state;
    }
    CnStatus status = cn_world_collect_everything(world, states, found);
    restore(world, &saved);
    return status == CN_OK ? found->count : -1;
}

int cn_world_find_contacts(CnWorld* world, CnContactPoint* points, int capacity) {
    if (cn_world_check_idle(world, NULL) != CN_OK) { // the step is using the memory for this
        return -1;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnContactArray* found = &world->correction.contacts;
    int count = find(world, found);
    for (int i = 0; i < count && i < capacity; ++i) {
        points[i] = cn_contact_describe(world, &found->data[i]);
    }
    cn_arena_release(&world->arena, mark);
    return count;
}
