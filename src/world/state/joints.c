// joints.c - joints and constraints of a world, with their parts, to and from bytes.
//
// Curves of series, which parts of joints point into, are found again by the ids of the series.
#include "world/state/joints.h"

#include "world/constraints/joint.h"

static void stream_row(CnStateStream* stream, CnJointRow* row) {
    cn_stream_records(stream, &cn_layout_row, row, 1);
    cn_stream_records(stream, &cn_layout_term, row->terms, 2);
}

static void stream_axis(CnStateStream* stream, CnJointAxis* axis) {
    cn_stream_records(stream, &cn_layout_joint_axis, axis, 1);
    stream->is_damaged = stream->is_damaged || (unsigned)axis->motion > CN_AXIS_LOCKED ||
                         (unsigned)axis->motor >= CN_MOTOR_COUNT;
}

static CnCurve curve_of(const CnWorld* world, CnSeriesId id) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(id));
    return series == NULL ? (CnCurve){0} : series->curve;
}

static void stream_kept_part(CnStateStream* stream, CnJointPart* part, CnJointType type) {
    for (int i = 0; i < part->row_count; ++i) {
        stream_row(stream, &cn_joint_part_rows(part)[i]);
    }
    if (type == CN_JOINT_MIMIC) {
        CnMimicPart* mimic = (void*)part;
        cn_stream_records(stream, &cn_layout_mimic, mimic, 1);
        stream_row(stream, &mimic->leader_row);
    }
    if (cn_joint_type_info(type)->course != CN_COURSE_NONE) {
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
        stream_kept_part(stream, part, joint->type);
        return;
    }
    CnAxisPart* axis = (void*)part;
    stream_row(stream, &axis->row);
    stream_axis(stream, &axis->axis);
    if (stream->is_reading) {
        axis->target = curve_of(world, axis->axis.series);
    }
}

static void stream_joints(CnStateStream* stream, CnWorld* world) {
    cn_stream_pool(stream, &cn_layout_joint, &world->joints);
    for (int i = 0; cn_stream_is_good(stream) && i < cn_pool_slot_count(&world->joints); ++i) {
        CnJoint* joint = cn_pool_at(&world->joints, i);
        for (int k = 0; joint != NULL && k < joint->axis_count; ++k) {
            CnJointFreeAxis* axis = &joint->axes[k];
            cn_stream_records(stream, &cn_layout_free_axis, axis, 1);
            stream_axis(stream, &axis->settings);
            stream_row(stream, &axis->row);
        }
    }
}

// What a slot held before the state was read goes, unless the state has the same thing there.
static void drop_part(CnWorld* world, int slot, bool was_used, bool stays) {
    CnUserConstraint* constraint = (CnUserConstraint*)(void*)world->constraints.elements + slot;
    if (was_used && !stays) {
        cn_name_free(&world->allocator, constraint->name);
        cn_release(&world->allocator, constraint->data);
    }
    if (!was_used || !stays) {
        *constraint = (CnUserConstraint){.index = -1}; // whatever was there before, it is gone
    }
}

// Slots of constraints. Parts of joints come and go while a world runs, so that there may be more
// or fewer slots in the state, and other things in them.
static void read_slots(CnStateStream* stream, CnWorld* world) {
    CnPool* pool = &world->constraints;
    int had = cn_pool_slot_count(pool), count = 0;
    cn_stream_int(stream, &count);
    stream->is_damaged =
        stream->is_damaged || !cn_stream_has_records(stream, &cn_layout_slot, count);
    stream->lacks_memory = cn_stream_is_good(stream) && !cn_pool_grow(pool, count);
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnPoolSlot* slots =
        cn_stream_is_good(stream) ? CN_ARENA_NEW(&world->arena, CnPoolSlot, count) : NULL;
    stream->lacks_memory = stream->lacks_memory || (cn_stream_is_good(stream) && slots == NULL);
    cn_stream_records(stream, &cn_layout_slot, slots, count);
    for (int i = 0; cn_stream_is_good(stream) && (i < had || i < count); ++i) {
        CnPoolSlot* own = &pool->slots.data[i];
        bool was_used = own->generation % 2 == 1;
        drop_part(world, i, was_used, i < count && own->generation == slots[i].generation);
        *own = i < count ? slots[i] : (CnPoolSlot){.next_free = -1};
    }
    if (cn_stream_is_good(stream)) {
        pool->slots.count = count;
    }
    cn_arena_release(&world->arena, mark);
}

static void stream_slots(CnStateStream* stream, CnWorld* world) {
    CnPool* pool = &world->constraints;
    int count = cn_pool_slot_count(pool);
    if (stream->is_reading) {
        read_slots(stream, world);
    } else {
        cn_stream_int(stream, &count);
        cn_stream_records(stream, &cn_layout_slot, pool->slots.data, count);
    }
    cn_stream_int(stream, &pool->first_free);
    cn_stream_int(stream, &pool->count);
}

// The part that an axis has in the state and has not here. False: no memory.
static bool make_part(const CnWorld* world, const CnJoint* joint, CnJointId id,
                      const CnJointFreeAxis* axis, CnAxisPartType type,
                      CnUserConstraint* constraint) {
    CnAxisPart* part = cn_allocate(&world->allocator, sizeof *part, 1);
    constraint->kind = cn_axis_part_kind(type);
    constraint->joint = id;
    constraint->body_a = joint->body_a;
    constraint->body_b = joint->body_b;
    constraint->name = cn_world_copy_name(world, joint->name);
    constraint->data = part;
    constraint->data_size = sizeof *part;
    if (part == NULL || constraint->name == NULL) {
        return false;
    }
    *part = (CnAxisPart){
        .part = {.row_count = 1},
        .row = axis->row,
        .spring = joint->spring,
        .spring_data = joint->spring_data,
        .table = curve_of(world, joint->spring_table),
    };
    return true;
}

// What the axes of a joint name as their parts must be such parts; those that are new are made.
static void claim_parts(CnStateStream* stream, CnWorld* world, const CnJoint* joint, CnJointId id) {
    for (int i = 0; i < joint->axis_count * CN_AXIS_PART_COUNT; ++i) {
        const CnJointFreeAxis* axis = &joint->axes[i / CN_AXIS_PART_COUNT];
        CnAxisPartType type = (CnAxisPartType)(i % CN_AXIS_PART_COUNT);
        CnUserConstraint* part = cn_pool_get(&world->constraints, CN_POOL_ID(axis->parts[type]));
        if (part == NULL || !cn_stream_is_good(stream)) {
            continue;
        }
        if (part->kind == NULL) {
            stream->lacks_memory = !make_part(world, joint, id, axis, type, part);
        }
        stream->is_other = stream->is_other || part->kind != cn_axis_part_kind(type) ||
                           part->joint.index != id.index;
    }
}

// Parts that no axis claims, as those of a joint that broke here and not in the state, cannot be
// made.
static void read_parts(CnStateStream* stream, CnWorld* world) {
    for (int i = 0; i < cn_pool_slot_count(&world->joints); ++i) {
        const CnJoint* joint = cn_pool_at(&world->joints, i);
        CnPoolId id = cn_pool_id_at(&world->joints, i);
        if (joint != NULL) {
            claim_parts(stream, world, joint, (CnJointId){id.index, id.generation});
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        stream->is_other = stream->is_other || (constraint != NULL && constraint->kind == NULL);
    }
}

// Joints come first: they tell what their parts are.
static void stream_constraints(CnStateStream* stream, CnWorld* world) {
    stream_slots(stream, world);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        read_parts(stream, world);
    }
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
}

void cn_stream_joints(CnStateStream* stream, CnWorld* world) {
    stream_joints(stream, world);
    stream_constraints(stream, world);
}
