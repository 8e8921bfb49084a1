// rollback.c - a world as a step finds it, to go back to should the step fail.
//
// A step changes: time, states and places of bodies; results and memory of constraints; pair
// records and manifolds, which save themselves (pair_store.h); the buffers from which the last step
// can be read; events; warnings; the fat boxes of the broad phase, which only save work and may
// stay.
#include "world/step/rollback.h"

#include "world/bodies/body_settings.h"
#include "world/step/warnings.h"

#include <string.h>

static void swap_steps(CnWorld* world) {
    CnStep step = world->step;
    CnContactTotals totals = world->contact_totals;
    world->step = world->spare_step;
    world->contact_totals = world->spare_totals;
    world->spare_step = step;
    world->spare_totals = totals;
    // Scratch of a step that nobody reads afterwards: there is one of it.
    world->step.motions = step.motions;
    world->spare_step.motions.data = NULL;
    world->spare_step.motions.count = world->spare_step.motions.capacity = 0;
}

// What a step may change of a constraint: its results, and its data if they advance.
static size_t memory_size(const CnUserConstraint* constraint) {
    size_t results = sizeof constraint->impulse + sizeof constraint->value +
                     sizeof constraint->kept + sizeof constraint->residual;
    return results + (constraint->kind->advance == NULL ? 0 : constraint->data_size);
}

static unsigned char* copy(void* to, const void* from, size_t size, unsigned char* end) {
    if (size > 0) {
        memcpy(to, from, size);
    }
    return end + size;
}

static unsigned char* save_constraint(const CnUserConstraint* constraint, unsigned char* memory) {
    bool advances = constraint->kind->advance != NULL;
    memory = copy(memory, constraint->impulse, sizeof constraint->impulse, memory);
    memory = copy(memory, constraint->value, sizeof constraint->value, memory);
    memory = copy(memory, constraint->kept, sizeof constraint->kept, memory);
    memory = copy(memory, &constraint->residual, sizeof constraint->residual, memory);
    return copy(memory, constraint->data, advances ? constraint->data_size : 0, memory);
}

static unsigned char* restore_constraint(CnUserConstraint* constraint, unsigned char* memory) {
    bool advances = constraint->kind->advance != NULL;
    memory = copy(constraint->impulse, memory, sizeof constraint->impulse, memory);
    memory = copy(constraint->value, memory, sizeof constraint->value, memory);
    memory = copy(constraint->kept, memory, sizeof constraint->kept, memory);
    memory = copy(&constraint->residual, memory, sizeof constraint->residual, memory);
    return copy(constraint->data, memory, advances ? constraint->data_size : 0, memory);
}

static size_t constraints_size(const CnWorld* world) {
    size_t size = 0;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        size += constraint == NULL ? 0 : memory_size(constraint);
    }
    return size;
}

CnStatus cn_rollback_begin(CnWorld* world, CnRollback* rollback) {
    *rollback = (CnRollback){
        .time = world->time,
        .whole_dt = world->whole_dt,
        .kept_dt = world->kept_dt,
        .tile_posing = world->tile_posing,
        .place_count = world->places.count,
        .posed_count = world->posed.count,
        .places = CN_ARENA_RAW(&world->arena, CnPlace, world->places.count),
        .posed = CN_ARENA_RAW(&world->arena, CnTransform, world->posed.count),
        .states = CN_ARENA_RAW(&world->arena, CnBodyState, world->order.count),
        .sleep = CN_ARENA_RAW(&world->arena, CnSleep, world->order.count),
        .sleeping = world->sleeping,
        .constraint = cn_arena_allocate(&world->arena, constraints_size(world), 1),
    };
    if (rollback->states == NULL || rollback->constraint == NULL || rollback->places == NULL ||
        rollback->posed == NULL || rollback->sleep == NULL) {
        return CN_NO_MEMORY;
    }
    copy(rollback->places, world->places.data, sizeof(CnPlace) * (size_t)world->places.count, NULL);
    copy(rollback->posed, world->posed.data, sizeof(CnTransform) * (size_t)world->posed.count,
         NULL);
    for (int i = 0; i < world->order.count; ++i) {
        rollback->states[i] = cn_world_body_by_index(world, i)->state;
        rollback->sleep[i] = cn_world_body_by_index(world, i)->sleep;
    }
    unsigned char* memory = rollback->constraint;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        memory = constraint == NULL ? memory : save_constraint(constraint, memory);
    }
    cn_pair_store_begin(&world->pairs);
    swap_steps(world);
    return CN_OK;
}

// Pairs stay lost that nothing is kept of, as those of shapes that were removed before the step: a
// slot may be another shape's by now.
static void forget_gone(CnWorld* world) {
    CnPairSet* set = &world->broad_phase.set;
    int kept = 0;
    for (int i = 0; i < set->lost.count; ++i) {
        int record = set->lost_records.data[i];
        if (record == CN_NO_RECORD) {
            continue;
        }
        if (world->pairs.records.data[record].is_gone) {
            cn_pair_store_drop_record(&world->pairs, record);
            continue;
        }
        set->lost.data[kept] = set->lost.data[i];
        set->lost_records.data[kept++] = record;
    }
    set->lost.count = set->lost_records.count = kept;
}

// Pairs that the step found have no record again, those that it lost are back.
static void restore_contacts(CnWorld* world, const CnRollback* rollback) {
    CnPairSet* set = &world->broad_phase.set;
    cn_pair_store_restore(&world->pairs);
    forget_gone(world);
    cn_pair_set_restore_lost(set);
    for (int i = 0; i < set->pairs.count; ++i) {
        int record = set->records.data[i];
        if (record != CN_NO_RECORD && !world->pairs.records.data[record].in_use) {
            set->records.data[i] = CN_NO_RECORD;
        }
    }
    world->broad_phase.has_new_pairs = true;
    copy(world->places.data, rollback->places, sizeof(CnPlace) * (size_t)rollback->place_count,
         NULL);
    copy(world->posed.data, rollback->posed, sizeof(CnTransform) * (size_t)rollback->posed_count,
         NULL);
    world->places.count = rollback->place_count;
    world->posed.count = rollback->posed_count;
    for (int i = 0; i < world->shape_places.count; ++i) { // epochs are counted again
        world->shape_places.data[i].epoch = 0;
    }
    world->kept_dt = rollback->kept_dt;
    world->tile_posing = rollback->tile_posing;
    world->islands.links.count = -1; // to be found anew
    world->assembled.is_valid = false;
}

// Those that woke sleep on, those that fell asleep do not.
static void restore_sleep(CnWorld* world, const CnRollback* rollback) {
    world->sleeping = rollback->sleeping;
    for (int i = 0; i < world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(world, i);
        bool changed = body->sleep.is_asleep != rollback->sleep[i].is_asleep;
        body->sleep = rollback->sleep[i];
        body->sleep.is_placed = false;
        if (changed) {
            cn_body_show_type(world, i);
        }
    }
}

void cn_rollback_restore(CnWorld* world, const CnRollback* rollback) {
    world->time = rollback->time;
    world->whole_dt = rollback->whole_dt;
    for (int i = 0; i < world->order.count; ++i) {
        cn_world_body_by_index(world, i)->state = rollback->states[i];
    }
    restore_sleep(world, rollback);
    unsigned char* memory = rollback->constraint;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        memory = constraint == NULL ? memory : restore_constraint(constraint, memory);
    }
    restore_contacts(world, rollback);
    swap_steps(world);
    cn_warnings_restore(world, 0);
}

void cn_rollback_commit(CnWorld* world) {
    CnPairSet* set = &world->broad_phase.set;
    for (int i = 0; i < set->lost.count; ++i) {
        if (set->lost_records.data[i] != CN_NO_RECORD) {
            cn_pair_store_drop_record(&world->pairs, set->lost_records.data[i]);
        }
    }
    cn_pair_set_forget_lost(set);
    cn_pair_store_commit(&world->pairs);
}
