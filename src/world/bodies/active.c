// active.c - the bodies that a step moves, and arrays in which all the others stay as written.
#include "world/bodies/active.h"

#include "base/tasks.h"
#include "world/step/rollback.h"
#include "world/world.h"

#include <string.h>

// States that are copied by one task.
#define STATES_PER_TASK 256

void cn_active_change(CnWorld* world) {
    CnActive* active = &world->active;
    ++active->version;
    active->change_count = 0;
    active->first_change = active->version + 1;
}

// The older half is forgotten when there is no more room.
void cn_active_change_body(CnWorld* world, int body) {
    CnActive* active = &world->active;
    int half = CN_MOST_CHANGES / 2;
    if (active->change_count == CN_MOST_CHANGES) {
        memmove(active->changed, active->changed + half, (size_t)half * sizeof(int));
        active->change_count = half;
        active->first_change += (uint32_t)half;
    }
    active->changed[active->change_count++] = body;
    ++active->version;
}

// Whether all changes since a version are remembered.
static bool remembers(const CnActive* active, uint32_t version) {
    return version > 0 && version + 1 >= active->first_change && version <= active->version;
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

// What cn_active_shapes() tells of a body.
static int only_shape(const CnWorld* world, int body) {
    const CnBodyDetails* details = &world->details.data[body];
    bool has_one = details->first_shape >= 0 && details->first_shape == details->last_shape;
    return has_one && world->bodies.data[body].type == CN_BODY_DYNAMIC ? details->first_shape
                                                                       : CN_NONE;
}

static void list_bodies(CnWorld* world) {
    CnActive* active = &world->active;
    active->bodies.count = 0;
    active->sleeping_energy = active->sleeping_scale = 0.0;
    for (int i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.data[i].type != CN_BODY_STATIC) {
            active->shapes.data[active->bodies.count] = only_shape(world, i);
            active->bodies.data[active->bodies.count++] = i;
        } else if (world->bodies.data[i].sleep.is_asleep) {
            add_sleeper(world, i);
        }
    }
}

// The place of a body in a list, or where it should be.
static int place_in(const CnIntArray* list, int body) {
    int low = 0, high = list->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list->data[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Puts a body into a list that has room for it, or takes it out.
static void list_body(CnIntArray* list, int body, bool is_listed) {
    int place = place_in(list, body);
    int* at = list->data + place;
    bool was_listed = place < list->count && *at == body;
    if (is_listed && !was_listed) {
        memmove(at + 1, at, (size_t)(list->count++ - place) * sizeof(int));
        *at = body;
    } else if (!is_listed && was_listed) {
        memmove(at, at + 1, (size_t)(--list->count - place) * sizeof(int));
    }
}

// The same in the list of bodies that move, with what is noted of each.
static void list_active(CnWorld* world, int body, bool is_listed) {
    CnActive* active = &world->active;
    int place = place_in(&active->bodies, body), before = active->bodies.count;
    list_body(&active->bodies, body, is_listed);
    int* shape = active->shapes.data + place;
    size_t after = (size_t)(before - place) * sizeof(int);
    if (active->bodies.count > before) {
        memmove(shape + 1, shape, after);
    } else if (active->bodies.count < before) {
        memmove(shape, shape + 1, after - sizeof(int));
    }
    if (is_listed) {
        *shape = only_shape(world, body);
    }
}

// The list, of all bodies or of those that have changed since it was made.
static void update_bodies(CnWorld* world) {
    CnActive* active = &world->active;
    if (!remembers(active, active->listed) || world->sleeping.bodies > 0) {
        list_bodies(world);
        return;
    }
    active->sleeping_energy = active->sleeping_scale = 0.0;
    for (int i = (int)(active->listed + 1 - active->first_change); i < active->change_count; ++i) {
        int body = active->changed[i];
        bool exists = body < world->bodies.count;
        list_active(world, body, exists && world->bodies.data[body].type != CN_BODY_STATIC);
    }
}

static bool is_active(const CnActive* active, int body) {
    int place = place_in(&active->bodies, body);
    return place < active->bodies.count && active->bodies.data[place] == body;
}

// Most bodies that are added or removed move: then the list of those that do has them all.
static void list_recent(CnWorld* world) {
    CnActive* active = &world->active;
    bool differs = false;
    for (int i = 0; !differs && i < active->change_count; ++i) {
        int body = active->changed[i];
        differs = body < world->bodies.count && !is_active(active, body);
    }
    active->recent.count = differs ? active->bodies.count : 0;
    if (active->recent.count > 0) {
        memcpy(active->recent.data, active->bodies.data,
               (size_t)active->bodies.count * sizeof(int));
    }
    for (int i = 0; differs && i < active->change_count; ++i) {
        if (active->changed[i] < world->bodies.count) {
            list_body(&active->recent, active->changed[i], true);
        }
    }
}

static void list_constraints(CnWorld* world) {
    CnActive* active = &world->active;
    active->constraints.count = active->advancing.count = 0;
    active->saved_numbers = 0;
    active->has_conditions = false;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        bool advances = cn_constraint_advances(constraint);
        active->saved_numbers += cn_rollback_numbers(constraint, advances);
        if (cn_constraint_is_idle(world, constraint)) {
            continue;
        }
        active->constraints.data[active->constraints.count++] = i;
        active->has_conditions = active->has_conditions || cn_constraint_has_condition(constraint);
        if (advances) {
            active->advancing.data[active->advancing.count++] = i;
        }
    }
}

static bool is_turning(const CnJoint* joint) {
    bool counts = false;
    for (int i = 0; i < joint->axis_count; ++i) {
        counts = counts || joint->axes[i].row.terms[0].measure->counts_on;
    }
    return counts;
}

static void list_joints(CnWorld* world) {
    CnIntArray *breakable = &world->active.breakable, *turning = &world->active.turning;
    breakable->count = turning->count = 0;
    for (int i = 0; i < world->joint_order.count; ++i) {
        const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i]));
        if (cn_sleep_are_idle(world, joint->body_a, joint->body_b)) {
            continue;
        }
        if (joint->strength > 0.0 || joint->strength_torque > 0.0) {
            breakable->data[breakable->count++] = i;
        }
        if (is_turning(joint)) {
            turning->data[turning->count++] = i;
        }
    }
}

CnStatus cn_active_update(CnWorld* world) {
    CnActive* active = &world->active;
    if (active->listed == active->version) {
        return CN_OK;
    }
    int room = world->bodies.count + 1 + CN_MOST_CHANGES; // one may be listed that is gone
    int constraints = cn_pool_slot_count(&world->constraints);
    if (!cn_array_reserve(&active->bodies, &world->allocator, room) ||
        !cn_array_reserve(&active->shapes, &world->allocator, room) ||
        !cn_array_reserve(&active->recent, &world->allocator, room) ||
        !cn_array_reserve(&active->breakable, &world->allocator, world->joint_order.count) ||
        !cn_array_reserve(&active->turning, &world->allocator, world->joint_order.count) ||
        !cn_array_reserve(&active->constraints, &world->allocator, constraints) ||
        !cn_array_reserve(&active->advancing, &world->allocator, constraints)) {
        active->listed = 0;
        return CN_NO_MEMORY;
    }
    update_bodies(world);
    active->shapes.count = active->bodies.count;
    list_recent(world);
    list_constraints(world);
    list_joints(world);
    active->listed = active->version;
    return CN_OK;
}

void cn_active_free(CnWorld* world) {
    cn_array_free(&world->active.bodies, &world->allocator);
    cn_array_free(&world->active.shapes, &world->allocator);
    cn_array_free(&world->active.recent, &world->allocator);
    cn_array_free(&world->active.constraints, &world->allocator);
    cn_array_free(&world->active.advancing, &world->allocator);
    cn_array_free(&world->active.breakable, &world->allocator);
    cn_array_free(&world->active.turning, &world->allocator);
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
    if (active->listed != active->version || !remembers(active, version)) {
        return (CnIndexList){NULL, world->bodies.count};
    }
    bool is_same = version == active->version || active->recent.count == 0;
    return is_same ? cn_active_bodies(world)
                   : (CnIndexList){active->recent.data, active->recent.count};
}

const int* cn_active_shapes(const CnWorld* world, const CnIndexList* list) {
    const CnActive* active = &world->active;
    bool is_own = list->indices != NULL && list->indices == active->bodies.data;
    return is_own && active->listed == active->version ? active->shapes.data : NULL;
}

CnIndexList cn_active_changes_since(const CnWorld* world, uint32_t version, int* memory) {
    const CnActive* active = &world->active;
    CnIntArray list = {.data = memory};
    if (!remembers(active, version)) {
        return (CnIndexList){NULL, world->bodies.count};
    }
    for (int i = (int)(version + 1 - active->first_change); i < active->change_count; ++i) {
        if (active->changed[i] < world->bodies.count) {
            list_body(&list, active->changed[i], true);
        }
    }
    return (CnIndexList){list.data, list.count};
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
    const CnBodyState* before = buffer->states.data;
    if (!cn_array_reserve(&buffer->states, &world->allocator, count > 0 ? count : 1)) {
        return NULL;
    }
    if (buffer->states.data != before) {
        buffer->version = 0;
    }
    if (buffer->version != world->active.version) {
        int memory[CN_MOST_CHANGES];
        CnIndexList list = cn_active_changes_since(world, buffer->version, memory);
        for (int k = 0; k < list.count; ++k) {
            int i = cn_index_at(&list, k);
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
