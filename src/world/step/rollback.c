// rollback.c - a world as a step finds it, to go back to should the step fail.
//
// A step changes: time and states of bodies; results and memory of constraints; impulses kept for
// warm starting; the buffers from which the last step can be read; events; warnings; the broad
// phase, which only saves work and may stay as it is.
#include "world/step/rollback.h"

#include "world/step/warnings.h"

#include <string.h>

static void swap_steps(CnWorld* world) {
    CnStep step = world->step;
    CnContactTotals totals = world->contact_totals;
    world->step = world->spare_step;
    world->contact_totals = world->spare_totals;
    world->spare_step = step;
    world->spare_totals = totals;
}

// What a step may change of a constraint: its results, and its data if they advance.
static size_t memory_size(const CnUserConstraint* constraint) {
    size_t results = sizeof constraint->impulse + sizeof constraint->value;
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
    return copy(memory, constraint->data, advances ? constraint->data_size : 0, memory);
}

static unsigned char* restore_constraint(CnUserConstraint* constraint, unsigned char* memory) {
    bool advances = constraint->kind->advance != NULL;
    memory = copy(constraint->impulse, memory, sizeof constraint->impulse, memory);
    memory = copy(constraint->value, memory, sizeof constraint->value, memory);
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
        .states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count),
        .constraint = cn_arena_allocate(&world->arena, constraints_size(world), 1),
    };
    if (rollback->states == NULL || rollback->constraint == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < world->order.count; ++i) {
        rollback->states[i] = cn_world_body_by_index(world, i)->state;
    }
    unsigned char* memory = rollback->constraint;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        memory = constraint == NULL ? memory : save_constraint(constraint, memory);
    }
    world->start_cache = world->cache;
    swap_steps(world);
    return CN_OK;
}

void cn_rollback_restore(CnWorld* world, const CnRollback* rollback) {
    world->time = rollback->time;
    world->whole_dt = rollback->whole_dt;
    for (int i = 0; i < world->order.count; ++i) {
        cn_world_body_by_index(world, i)->state = rollback->states[i];
    }
    unsigned char* memory = rollback->constraint;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        memory = constraint == NULL ? memory : restore_constraint(constraint, memory);
    }
    world->cache = world->start_cache;
    swap_steps(world);
    cn_warnings_restore(world, 0);
}
