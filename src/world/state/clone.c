// clone.c - another world like this one, to the last bit.
#include "world/state/clone.h"

#include "base/error.h"
#include "base/guard.h"
#include "cairn/state.h"
#include "collision/broad/broad_phase.h"
#include "world/events/events.h"
#include "world/soft/soft_pack.h"
#include "world/state/rebuild.h"

static bool clone_places(CnWorld* to, const CnWorld* from) {
    const CnAllocator* allocator = &to->allocator;
    if (!cn_array_copy(&to->places, allocator, &from->places) ||
        !cn_array_copy(&to->soft_places, allocator, &from->soft_places) ||
        !cn_array_copy(&to->posed, allocator, &from->posed) ||
        !cn_array_copy(&to->shape_places, allocator, &from->shape_places)) {
        return false;
    }
    cn_state_forget_contacts(to);
    cn_state_place_shapes(to);
    return true;
}

static bool clone_events(CnWorld* to, const CnWorld* from) {
    const CnEventList* kept = &from->events.kept;
    return cn_array_copy(&to->events.kept.events, &to->allocator, &kept->events) &&
           cn_array_copy(&to->events.kept.rare, &to->allocator, &kept->rare) &&
           cn_array_copy(&to->events.pending, &to->allocator, &from->events.pending);
}

// What the steps so far have left behind.
static bool clone_memory(CnWorld* to, const CnWorld* from) {
    to->time = from->time;
    to->kept_dt = from->kept_dt;
    to->drift = from->drift;
    to->collections = from->collections;
    to->whole_dt = from->whole_dt;
    to->tile_posing = from->tile_posing;
    to->steps_made = from->steps_made;
    to->turns_counted = from->turns_counted;
    to->next_turn = from->next_turn;
    to->warnings = from->warnings;
    to->loop.remainder = from->loop.remainder;
    to->loop.step = from->loop.step;
    return cn_array_copy(&to->loop.before, &to->allocator, &from->loop.before) &&
           cn_broad_phase_copy(&to->broad_phase, &from->broad_phase) &&
           cn_pair_store_copy(&to->pairs, &from->pairs) && clone_places(to, from) &&
           clone_events(to, from);
}

static CnWorld* clone(const CnWorld* world, const CnWorldDef* def, bool with_memory,
                      CnError* error) {
    CnWorld* other = cn_world_create(def, error);
    if (other == NULL) {
        return NULL;
    }
    if (!cn_clone_things(other, world) || (with_memory && !clone_memory(other, world))) {
        cn_world_destroy(other);
        cn_error_set(error, CN_NO_MEMORY, "no memory for another world of %d bodies",
                     world->order.count);
        return NULL;
    }
    return other;
}

CnWorld* cn_clone_without_memory(const CnWorld* world, CnError* error) {
    return clone(world, &world->def, false, error);
}

CnWorld* cn_world_clone(const CnWorld* world, const CnWorldDef* hooks, CnError* error) {
    CnWorldDef def = world->def;
    if (cn_world_check_idle(world, error) != CN_OK) {
        return NULL;
    }
    if (!cn_soft_reserve_flush((CnWorld*)world)) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for the impulses of contacts");
        return NULL;
    }
    cn_soft_flush((CnWorld*)world);
    if (hooks != NULL && hooks->guard != CN_DEF_GUARD) {
        cn_error_set(error, CN_INVALID, "hooks were not made by cn_world_def_default()");
        return NULL;
    }
    if (hooks != NULL) {
        def.allocator = hooks->allocator;
        def.log = hooks->log;
        def.tasks = hooks->tasks;
    }
    return clone(world, &def, true, error);
}
