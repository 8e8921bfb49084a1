// rebuild.c - what follows from the rest of a world, and is made anew in a copy of it.
#include "world/state/rebuild.h"

#include "world/events/events.h"

void cn_state_forget_contacts(CnWorld* world) {
    for (int i = 0; i < world->pairs.manifolds.count; ++i) {
        world->pairs.manifolds.data[i].is_listed = false;
    }
}

// Shapes whose epoch is that of their body are where it was placed; the others will be placed
// before anybody looks.
void cn_state_place_shapes(CnWorld* world) {
    int slots = cn_pool_slot_count(&world->shapes);
    for (int i = 0; i < world->shape_places.count && i < slots; ++i) {
        const CnWorldShape* shape = cn_pool_at(&world->shapes, i);
        CnShapePlace* own = &world->shape_places.data[i];
        if (shape == NULL || shape->body >= world->places.count || own->epoch == 0) {
            own->epoch = 0;
            continue;
        }
        own->placed = cn_shape_place(&shape->shape, world->places.data[shape->body].pose);
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
    }
    world->placed_memory[0] = world->shapes.elements;
    world->placed_memory[1] = world->shape_places.data;
}

bool cn_state_rebuild(CnWorld* world) {
    cn_active_change(world);
    cn_state_forget_contacts(world);
    cn_state_place_shapes(world);
    return cn_broad_phase_rebuild(&world->broad_phase) && cn_world_index_separations(world) &&
           cn_pair_store_reserve(&world->pairs) && cn_events_reserve_ends(world);
}

// An index, or none.
static bool is_within(int index, int count) {
    return index >= CN_NONE && index < count;
}

// Whoever follows a ring comes back to where it began.
static bool is_ring_sound(const CnWorld* world, int body) {
    int next = world->bodies.data[body].sleep.next;
    return next >= 0 && next < world->bodies.count &&
           world->bodies.data[next].sleep.previous == body;
}

static bool are_bodies_sound(const CnWorld* world) {
    int bodies = world->bodies.count, slots = cn_pool_slot_count(&world->shapes);
    bool ok = world->places.count <= bodies && world->posed.count <= bodies &&
              world->shape_places.count <= slots;
    for (int i = 0; ok && i < bodies; ++i) {
        const CnBodyDetails* details = &world->details.data[i];
        ok = is_within(details->first_shape, slots) && is_within(details->last_shape, slots) &&
             details->applied >= 0 && details->applied <= world->applied.count &&
             is_ring_sound(world, i);
        for (int k = 0; ok && k < CN_LINK_KIND_COUNT; ++k) {
            ok = details->first_link[k] >= 0 && details->first_link[k] <= world->links[k].count;
        }
    }
    for (int i = 0; ok && i < slots; ++i) {
        const CnWorldShape* shape = cn_world_shape_at(world, i);
        ok = cn_pool_at(&world->shapes, i) == NULL ||
             (shape->body >= 0 && shape->body < bodies && is_within(shape->next, slots) &&
              is_within(shape->previous, slots));
    }
    for (int i = 0; ok && i < world->applied.count; ++i) {
        ok = world->applied.data[i].body >= 0 && world->applied.data[i].body < bodies;
    }
    return ok;
}

static bool is_record_sound(const CnWorld* world, const CnPairRecord* record) {
    const CnPairStore* store = &world->pairs;
    int slots = cn_pool_slot_count(&world->shapes), links = 2 * store->records.count;
    int next = record->in_use ? store->manifolds.count : store->records.count; // free: a record
    bool ok = is_within(record->given, cn_pool_slot_count(&world->given_contacts)) &&
              is_within(record->manifold, next);
    for (int i = 0; ok && i < 2; ++i) {
        ok = is_within(record->shape[i], slots) &&
             (record->shape[i] < store->heads.count || !record->in_use) &&
             is_within(record->link[i].previous, links) && is_within(record->link[i].next, links);
    }
    return ok;
}

// A free one, or one whose tile is to be built, may still name bodies that are gone.
static bool is_manifold_sound(const CnWorld* world, const CnManifold* manifold) {
    const CnPairStore* store = &world->pairs;
    bool has_bodies = manifold->in_use && manifold->has_tile;
    return is_within(manifold->next, store->manifolds.count) &&
           is_within(manifold->pair, store->records.count) && manifold->count >= 0 &&
           manifold->count <= CN_TILE_POINTS &&
           (!has_bodies || (is_within(manifold->tile.body_a, world->bodies.count) &&
                            is_within(manifold->tile.body_b, world->bodies.count)));
}

static bool are_pairs_sound(const CnWorld* world) {
    const CnPairStore* store = &world->pairs;
    int records = store->records.count, manifolds = store->manifolds.count;
    bool ok = is_within(store->free_record, records) && is_within(store->free_manifold, manifolds);
    for (int i = 0; ok && i < records; ++i) {
        ok = is_record_sound(world, &store->records.data[i]);
    }
    for (int i = 0; ok && i < manifolds; ++i) {
        ok = is_manifold_sound(world, &store->manifolds.data[i]);
    }
    for (int i = 0; ok && i < store->heads.count; ++i) {
        ok = is_within(store->heads.data[i], 2 * records);
    }
    return ok;
}

static bool is_broad_phase_sound(const CnWorld* world) {
    const CnBroadPhase* phase = &world->broad_phase;
    int proxies = phase->proxies.count;
    bool ok = proxies <= cn_pool_slot_count(&world->shapes) && phase->fat.count == proxies &&
              phase->stirred.count == proxies && phase->unbounded.count <= proxies &&
              phase->set.pairs.count == phase->set.records.count;
    for (int i = 0; ok && i < phase->unbounded.count; ++i) {
        ok = phase->unbounded.data[i] >= 0 && phase->unbounded.data[i] < proxies;
    }
    for (int i = 0; ok && i < phase->set.pairs.count; ++i) {
        CnPair pair = phase->set.pairs.data[i];
        ok = pair >> 32 < pair % (UINT64_C(1) << 32) &&
             pair % (UINT64_C(1) << 32) < (uint64_t)proxies &&
             is_within(phase->set.records.data[i], world->pairs.records.count);
    }
    return ok;
}

bool cn_state_is_sound(const CnWorld* world) {
    return are_bodies_sound(world) && are_pairs_sound(world) && is_broad_phase_sound(world);
}
