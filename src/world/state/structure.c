// structure.c - what a world is made of, as digests: whether a state fits.
//
// Ids count: things are where the same calls in the same order put them. What setters can change
// does not: it is part of the state.
#include "world/state/structure.h"

#include "base/error.h"

#include <string.h>

static const char* const names[CN_STRUCTURE_GROUP_COUNT] = {
    [CN_STRUCTURE_BODIES] = "bodies",       [CN_STRUCTURE_SHAPES] = "shapes",
    [CN_STRUCTURE_MATERIALS] = "materials", [CN_STRUCTURE_SERIES] = "series",
    [CN_STRUCTURE_FORCES] = "forces",       [CN_STRUCTURE_CONTACTS] = "contacts given by hand",
    [CN_STRUCTURE_JOINTS] = "joints",       [CN_STRUCTURE_CONSTRAINTS] = "constraints",
};

static uint64_t mix_bytes(uint64_t hash, const void* bytes, size_t size) {
    return cn_hash_mix(hash, cn_hash_bytes(CN_HASH_SEED, bytes, size));
}

static uint64_t mix_text(uint64_t hash, const char* text) {
    return mix_bytes(hash, text, strlen(text));
}

static uint64_t mix_doubles(uint64_t hash, const double* values, size_t count) {
    return mix_bytes(hash, values, count * sizeof *values);
}

static uint64_t mix_vector(uint64_t hash, CnVec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    return mix_doubles(hash, values, 3);
}

static uint64_t mix_id(uint64_t hash, uint32_t index, uint32_t generation) {
    return cn_hash_mix(hash, (uint64_t)index << 32 | generation);
}

// Adds one thing of a pool.
typedef uint64_t MixFunction(uint64_t hash, const CnWorld* world, int slot, const void* thing);

static void digest_pool(const CnWorld* world, const CnPool* pool, MixFunction* mix, int* count,
                        uint64_t* digest) {
    uint64_t hash = CN_HASH_SEED;
    *count = 0;
    for (int i = 0; i < cn_pool_slot_count(pool); ++i) {
        const void* thing = cn_pool_at(pool, i);
        if (thing != NULL) {
            CnPoolId id = cn_pool_id_at(pool, i);
            hash = mix(mix_id(hash, id.index, id.generation), world, i, thing);
            ++*count;
        }
    }
    *digest = hash;
}

static uint64_t mix_drive(uint64_t hash, const CnDrive* drive) {
    const CnBodyMotion* motion = &drive->motion;
    const CnQuat turns[2] = {motion->axes, drive->rotation};
    for (int i = 0; i < 3; ++i) {
        hash = mix_id(hash, motion->position[i].index, motion->position[i].generation);
    }
    hash = mix_id(hash, motion->angle.index, motion->angle.generation);
    hash = mix_bytes(mix_doubles(hash, drive->start, 4), turns, sizeof turns);
    return mix_vector(mix_vector(hash, motion->axis), drive->position);
}

static uint64_t mix_body(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)slot;
    const int* index = thing;
    const CnBodyDetails* details = &world->details.data[*index];
    hash = mix_text(cn_hash_mix(hash, (uint64_t)*index), details->name);
    return details->drive != NULL ? mix_drive(hash, details->drive) : hash;
}

static uint64_t mix_geometry(uint64_t hash, const CnGeometry* geometry) {
    const CnHull* hull = geometry->hull;
    const CnTriangleMesh* mesh = geometry->mesh;
    const CnHeightField* field = geometry->field;
    hash = cn_hash_mix(hash, (uint64_t)geometry->slot);
    if (hull != NULL) {
        return mix_bytes(hash, hull->vertices, (size_t)hull->vertex_count * sizeof(CnVec3));
    }
    if (mesh != NULL) {
        hash = mix_bytes(hash, mesh->points, (size_t)mesh->point_count * sizeof(CnVec3));
        return mix_bytes(hash, mesh->triangles,
                         (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    }
    const double size[2] = {field->size_x, field->size_y};
    hash = mix_doubles(cn_hash_mix(hash, (uint64_t)field->columns), size, 2);
    return mix_doubles(hash, field->heights, (size_t)field->columns * (size_t)field->rows);
}

static uint64_t mix_shape(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnWorldShape* placed = thing;
    const CnShape* shape = placed->shape;
    const double sizes[3] = {shape->radius, shape->half_length, shape->sensor ? 1.0 : 0.0};
    hash = cn_hash_mix(cn_hash_mix(hash, (uint64_t)shape->type), (uint64_t)placed->body);
    hash = mix_vector(mix_vector(mix_doubles(hash, sizes, 3), shape->half_size), shape->normal);
    return shape->geometry == NULL ? hash : mix_geometry(hash, shape->geometry);
}

static uint64_t mix_material(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnMaterial* material = thing;
    return mix_text(hash, material->name);
}

static uint64_t mix_series(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnSeries* series = thing;
    const CnSineWave* sine = &series->curve.sine;
    const double formula[5] = {series->curve.period, sine->amplitude, sine->offset, sine->rate,
                               sine->phase};
    hash =
        mix_doubles(mix_text(hash, series->name), series->samples, 2 * (size_t)series->curve.count);
    return mix_doubles(hash, formula, 5);
}

static uint64_t mix_force(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnForceDef* force = thing;
    hash = mix_id(hash, force->body.index, force->body.generation);
    return cn_hash_mix(hash, force->function != NULL);
}

static uint64_t mix_given(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnGivenContact* given = thing;
    hash = mix_id(hash, given->body_a.index, given->body_a.generation);
    hash = mix_id(hash, given->body_b.index, given->body_b.generation);
    return mix_text(hash, given->name);
}

static uint64_t mix_joint(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnJoint* joint = thing;
    hash = mix_id(hash, joint->body_a.index, joint->body_a.generation);
    hash = mix_id(hash, joint->body_b.index, joint->body_b.generation);
    hash = mix_id(hash, joint->kept.index, joint->kept.generation);
    hash = mix_id(hash, joint->limit.index, joint->limit.generation);
    hash = cn_hash_mix(cn_hash_mix(hash, (uint64_t)joint->type), (uint64_t)joint->axis_count);
    hash = cn_hash_mix(hash, (uint64_t)joint->index);
    if (joint->type == CN_JOINT_MIMIC) {
        hash = mix_id(hash, joint->leader.index, joint->leader.generation);
        hash = mix_id(hash, joint->follower.index, joint->follower.generation);
        hash = cn_hash_mix(
            hash, (uint64_t)(CN_AXIS_COUNT * (int)joint->leader_axis + (int)joint->follower_axis));
    }
    return cn_hash_mix(mix_text(hash, joint->name), joint->spring != NULL);
}

static uint64_t mix_constraint(uint64_t hash, const CnWorld* world, int slot, const void* thing) {
    (void)world;
    (void)slot;
    const CnUserConstraint* constraint = thing;
    if (constraint->joint.index != 0) { // comes and goes with its joint
        return hash;
    }
    hash = mix_id(hash, constraint->body_a.index, constraint->body_a.generation);
    hash = mix_id(hash, constraint->body_b.index, constraint->body_b.generation);
    hash = mix_text(mix_text(hash, constraint->name), constraint->kind->name);
    return cn_hash_mix(hash, constraint->data_size);
}

// Of those that were added by themselves: the parts of joints do not count.
static void digest_constraints(const CnWorld* world, int* count, uint64_t* digest) {
    *digest = CN_HASH_SEED;
    *count = world->constraint_order.count;
    for (int i = 0; i < *count; ++i) {
        CnConstraintId id = world->constraint_order.data[i];
        const void* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
        *digest = mix_constraint(mix_id(*digest, id.index, id.generation), world, 0, constraint);
    }
}

CnStructure cn_structure_of(const CnWorld* world) {
    CnStructure s = {
        .has_filter = world->def.contact_hooks.filter != NULL,
        .has_material = world->def.contact_hooks.material != NULL,
        .has_policy = world->def.warm_start_hook.policy != NULL,
    };
    const struct {
        const CnPool* pool;
        MixFunction* mix;
    } pools[CN_STRUCTURE_CONSTRAINTS] = {
        [CN_STRUCTURE_BODIES] = {&world->body_indices, mix_body},
        [CN_STRUCTURE_SHAPES] = {&world->shapes, mix_shape},
        [CN_STRUCTURE_MATERIALS] = {&world->materials, mix_material},
        [CN_STRUCTURE_SERIES] = {&world->series, mix_series},
        [CN_STRUCTURE_FORCES] = {&world->forces, mix_force},
        [CN_STRUCTURE_CONTACTS] = {&world->given_contacts, mix_given},
        [CN_STRUCTURE_JOINTS] = {&world->joints, mix_joint},
    };
    for (int i = 0; i < CN_STRUCTURE_CONSTRAINTS; ++i) {
        digest_pool(world, pools[i].pool, pools[i].mix, &s.count[i], &s.digest[i]);
    }
    digest_constraints(world, &s.count[CN_STRUCTURE_CONSTRAINTS],
                       &s.digest[CN_STRUCTURE_CONSTRAINTS]);
    return s;
}

void cn_stream_structure(CnStateStream* stream, CnStructure* structure) {
    for (int i = 0; i < CN_STRUCTURE_GROUP_COUNT; ++i) {
        cn_stream_int(stream, &structure->count[i]);
        cn_stream_u64(stream, &structure->digest[i]);
    }
    cn_stream_bool(stream, &structure->has_filter);
    cn_stream_bool(stream, &structure->has_material);
    cn_stream_bool(stream, &structure->has_policy);
}

CnStatus cn_structure_compare(const CnStructure* state, const CnStructure* world, CnError* error) {
    for (int i = 0; i < CN_STRUCTURE_GROUP_COUNT; ++i) {
        if (state->count[i] != world->count[i]) {
            return cn_error_set(error, CN_INVALID,
                                "the state is that of another world: it has %d %s, this world %d",
                                state->count[i], names[i], world->count[i]);
        }
        if (state->digest[i] != world->digest[i]) {
            return cn_error_set(error, CN_INVALID,
                                "the state is that of another world: its %s are as many as here, "
                                "but not the same ones%s",
                                names[i],
                                i >= CN_STRUCTURE_FORCES
                                    ? " (functions are not saved: they must be given again)"
                                    : "");
        }
    }
    const struct {
        const char* name;
        bool is_missing;
    } hooks[] = {
        {"contact filter", state->has_filter && !world->has_filter},
        {"contact material hook", state->has_material && !world->has_material},
        {"warm-start policy", state->has_policy && !world->has_policy},
    };
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; ++i) {
        if (hooks[i].is_missing) {
            return cn_error_set(error, CN_INVALID,
                                "the state was made with a %s: functions are not saved, give this "
                                "world one before the state is loaded",
                                hooks[i].name);
        }
    }
    return CN_OK;
}
