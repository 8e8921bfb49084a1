// active.c - the bodies that a step moves, and arrays in which all the others stay as written.
#include "world/bodies/active.h"

#include "base/tasks.h"
#include "world/world.h"

// States that are copied by one task.
#define STATES_PER_TASK 256

void cn_active_change(CnWorld* world) {
    ++world->active.version;
}

// A sleeper does not move: it has potential energy alone.
static void add_sleeper(CnWorld* world, int index) {
    CnActive* active = &world->active;
    const CnBody* body = &world->bodies.data[index];
    double potential = -cn_sleep_mass(world, index) *
                       cn_vec3_dot(cn_body_gravity(world, body), body->state.center);
    active->sleeping_energy += potential;
    active->sleeping_scale += fabs(potential);
}

static void list_bodies(CnWorld* world) {
    CnActive* active = &world->active;
    active->bodies.count = 0;
    active->sleeping_energy = active->sleeping_scale = 0.0;
    for (int i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.data[i].type != CN_BODY_STATIC) {
            active->bodies.data[active->bodies.count++] = i;
        } else if (world->bodies.data[i].sleep.is_asleep) {
            add_sleeper(world, i);
        }
    }
}

static void list_constraints(CnWorld* world) {
    CnIntArray* list = &world->active.constraints;
    list->count = 0;
    world->active.constraint_memory = 0;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        world->active.constraint_memory += cn_constraint_memory(constraint);
        if (!cn_sleep_are_idle(world, constraint->body_a, constraint->body_b)) {
            list->data[list->count++] = i;
        }
    }
}

static void list_joints(CnWorld* world) {
    CnIntArray* list = &world->active.joints;
    list->count = 0;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i]));
        if (!cn_sleep_are_idle(world, joint->body_a, joint->body_b)) {
            list->data[list->count++] = i;
        }
    }
}

CnStatus cn_active_update(CnWorld* world) {
    CnActive* active = &world->active;
    if (active->listed == active->version) {
        return CN_OK;
    }
    active->listed = 0;
    if (!cn_array_reserve(&active->bodies, &world->allocator, world->bodies.count) ||
        !cn_array_reserve(&active->joints, &world->allocator, world->joint_order.count) ||
        !cn_array_reserve(&active->constraints, &world->allocator,
                          cn_pool_slot_count(&world->constraints))) {
        return CN_NO_MEMORY;
    }
    list_bodies(world);
    list_constraints(world);
    list_joints(world);
    active->listed = active->version;
    return CN_OK;
}

void cn_active_free(CnWorld* world) {
    cn_array_free(&world->active.bodies, &world->allocator);
    cn_array_free(&world->active.constraints, &world->allocator);
    cn_array_free(&world->active.joints, &world->allocator);
    cn_array_free(&world->active.pairs, &world->allocator);
    for (int i = 0; i < CN_STATE_BUFFER_COUNT; ++i) {
        cn_array_free(&world->state_buffers[i].states, &world->allocator);
    }
}

CnIndexList cn_active_bodies(const CnWorld* world) {
    return (CnIndexList){world->active.bodies.data, world->active.bodies.count};
}

CnIndexList cn_active_bodies_since(const CnWorld* world, uint32_t version) {
    const CnActive* active = &world->active;
    return version == active->version && active->listed == version
               ? cn_active_bodies(world)
               : (CnIndexList){NULL, world->bodies.count};
}

CnStatus cn_active_list_pairs(CnWorld* world, bool is_new) {
    CnActive* active = &world->active;
    const CnPairSet* set = &world->broad_phase.set;
    active->lists_pairs = world->sleeping.bodies > 0;
    if (!active->lists_pairs || (!is_new && active->paired == active->version)) {
        return CN_OK;
    }
    active->paired = 0;
    active->pairs.count = 0;
    if (!cn_array_reserve(&active->pairs, &world->allocator, set->pairs.count)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < set->pairs.count; ++i) {
        if (!cn_sleep_is_pair_idle(world, &world->pairs.records.data[set->records.data[i]])) {
            active->pairs.data[active->pairs.count++] = i;
        }
    }
    active->paired = active->version;
    return CN_OK;
}

CnIndexList cn_active_pairs(const CnWorld* world) {
    const CnActive* active = &world->active;
    return active->lists_pairs ? (CnIndexList){active->pairs.data, active->pairs.count}
                               : (CnIndexList){NULL, world->broad_phase.set.pairs.count};
}

CnIndexList cn_step_bodies(const CnWorld* world) {
    return cn_active_bodies_since(world, world->step.version);
}

CnBodyState* cn_world_states(CnWorld* world, CnStateBufferName name) {
    CnStateBuffer* buffer = &world->state_buffers[name];
    int count = world->bodies.count;
    if (!cn_array_reserve(&buffer->states, &world->allocator, count > 0 ? count : 1)) {
        return NULL;
    }
    if (buffer->version != world->active.version) {
        for (int i = 0; i < count; ++i) {
            buffer->states.data[i] = world->bodies.data[i].state;
        }
        buffer->version = world->active.version;
    }
    return buffer->states.data;
}

typedef struct Reading {
    const CnWorld* world;
    CnIndexList list;
    CnBodyState* states; // [bodies]
} Reading;

static void read_range(int begin, int end, int worker, void* data) {
    const Reading* reading = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&reading->list, k);
        reading->states[i] = reading->world->bodies.data[i].state;
    }
}

CnBodyState* cn_world_present_states(CnWorld* world, CnStateBufferName name) {
    CnBodyState* states = cn_world_states(world, name);
    if (states != NULL) {
        Reading reading = {world, cn_active_bodies_since(world, world->active.listed), states};
        cn_tasks_for(&world->def.tasks, reading.list.count, STATES_PER_TASK, read_range, &reading);
    }
    return states;
}
