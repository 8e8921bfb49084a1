// memory.c - all that the next step of a world reads, to and from bytes.
//
// Names, geometry, functions and user data are left alone: they are what a world is made of.
#include "world/state/memory.h"

#include "base/error.h"
#include "world/bodies/body_shapes.h"
#include "world/state/joints.h"

#include <string.h>

#define MAX_SOLVER_NAME 64

// Slots of a pool that are read and written in one go.
#define PART 256

static void write_slots(CnStateStream* stream, const CnPool* pool) {
    int count = cn_pool_slot_count(pool);
    for (int first = 0; first < count; first += PART) {
        int size = count - first < PART ? count - first : PART;
        cn_stream_records(stream, &cn_layout_slot, pool->slots.data + first, size);
    }
}

// Reads slots of things that the world has already: those in use must be the same.
static void read_slots(CnStateStream* stream, CnPool* pool) {
    CnPoolSlot part[PART];
    int count = cn_pool_slot_count(pool);
    for (int first = 0; cn_stream_is_good(stream) && first < count; first += PART) {
        int size = count - first < PART ? count - first : PART;
        cn_stream_records(stream, &cn_layout_slot, part, size);
        for (int i = 0; cn_stream_is_good(stream) && i < size; ++i) {
            CnPoolSlot* own = &pool->slots.data[first + i];
            bool is_used = own->generation % 2 == 1 || part[i].generation % 2 == 1;
            stream->is_other = is_used && own->generation != part[i].generation;
            *own = stream->is_other ? *own : part[i];
        }
    }
}

static void stream_slots(CnStateStream* stream, CnPool* pool) {
    int count = cn_pool_slot_count(pool);
    cn_stream_int(stream, &count);
    if (count != cn_pool_slot_count(pool)) {
        stream->is_other = true;
        return;
    }
    if (stream->is_reading) {
        read_slots(stream, pool);
    } else {
        write_slots(stream, pool);
    }
    cn_stream_int(stream, &pool->first_free);
    cn_stream_int(stream, &pool->count);
}

// Slots and elements, free ones too.
void cn_stream_pool(CnStateStream* stream, const CnLayout* layout, CnPool* pool) {
    stream_slots(stream, pool);
    if (cn_stream_is_good(stream)) {
        cn_stream_records(stream, layout, pool->elements, cn_pool_slot_count(pool));
    }
}

// The same for elements without pointers; the world may have had more or fewer.
static void stream_plain_pool(CnStateStream* stream, const CnLayout* layout, CnPool* pool) {
    int count = cn_pool_slot_count(pool), capacity = 0;
    cn_stream_array(stream, &cn_layout_slot, &pool->slots, &pool->allocator);
    if (stream->is_reading && cn_stream_is_good(stream) && pool->slots.count > count) {
        cn_release(&pool->allocator, pool->elements);
        pool->elements = NULL;
        stream->lacks_memory =
            !cn_array_reserve_bytes((void**)&pool->elements, &capacity, 0, pool->slots.capacity,
                                    pool->element_size, &pool->allocator);
    }
    cn_stream_int(stream, &pool->first_free);
    cn_stream_int(stream, &pool->count);
    if (cn_stream_is_good(stream) && pool->slots.count > 0) {
        cn_stream_records(stream, layout, pool->elements, pool->slots.count);
    }
}

// An array whose length the world has already.
static void stream_known(CnStateStream* stream, const CnLayout* layout, void* data, int count) {
    int own = count;
    cn_stream_int(stream, &own);
    stream->is_other = stream->is_other || own != count;
    if (cn_stream_is_good(stream)) {
        cn_stream_records(stream, layout, data, count);
    }
}

// What a world knows of its bodies by number is counted, not read.
static void count_bodies(CnWorld* world) {
    world->fast_count = world->exact_count = world->damped_count = 0;
    world->sleeping.bodies = 0;
    for (int i = 0; i < world->bodies.count; ++i) {
        const CnBody* body = &world->bodies.data[i];
        world->fast_count += body->fast;
        world->exact_count += body->exact;
        world->damped_count += cn_body_is_damped(body);
        world->sleeping.bodies += body->sleep.is_asleep;
    }
}

static void stream_mass(CnStateStream* stream, CnSharedStore* store, const CnMass** mass) {
    CnMassProperties properties = (*mass)->properties;
    cn_stream_records(stream, &cn_layout_mass, &properties, 1);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        const CnMass* read = cn_mass_take(store, &properties);
        stream->lacks_memory = read == NULL;
        if (read != NULL) {
            cn_mass_drop(store, *mass);
            *mass = read;
        }
    }
}

// Of each body what it was given and what it has.
static void stream_masses(CnStateStream* stream, CnWorld* world) {
    for (int i = 0; cn_stream_is_good(stream) && i < world->details.count; ++i) {
        CnBody* body = &world->bodies.data[i];
        stream_mass(stream, &world->masses, &world->details.data[i].given);
        stream_mass(stream, &world->masses, &world->details.data[i].mass);
        if (stream->is_reading) {
            body->mass = body->type == CN_BODY_DYNAMIC ? world->details.data[i].mass : &cn_no_mass;
        }
    }
}

// What shapes are like may have changed since they were made; free slots write zeros.
static void stream_shapes(CnStateStream* stream, CnWorld* world) {
    CnShape part[PART];
    int count = cn_pool_slot_count(&world->shapes);
    cn_stream_pool(stream, &cn_layout_shape, &world->shapes);
    for (int first = 0; cn_stream_is_good(stream) && first < count; first += PART) {
        int size = count - first < PART ? count - first : PART;
        for (int i = 0; i < size; ++i) {
            const CnWorldShape* shape = cn_pool_at(&world->shapes, first + i);
            part[i] = shape == NULL ? (CnShape){0} : *shape->shape;
        }
        cn_stream_records(stream, &cn_layout_shape_record, part, size);
        for (int i = 0; stream->is_reading && cn_stream_is_good(stream) && i < size; ++i) {
            if (cn_pool_at(&world->shapes, first + i) != NULL) {
                const CnShape* taken = cn_shape_take(world, &part[i]);
                stream->lacks_memory = taken == NULL;
                if (taken != NULL) {
                    cn_shape_change(world, first + i, taken);
                }
            }
        }
    }
}

static void stream_bodies(CnStateStream* stream, CnWorld* world) {
    stream_known(stream, &cn_layout_body, world->bodies.data, world->bodies.count);
    stream_known(stream, &cn_layout_details, world->details.data, world->details.count);
    stream_masses(stream, world);
    cn_stream_array(stream, &cn_layout_applied, &world->applied, &world->allocator);
    cn_stream_array(stream, &cn_layout_kept_velocity, &world->kept_velocities, &world->allocator);
    if (stream->is_reading) {
        count_bodies(world);
    }
    cn_stream_int(stream, &world->sleeping.islands);
    stream->is_damaged = stream->is_damaged || world->sleeping.islands < 0 ||
                         world->sleeping.islands > world->sleeping.bodies;
    cn_stream_bool(stream, &world->sleeping.is_met);
    stream_slots(stream, &world->body_indices);
    stream_shapes(stream, world);
    cn_stream_pool(stream, &cn_layout_given, &world->given_contacts);
    cn_stream_pool(stream, &cn_layout_material, &world->materials);
    cn_stream_pool(stream, &cn_layout_force, &world->forces);
    cn_stream_array(stream, &cn_layout_material_pair, &world->material_pairs, &world->allocator);
    for (int i = 0; i < CN_LINK_KIND_COUNT; ++i) {
        cn_stream_array(stream, &cn_layout_link, &world->links[i], &world->allocator);
    }
}

static void stream_broad_phase(CnStateStream* stream, CnBroadPhase* phase) {
    const CnAllocator* allocator = &phase->allocator;
    cn_stream_array(stream, &cn_layout_proxy, &phase->proxies, allocator);
    cn_stream_array(stream, &cn_layout_float_box, &phase->fat, allocator);
    cn_stream_array(stream, &cn_layout_byte, &phase->stirred, allocator);
    cn_stream_array(stream, &cn_layout_int, &phase->unbounded, allocator);
    cn_stream_u32(stream, &phase->update_count);
    cn_stream_bool(stream, &phase->is_stirred);
    cn_stream_bool(stream, &phase->complete);
    cn_stream_bool(stream, &phase->has_new_pairs);
    cn_stream_array(stream, &cn_layout_pair, &phase->set.pairs, allocator);
    cn_stream_array(stream, &cn_layout_int, &phase->set.records, allocator);
}

static void stream_manifolds(CnStateStream* stream, CnPairStore* store) {
    CnManifoldArray* array = &store->manifolds;
    bool has_rows = cn_pair_store_has_rows(store);
    cn_stream_bool(stream, &has_rows);
    array->size = has_rows ? sizeof(CnManifold) : CN_MANIFOLD_FRAME;
    cn_stream_array_bytes(stream, has_rows ? &cn_layout_manifold : &cn_layout_manifold_frame,
                          &array->data, &array->count, &array->capacity, &store->allocator);
}

static void stream_pairs(CnStateStream* stream, CnPairStore* store) {
    const CnAllocator* allocator = &store->allocator;
    cn_stream_array(stream, &cn_layout_record, &store->records, allocator);
    stream_manifolds(stream, store);
    cn_stream_bool(stream, &store->has_extras);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        int count = store->has_extras ? store->manifolds.count : 0;
        stream->lacks_memory = !cn_array_reserve(&store->extras, allocator, count);
        store->extras.count = count;
    }
    for (int i = 0; cn_stream_is_good(stream) && i < store->extras.count; ++i) {
        cn_stream_records(stream, &cn_layout_extras, store->extras.data[i].points, CN_TILE_POINTS);
        cn_stream_records(stream, &cn_layout_slide, &store->extras.data[i].slide, 1);
    }
    cn_stream_bool(stream, &store->keeps_apart);
    cn_stream_array(stream, &cn_layout_kept_impulses, &store->kept, allocator);
    cn_stream_array(stream, &cn_layout_frame_impulses, &store->frames, allocator);
    cn_stream_array(stream, &cn_layout_int, &store->heads, allocator);
    cn_stream_int(stream, &store->free_record);
    cn_stream_int(stream, &store->free_manifold);
    cn_stream_u32(stream, &store->step);
}

static void stream_places(CnStateStream* stream, CnWorld* world) {
    const CnAllocator* allocator = &world->allocator;
    cn_stream_array(stream, &cn_layout_place, &world->places, allocator);
    cn_stream_array(stream, &cn_layout_soft_place, &world->soft_places, allocator);
    cn_stream_array(stream, &cn_layout_transform, &world->posed, allocator);
    cn_stream_array(stream, &cn_layout_shape_place, &world->shape_places, allocator);
}

static void stream_events(CnStateStream* stream, CnWorld* world) {
    cn_stream_array(stream, &cn_layout_event, &world->events.kept.events, &world->allocator);
    cn_stream_array(stream, &cn_layout_rare_event, &world->events.kept.rare, &world->allocator);
    cn_stream_array(stream, &cn_layout_pending_end, &world->events.pending, &world->allocator);
    cn_stream_records(stream, &cn_layout_warning, world->warnings.kinds, CN_WARNING_KIND_COUNT);
    for (int i = 0; stream->is_reading && i < CN_WARNING_KIND_COUNT; ++i) {
        world->warnings.kinds[i].message[sizeof world->warnings.kinds[i].message - 1] = '\0';
    }
}

void cn_stream_memory(CnStateStream* stream, CnWorld* world) {
    cn_stream_doubles(stream, &world->time, 1);
    cn_stream_doubles(stream, &world->kept_dt, 1);
    cn_stream_doubles(stream, &world->drift, 1);
    cn_stream_u32(stream, &world->collections);
    cn_stream_doubles(stream, &world->whole_dt, 1);
    cn_stream_bool(stream, &world->tile_posing.is_valid);
    cn_stream_doubles(stream, &world->tile_posing.dt, 1);
    cn_stream_doubles(stream, &world->tile_posing.theta, 1);
    cn_stream_i64(stream, &world->steps_made);
    cn_stream_i64(stream, &world->turns_counted);
    cn_stream_int(stream, &world->next_turn);
    cn_stream_doubles(stream, &world->loop.remainder, 1);
    cn_stream_i64(stream, &world->loop.step);
    cn_stream_array(stream, &cn_layout_pose_before, &world->loop.before, &world->allocator);
    stream_bodies(stream, world);
    cn_stream_joints(stream, world);
    stream_plain_pool(stream, &cn_layout_separation, &world->separations);
    stream_broad_phase(stream, &world->broad_phase);
    stream_pairs(stream, &world->pairs);
    stream_places(stream, world);
    stream_events(stream, world);
}

CnStatus cn_stream_settings(CnStateStream* stream, CnWorld* world, CnError* error) {
    CnWorldDef def = world->def;
    char name[MAX_SOLVER_NAME] = "";
    strncpy(name, def.solver.name, sizeof name - 1);
    cn_stream_doubles(stream, &def.gravity.x, 3);
    cn_stream_records(stream, &cn_layout_step_def, &def.step, 1);
    cn_stream_records(stream, &cn_layout_solver_def, &def.solver, 1);
    cn_stream_bytes(stream, name, sizeof name);
    if (!stream->is_reading || !cn_stream_is_good(stream)) {
        return CN_OK;
    }
    name[sizeof name - 1] = '\0';
    def.solver.name = name;
    CnStatus status = cn_world_set_gravity(world, def.gravity, error);
    if (status == CN_OK) {
        status = cn_world_set_step(world, &def.step, error);
    }
    return status == CN_OK ? cn_world_set_solver(world, &def.solver, error) : status;
}
