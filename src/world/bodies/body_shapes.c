// body_shapes.c - the shapes of bodies: their store, their lists, where they are.
#include "world/bodies/body_shapes.h"

#include "base/error.h"
#include "collision/broad/bounds.h"
#include "world/bodies/geometries.h"
#include "world/contacts/contacts.h"

#include <string.h>

typedef struct SharedShape {
    CnSharedRecord shared;
    CnShape shape;
} SharedShape;

// Its sizes and where it is in the body lie one after the other, as does the geometry.
#define SIZES_BEGIN offsetof(CnShape, local)
#define SIZES_END offsetof(CnShape, hull)

static uint64_t hash_of(const CnShape* shape) {
    uint64_t words[(SIZES_END - SIZES_BEGIN) / sizeof(uint64_t)];
    uint64_t hash = cn_hash_mix(CN_HASH_SEED, (uint64_t)shape->type << 1 | shape->sensor);
    _Static_assert(sizeof words == SIZES_END - SIZES_BEGIN, "sizes of shapes have padding");
    memcpy(words, (const char*)shape + SIZES_BEGIN, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        hash = cn_hash_mix(hash, words[i]);
    }
    hash = cn_hash_mix(hash, (uint64_t)shape->material.index << 32 | shape->material.generation);
    hash = cn_hash_mix(hash, (uint64_t)shape->category << 32 | shape->mask);
    return cn_hash_mix(hash, (uint64_t)(uint32_t)shape->group);
}

// Compared bit by bit: 0 and -0, which compare equal as numbers, have separate records.
static bool is_like(const CnSharedRecord* record, const void* value) {
    const CnShape *a = &((const SharedShape*)record)->shape, *b = value;
    return memcmp((const char*)a + SIZES_BEGIN, (const char*)b + SIZES_BEGIN,
                  SIZES_END - SIZES_BEGIN) == 0 &&
           a->type == b->type && a->sensor == b->sensor && a->material.index == b->material.index &&
           a->material.generation == b->material.generation && a->category == b->category &&
           a->mask == b->mask && a->group == b->group;
}

const CnShape* cn_shape_take(CnWorld* world, const CnShape* like) {
    uint64_t hash = hash_of(like);
    SharedShape* found = (SharedShape*)cn_shared_find(&world->shape_records, hash, like, is_like);
    if (found == NULL) {
        found = (SharedShape*)cn_shared_add(&world->shape_records, hash, sizeof *found);
        if (found == NULL) {
            return NULL;
        }
        found->shape = *like;
        if (like->geometry != NULL) {
            ++like->geometry->references;
        }
    }
    return &found->shape;
}

void cn_shape_drop(CnWorld* world, const CnShape* shape, bool undo) {
    SharedShape* record =
        shape == NULL ? NULL : (SharedShape*)((char*)shape - offsetof(SharedShape, shape));
    if (record != NULL && cn_shared_drop(&world->shape_records, &record->shared)) {
        cn_world_free_shape(world, &record->shape, undo);
        cn_release(&world->allocator, record);
    }
}

// What was placed points to its record.
void cn_shape_change(CnWorld* world, int slot, const CnShape* taken) {
    CnWorldShape* shape = cn_world_shape_at(world, slot);
    cn_shape_drop(world, shape->shape, false);
    shape->shape = taken;
    if (slot < world->shape_places.count) {
        CnShapePlace* place = &world->shape_places.data[slot];
        place->placed.shape = place->polyhedron.shape = taken;
    }
}

int cn_body_shape_slot(const CnWorld* world, int body, int number) {
    int slot = number < 0 ? -1 : world->details.data[body].first_shape;
    for (int i = 0; i < number && slot >= 0; ++i) {
        slot = cn_world_shape_at(world, slot)->next;
    }
    return slot;
}

static void append(CnWorld* world, int slot) {
    CnWorldShape* shape = cn_world_shape_at(world, slot);
    CnBodyDetails* body = &world->details.data[shape->body];
    shape->previous = body->last_shape;
    shape->next = -1;
    shape->number = body->shape_count++;
    if (body->last_shape < 0) {
        body->first_shape = slot;
    } else {
        cn_world_shape_at(world, body->last_shape)->next = slot;
    }
    body->last_shape = slot;
}

static void unlist(CnWorld* world, int slot) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    CnBodyDetails* body = &world->details.data[shape->body];
    for (int s = shape->next; s >= 0; s = cn_world_shape_at(world, s)->next) {
        --cn_world_shape_at(world, s)->number;
    }
    if (shape->previous < 0) {
        body->first_shape = shape->next;
    } else {
        cn_world_shape_at(world, shape->previous)->next = shape->next;
    }
    if (shape->next < 0) {
        body->last_shape = shape->previous;
    } else {
        cn_world_shape_at(world, shape->next)->previous = shape->previous;
    }
    --body->shape_count;
}

// Proxies of a body that nothing moves pair only with those of bodies that something does.
CnStatus cn_body_make_shape(CnWorld* world, int body, const CnShapeDef* def, int* slot,
                            CnError* error) {
    CnWorldShape* made;
    CnPoolId id = cn_pool_add(&world->shapes, (void**)&made);
    *slot = (int)id.index - 1;
    if (made == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a shape");
    }
    CnShape like;
    CnStatus status = cn_world_make_shape(world, def, &like, error);
    bool moves = world->details.data[body].type != CN_BODY_STATIC;
    if (status == CN_OK) {
        made->shape = cn_world_enlist_geometry(world, &like) ? cn_shape_take(world, &like) : NULL;
        if (made->shape == NULL || !cn_broad_phase_add(&world->broad_phase, *slot, moves)) {
            cn_shape_drop(world, made->shape, true);
            status = cn_error_set(error, CN_NO_MEMORY, "no memory for a shape");
        }
        cn_world_free_shape(world, &like, status != CN_OK);
    }
    if (status != CN_OK) {
        cn_pool_undo_add(&world->shapes, id);
        return status;
    }
    made->body = body;
    if (world->bodies.data[body].disabled) { // memory is there for when it is enabled
        cn_broad_phase_remove(&world->broad_phase, *slot);
    }
    append(world, *slot);
    cn_active_change_body(world, body);
    world->sensor_count += def->sensor;
    return CN_OK;
}

static void forget(CnWorld* world, int slot, bool undo) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    world->sensor_count -= shape->shape->sensor;
    cn_active_change_body(world, shape->body);
    cn_world_forget_shape(world, slot);
    if (slot < world->shape_places.count) {
        world->shape_places.data[slot].epoch = 0;
    }
    if (!world->bodies.data[shape->body].disabled) {
        cn_broad_phase_remove(&world->broad_phase, slot);
    }
    unlist(world, slot);
    cn_shape_drop(world, shape->shape, undo);
}

void cn_body_unmake_shape(CnWorld* world, int slot) {
    forget(world, slot, true);
    cn_pool_undo_add(&world->shapes, cn_pool_id_at(&world->shapes, slot));
}

void cn_body_drop_shape(CnWorld* world, int slot) {
    forget(world, slot, false);
    cn_pool_remove(&world->shapes, cn_pool_id_at(&world->shapes, slot));
}

void cn_body_set_center(CnWorld* world, int body, CnVec3 center) {
    world->bodies.data[body].center = center;
    cn_places_disturb(world, body);
}

void cn_body_remove_proxies(CnWorld* world, int body) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        cn_broad_phase_remove(&world->broad_phase, s);
    }
}

bool cn_body_add_proxies(CnWorld* world, int body, bool moves) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        if (!cn_broad_phase_add(&world->broad_phase, s, moves)) {
            for (int back = cn_world_shape_at(world, s)->previous; back >= 0;
                 back = cn_world_shape_at(world, back)->previous) {
                cn_broad_phase_remove(&world->broad_phase, back);
            }
            return false;
        }
    }
    return true;
}

// What there was room for before there is room for again.
bool cn_body_change_proxies(CnWorld* world, int body, bool moves) {
    cn_body_remove_proxies(world, body);
    if (cn_body_add_proxies(world, body, moves)) {
        return true;
    }
    cn_body_add_proxies(world, body, !moves);
    cn_body_place(world, body);
    return false;
}

void cn_body_filter_again(CnWorld* world, int body) {
    if (world->bodies.data[body].disabled) {
        return;
    }
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        cn_broad_phase_filter_again(&world->broad_phase, s);
    }
}

// The ball around a shape is tried first.
bool cn_body_keeps_place(const CnWorld* world, int body) {
    const CnBodyState* state = &world->bodies.data[body].state;
    CnTransform pose = {state->center, state->rotation};
    bool keeps = true;
    for (int s = world->details.data[body].first_shape; keeps && s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        const CnFloatBox* fat = &world->broad_phase.fat.data[s];
        double extent = shape->shape->extent;
        CnVec3 center = cn_transform_point(pose, cn_world_shape_offset(world, shape));
        CnVec3 half = cn_vec3(extent, extent, extent);
        CnBounds ball = {cn_vec3_sub(center, half), cn_vec3_add(center, half)};
        if (shape->shape->type == CN_SHAPE_PLANE || !cn_float_box_contains(fat, &ball)) {
            CnBounds bounds = cn_shape_bounds(cn_world_shape_placed(world, shape, pose), 0.0);
            keeps = cn_float_box_contains(fat, &bounds);
        }
    }
    return keeps;
}

void cn_body_place(CnWorld* world, int body) {
    if (world->bodies.data[body].disabled) {
        return;
    }
    const CnBodyState* state = &world->bodies.data[body].state;
    CnTransform pose = {state->center, state->rotation};
    for (int s = world->details.data[body].first_shape; s >= 0;) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CnBounds bounds = cn_shape_bounds(cn_world_shape_placed(world, shape, pose), 0.0);
        cn_broad_phase_place(&world->broad_phase, s, &bounds);
        s = shape->next;
    }
}
