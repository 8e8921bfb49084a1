// memory.c - all that the next step of a world reads, to and from bytes.
//
// Names, geometry, functions and user data are left alone: they are what a world is made of. Curves
// of series, which parts of joints point into, are found again by the ids of the series.
#include "world/state/memory.h"

#include "base/error.h"
#include "world/constraints/joint.h"

#include <string.h>

#define MAX_SOLVER_NAME 64

static void stream_slots(CnStateStream* stream, CnPool* pool) {
    int count = cn_pool_slot_count(pool);
    cn_stream_int(stream, &count);
    if (count != cn_pool_slot_count(pool)) {
        stream->is_other = true;
        return;
    }
    cn_stream_records(stream, &cn_layout_slot, pool->slots.data, count);
    cn_stream_int(stream, &pool->first_free);
    cn_stream_int(stream, &pool->count);
}

// Slots and elements, free ones too.
static void stream_pool(CnStateStream* stream, const CnLayout* layout, CnPool* pool) {
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

static void stream_bodies(CnStateStream* stream, CnWorld* world) {
    stream_known(stream, &cn_layout_body, world->bodies.data, world->bodies.count);
    stream_known(stream, &cn_layout_details, world->details.data, world->details.count);
    cn_stream_array(stream, &cn_layout_applied, &world->applied, &world->allocator);
    cn_stream_int(stream, &world->fast_count);
    cn_stream_int(stream, &world->sleeping.bodies);
    cn_stream_int(stream, &world->sleeping.islands);
    stream_slots(stream, &world->body_indices);
    stream_pool(stream, &cn_layout_shape, &world->shapes);
    stream_pool(stream, &cn_layout_given, &world->given_contacts);
    cn_stream_array(stream, &cn_layout_material_pair, &world->material_pairs, &world->allocator);
    for (int i = 0; i < CN_LINK_KIND_COUNT; ++i) {
        cn_stream_array(stream, &cn_layout_link, &world->links[i], &world->allocator);
    }
}

static void stream_row(CnStateStream* stream, CnJointRow* row) {
    cn_stream_records(stream, &cn_layout_row, row, 1);
    cn_stream_records(stream, &cn_layout_term, row->terms, 2);
}

static CnCurve curve_of(const CnWorld* world, CnSeriesId id) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(id));
    return series == NULL ? (CnCurve){0} : series->curve;
}

static void stream_kept_part(CnStateStream* stream, CnJointPart* part, bool is_prescribed) {
    for (int i = 0; i < part->row_count; ++i) {
        stream_row(stream, &cn_joint_part_rows(part)[i]);
    }
    if (is_prescribed) {
        CnPrescribedPart* prescribed = (void*)part;
        cn_stream_records(stream, &cn_layout_course, prescribed->courses, 3);
    }
}

// What a part must be for a joint to have it in its place.
static const CnConstraintKind* kind_of(const CnJoint* joint, CnConstraintId id,
                                       const CnConstraintKind* own) {
    if (id.index == joint->kept.index) {
        return own;
    }
    if (id.index == joint->limit.index) {
        return cn_axis_part_kind(CN_AXIS_PART_LIMIT);
    }
    for (int i = 0; i < joint->axis_count; ++i) {
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            if (joint->axes[i].parts[k].index == id.index) {
                return cn_axis_part_kind((CnAxisPartType)k);
            }
        }
    }
    return NULL;
}

static void stream_part(CnStateStream* stream, const CnWorld* world, CnConstraintId id,
                        const CnJoint* joint, CnJointPart* part) {
    cn_stream_records(stream, &cn_layout_part, part, 1);
    if (id.index == joint->kept.index) {
        stream_kept_part(stream, part, cn_joint_type_info(joint->type)->course != CN_COURSE_NONE);
        return;
    }
    CnAxisPart* axis = (void*)part;
    stream_row(stream, &axis->row);
    cn_stream_records(stream, &cn_layout_joint_axis, &axis->axis, 1);
    if (stream->is_reading) {
        axis->target = curve_of(world, axis->axis.series);
    }
}

static void stream_joints(CnStateStream* stream, CnWorld* world) {
    stream_pool(stream, &cn_layout_joint, &world->joints);
    for (int i = 0; cn_stream_is_good(stream) && i < cn_pool_slot_count(&world->joints); ++i) {
        CnJoint* joint = cn_pool_at(&world->joints, i);
        for (int k = 0; joint != NULL && k < joint->axis_count; ++k) {
            CnJointFreeAxis* axis = &joint->axes[k];
            cn_stream_records(stream, &cn_layout_free_axis, axis, 1);
            cn_stream_records(stream, &cn_layout_joint_axis, &axis->settings, 1);
            stream_row(stream, &axis->row);
        }
    }
    cn_stream_array(stream, &cn_layout_id, &world->joint_order, &world->allocator);
}

// Joints that broke before the state was made have lost their parts: the world loses them too.
static void drop_parts(CnStateStream* stream, CnWorld* world, const bool* had) {
    CnUserConstraint* constraints = (void*)world->constraints.elements;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        bool has = cn_pool_at(&world->constraints, i) != NULL;
        if (had[i] && !has) {
            cn_release(&world->allocator, constraints[i].name);
            cn_release(&world->allocator, constraints[i].data);
        }
        stream->is_other = stream->is_other || (has && !had[i]);
    }
}

static void stream_constraint_slots(CnStateStream* stream, CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = cn_pool_slot_count(&world->constraints);
    bool* had = CN_ARENA_NEW(&world->arena, bool, count);
    stream->lacks_memory = stream->lacks_memory || had == NULL;
    CnUserConstraint* constraints = (void*)world->constraints.elements;
    for (int i = 0; had != NULL && stream->is_reading && i < count; ++i) {
        had[i] = cn_pool_at(&world->constraints, i) != NULL;
        if (!had[i]) { // names memory that is long gone, should the state have something here
            constraints[i].name = constraints[i].data = NULL;
        }
    }
    stream_slots(stream, &world->constraints);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        drop_parts(stream, world, had);
    }
    cn_arena_release(&world->arena, mark);
}

// Joints come first: they tell what their parts are.
static void stream_constraints(CnStateStream* stream, CnWorld* world) {
    stream_constraint_slots(stream, world);
    cn_stream_records(stream, &cn_layout_constraint, world->constraints.elements,
                      cn_pool_slot_count(&world->constraints));
    for (int i = 0; cn_stream_is_good(stream) && i < cn_pool_slot_count(&world->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        CnPoolId id = cn_pool_id_at(&world->constraints, i);
        const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(constraint->joint));
        if (joint != NULL && kind_of(joint, (CnConstraintId){id.index, id.generation},
                                     constraint->kind) != constraint->kind) {
            stream->is_other = true;
        } else if (joint != NULL) {
            stream_part(stream, world, (CnConstraintId){id.index, id.generation}, joint,
                        constraint->data);
        } else {
            cn_stream_bytes(stream, constraint->data, constraint->data_size);
        }
    }
    cn_stream_array(stream, &cn_layout_id, &world->constraint_order, &world->allocator);
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

static void stream_pairs(CnStateStream* stream, CnPairStore* store) {
    const CnAllocator* allocator = &store->allocator;
    cn_stream_array(stream, &cn_layout_record, &store->records, allocator);
    cn_stream_array(stream, &cn_layout_manifold, &store->manifolds, allocator);
    cn_stream_bool(stream, &store->has_extras);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        int count = store->has_extras ? store->manifolds.count : 0;
        stream->lacks_memory = !cn_array_reserve(&store->extras, allocator, count);
        store->extras.count = count;
    }
    for (int i = 0; cn_stream_is_good(stream) && i < store->extras.count; ++i) {
        cn_stream_records(stream, &cn_layout_extras, store->extras.data[i].points, CN_TILE_POINTS);
    }
    cn_stream_array(stream, &cn_layout_int, &store->heads, allocator);
    cn_stream_int(stream, &store->free_record);
    cn_stream_int(stream, &store->free_manifold);
    cn_stream_u32(stream, &store->step);
}

static void stream_places(CnStateStream* stream, CnWorld* world) {
    const CnAllocator* allocator = &world->allocator;
    cn_stream_array(stream, &cn_layout_place, &world->places, allocator);
    cn_stream_array(stream, &cn_layout_transform, &world->posed, allocator);
    cn_stream_array(stream, &cn_layout_shape_place, &world->shape_places, allocator);
}

static void stream_events(CnStateStream* stream, CnWorld* world) {
    cn_stream_array(stream, &cn_layout_event, &world->events.kept, &world->allocator);
    cn_stream_array(stream, &cn_layout_pending_end, &world->events.pending, &world->allocator);
    cn_stream_records(stream, &cn_layout_warning, world->warnings.kinds, CN_WARNING_KIND_COUNT);
    for (int i = 0; stream->is_reading && i < CN_WARNING_KIND_COUNT; ++i) {
        world->warnings.kinds[i].message[sizeof world->warnings.kinds[i].message - 1] = '\0';
    }
}

void cn_stream_memory(CnStateStream* stream, CnWorld* world) {
    cn_stream_doubles(stream, &world->time, 1);
    cn_stream_doubles(stream, &world->kept_dt, 1);
    cn_stream_u32(stream, &world->collections);
    cn_stream_doubles(stream, &world->whole_dt, 1);
    cn_stream_bool(stream, &world->tile_posing.is_valid);
    cn_stream_doubles(stream, &world->tile_posing.dt, 1);
    cn_stream_doubles(stream, &world->tile_posing.theta, 1);
    cn_stream_i64(stream, &world->steps_made);
    stream_bodies(stream, world);
    stream_joints(stream, world);
    stream_constraints(stream, world);
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
