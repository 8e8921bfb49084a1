// separation.c - bodies that do not collide with each other, and for how many reasons.
#include "base/error.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_shapes.h"

// The same for (a, b) and (b, a).
static uint64_t pair_key(CnBodyId a, CnBodyId b) {
    uint64_t x = (uint64_t)a.index << 32 | a.generation;
    uint64_t y = (uint64_t)b.index << 32 | b.generation;
    return x < y ? cn_hash_mix(cn_hash_mix(CN_HASH_SEED, x), y)
                 : cn_hash_mix(cn_hash_mix(CN_HASH_SEED, y), x);
}

// The pairs of one of the two bodies are all that must be looked at again.
static void filter_again(CnWorld* world, CnBodyId a, CnBodyId b) {
    int one = cn_world_body_index(world, a), other = cn_world_body_index(world, b);
    const CnBodyDetails* details = world->details.data;
    cn_body_filter_again(world,
                         details[other].shape_count < details[one].shape_count ? other : one);
}

static int slot_of(const CnWorld* world, CnBodyId a, CnBodyId b) {
    return cn_map_get(&world->excluded, pair_key(a, b));
}

bool cn_world_are_separate(const CnWorld* world, CnBodyId a, CnBodyId b) {
    return world->separations.count > 0 && slot_of(world, a, b) >= 0;
}

bool cn_world_may_collide(const CnWorld* world, int shape_a, int shape_b) {
    const CnWorldShape* a = cn_world_shape_at(world, shape_a);
    const CnWorldShape* b = cn_world_shape_at(world, shape_b);
    if (a->body == b->body ||
        (!cn_body_is_movable(&world->bodies.data[a->body]) &&
         !cn_body_is_movable(&world->bodies.data[b->body])) ||
        (a->shape->sensor || b->shape->sensor) || !cn_shape_filter(a->shape, b->shape)) {
        return false;
    }
    return !cn_world_are_separate(world, world->order.data[a->body], world->order.data[b->body]);
}

bool cn_world_index_separations(CnWorld* world) {
    bool ok = true;
    cn_map_clear(&world->excluded);
    for (int i = 0; ok && i < cn_pool_slot_count(&world->separations); ++i) {
        const CnSeparation* separation = cn_pool_at(&world->separations, i);
        ok = separation == NULL ||
             cn_map_set(&world->excluded, pair_key(separation->body_a, separation->body_b), i);
    }
    return ok;
}

static CnSeparation* add(CnWorld* world, CnBodyId a, CnBodyId b) {
    CnSeparation* separation;
    CnPoolId id = cn_pool_add(&world->separations, (void**)&separation);
    int slot = (int)id.index - 1;
    if (separation == NULL) {
        return NULL;
    }
    if (!cn_map_set(&world->excluded, pair_key(a, b), slot)) {
        cn_pool_undo_add(&world->separations, id);
        return NULL;
    }
    if (!cn_world_link(world, CN_LINK_SEPARATION, slot, a, b)) {
        cn_map_remove(&world->excluded, pair_key(a, b));
        cn_pool_undo_add(&world->separations, id);
        return NULL;
    }
    *separation = (CnSeparation){.body_a = a, .body_b = b};
    filter_again(world, a, b);
    return separation;
}

// A new one has no reason yet. NULL: no memory.
static CnSeparation* find_or_add(CnWorld* world, CnBodyId a, CnBodyId b) {
    int slot = slot_of(world, a, b);
    return slot < 0 ? add(world, a, b) : cn_pool_at(&world->separations, slot);
}

static void remove_separation(CnWorld* world, int slot) {
    const CnSeparation* separation = cn_pool_at(&world->separations, slot);
    CnBodyId a = separation->body_a, b = separation->body_b;
    filter_again(world, a, b);
    cn_map_remove(&world->excluded, pair_key(a, b));
    cn_world_unlink(world, CN_LINK_SEPARATION, slot, a, b);
    cn_pool_remove(&world->separations, cn_pool_id_at(&world->separations, slot));
}

CnStatus cn_world_separate(CnWorld* world, CnBodyId a, CnBodyId b) {
    CnSeparation* separation = find_or_add(world, a, b);
    if (separation == NULL) {
        return CN_NO_MEMORY;
    }
    ++separation->reasons;
    return CN_OK;
}

void cn_world_unseparate(CnWorld* world, CnBodyId a, CnBodyId b) {
    int slot = slot_of(world, a, b);
    CnSeparation* separation = cn_pool_at(&world->separations, slot);
    if (--separation->reasons == 0) {
        remove_separation(world, slot);
    }
}

void cn_world_forget_separations(CnWorld* world, CnBodyId id) {
    const CnBodyDetails* body = &world->details.data[cn_world_body_index(world, id)];
    int slot;
    while ((slot = cn_body_last_linked(body, CN_LINK_SEPARATION)) >= 0) {
        remove_separation(world, slot);
    }
}

CnStatus cn_world_exclude_pair(CnWorld* world, CnBodyId a, CnBodyId b, CnError* error) {
    if (cn_world_check_idle(world, error) != CN_OK) {
        return CN_INVALID;
    }
    if (cn_world_body(world, a) == NULL || cn_world_body(world, b) == NULL) {
        return cn_error_set(error, CN_STALE, "one of the two bodies does not exist");
    }
    if (a.index == b.index) { // it does not collide with itself
        return CN_OK;
    }
    CnSeparation* separation = find_or_add(world, a, b);
    if (separation == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to exclude a pair");
    }
    cn_sleep_wake_two(world, a, b);
    separation->reasons += !separation->by_user; // it goes with one of the bodies
    separation->by_user = true;
    return CN_OK;
}

bool cn_world_is_pair_excluded(const CnWorld* world, CnBodyId a, CnBodyId b) {
    bool are_there = cn_world_body(world, a) != NULL && cn_world_body(world, b) != NULL;
    int slot = are_there ? slot_of(world, a, b) : -1;
    const CnSeparation* separation = slot < 0 ? NULL : cn_pool_at(&world->separations, slot);
    return separation != NULL && separation->by_user;
}
