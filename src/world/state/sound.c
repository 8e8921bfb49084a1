// sound.c - whether the numbers of a state lead to something.
//
// A list is followed while each link knows the one before it, so that it cannot run in circles.
#include "world/state/sound.h"

#include <math.h>

// An index, or none.
static bool is_within(int index, int count) {
    return index >= CN_NONE && index < count;
}

static bool is_index(int index, int count) {
    return index >= 0 && index < count;
}

// The free slots that the pool would hand out are free, and counted.
static bool is_pool_sound(const CnPool* pool) {
    int slots = cn_pool_slot_count(pool), used = 0, free = 0, slot = pool->first_free;
    for (int i = 0; i < slots; ++i) {
        used += pool->slots.data[i].generation % 2 == 1;
    }
    while (slot != CN_NONE && is_index(slot, slots) && cn_pool_at(pool, slot) == NULL &&
           free <= slots - used) {
        slot = pool->slots.data[slot].next_free;
        ++free;
    }
    return used == pool->count && slot == CN_NONE && free <= slots - used;
}

// ---- bodies, and what they have ----

// Whoever follows a ring comes back to where it began.
static bool is_ring_sound(const CnWorld* world, int body) {
    int next = world->bodies.data[body].sleep.next;
    return is_index(next, world->bodies.count) && world->bodies.data[next].sleep.previous == body;
}

static bool are_shapes_sound(const CnWorld* world, int body) {
    const CnBodyDetails* details = &world->details.data[body];
    int slots = cn_pool_slot_count(&world->shapes), last = CN_NONE, count = 0;
    bool ok = true;
    for (int s = details->first_shape; ok && s != CN_NONE; ++count) {
        ok = is_index(s, slots) && cn_pool_at(&world->shapes, s) != NULL;
        if (ok) {
            const CnWorldShape* shape = cn_world_shape_at(world, s);
            ok = shape->body == body && shape->previous == last && shape->number == count &&
                 cn_world_knows_material(world, shape->shape->material);
            last = s;
            s = shape->next;
        }
    }
    return ok && details->last_shape == last && details->shape_count == count;
}

// The body at a side of what is linked: A or B.
static CnBodyId linked_body(const void* thing, CnLinkKind kind, int side) {
    const CnForceDef* force = thing;
    const CnGivenContact* contact = thing;
    const CnJoint* joint = thing;
    const CnUserConstraint* constraint = thing;
    const CnSeparation* separation = thing;
    switch (kind) {
    case CN_LINK_FORCE:
        return side == 0 ? force->body : (CnBodyId){0};
    case CN_LINK_CONTACT:
        return side == 0 ? contact->body_a : contact->body_b;
    case CN_LINK_JOINT:
        return side == 0 ? joint->body_a : joint->body_b;
    case CN_LINK_CONSTRAINT:
        return side == 0 ? constraint->body_a : constraint->body_b;
    default:
        return side == 0 ? separation->body_a : separation->body_b;
    }
}

// Each link of the list is one of this body: otherwise removing what is linked would not shorten
// the list.
static bool are_links_sound(const CnWorld* world, int body, CnLinkKind kind) {
    const CnPool* const pools[CN_LINK_KIND_COUNT] = {
        [CN_LINK_FORCE] = &world->forces,           [CN_LINK_CONTACT] = &world->given_contacts,
        [CN_LINK_JOINT] = &world->joints,           [CN_LINK_CONSTRAINT] = &world->constraints,
        [CN_LINK_SEPARATION] = &world->separations,
    };
    int last = 0, count = world->links[kind].count;
    bool ok = count <= 2 * cn_pool_slot_count(pools[kind]);
    for (int link = world->details.data[body].first_link[kind]; ok && link != 0;) {
        const void* thing =
            link > 0 && is_index(link - 1, count) ? cn_pool_at(pools[kind], (link - 1) / 2) : NULL;
        ok = thing != NULL && world->links[kind].data[link - 1].previous == last &&
             cn_world_body_index(world, linked_body(thing, kind, (link - 1) % 2)) == body;
        last = link;
        link = ok ? world->links[kind].data[link - 1].next : 0;
    }
    return ok;
}

static bool is_body_sound(const CnWorld* world, int i) {
    const CnBody* body = &world->bodies.data[i];
    const CnBodyDetails* details = &world->details.data[i];
    bool ok = is_index((int)body->type, CN_BODY_KINEMATIC + 1) &&
              is_index((int)details->type, CN_BODY_KINEMATIC + 1) && is_ring_sound(world, i) &&
              cn_world_knows_material(world, details->material) && details->applied >= 0 &&
              details->applied <= world->applied.count &&
              is_index(details->kept, world->kept_velocities.count + 1) &&
              (details->kept != 0) == body->disabled && are_shapes_sound(world, i);
    for (int k = 0; ok && k < CN_LINK_KIND_COUNT; ++k) {
        ok = are_links_sound(world, i, (CnLinkKind)k);
    }
    return ok;
}

static bool are_bodies_sound(const CnWorld* world) {
    int bodies = world->bodies.count, slots = cn_pool_slot_count(&world->shapes), links = 0;
    bool ok = world->places.count <= bodies && world->soft_places.count <= bodies &&
              world->posed.count <= bodies && world->shape_places.count <= slots &&
              is_pool_sound(&world->body_indices) && is_pool_sound(&world->shapes);
    for (int i = 0; ok && i < bodies; ++i) {
        ok = is_body_sound(world, i);
        links += world->details.data[i].shape_count;
    }
    for (int k = 0; ok && k < CN_LINK_KIND_COUNT; ++k) {
        for (int i = 0; ok && i < world->links[k].count; ++i) {
            CnLink link = world->links[k].data[i];
            ok = is_index(link.previous, world->links[k].count + 1) &&
                 is_index(link.next, world->links[k].count + 1);
        }
    }
    for (int i = 0; ok && i < world->applied.count; ++i) {
        int body = world->applied.data[i].body;
        ok = is_index(body, bodies) && world->details.data[body].applied == i + 1;
    }
    for (int i = 0; ok && i < world->kept_velocities.count; ++i) {
        int body = world->kept_velocities.data[i].body;
        ok = is_index(body, bodies) && world->details.data[body].kept == i + 1;
    }
    return ok && links == world->shapes.count; // every shape is in the list of its body
}

// ---- materials, loads, joints ----

static bool knows_series(const CnWorld* world, CnSeriesId id) {
    return id.index == 0 || cn_pool_get(&world->series, CN_POOL_ID(id)) != NULL;
}

static bool are_joints_sound(const CnWorld* world) {
    bool ok = is_pool_sound(&world->joints) && is_pool_sound(&world->constraints) &&
              is_pool_sound(&world->separations);
    for (int i = 0; ok && i < cn_pool_slot_count(&world->joints); ++i) {
        const CnJoint* joint = cn_pool_at(&world->joints, i);
        ok = joint == NULL || knows_series(world, joint->spring_table);
        for (int k = 0; ok && joint != NULL && k < joint->axis_count; ++k) {
            ok = knows_series(world, joint->axes[k].settings.series);
        }
    }
    for (int i = 0; ok && i < world->constraint_order.count; ++i) {
        CnConstraintId id = world->constraint_order.data[i];
        ok = cn_pool_get(&world->constraints, CN_POOL_ID(id)) != NULL;
    }
    for (int i = 0; ok && i < cn_pool_slot_count(&world->separations); ++i) {
        const CnSeparation* separation = cn_pool_at(&world->separations, i);
        ok = separation == NULL || (cn_world_body(world, separation->body_a) != NULL &&
                                    cn_world_body(world, separation->body_b) != NULL);
    }
    return ok;
}

static bool are_loads_sound(const CnWorld* world) {
    bool ok = is_pool_sound(&world->materials) && is_pool_sound(&world->forces) &&
              is_pool_sound(&world->given_contacts);
    for (int i = 0; ok && i < cn_pool_slot_count(&world->forces); ++i) {
        const CnForceDef* force = cn_pool_at(&world->forces, i);
        ok = force == NULL || (is_index((int)force->frame, CN_FORCE_CARRIED + 1) &&
                               knows_series(world, force->series));
    }
    for (int i = 0; ok && i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        ok = given == NULL || (is_index(given->record, world->pairs.records.count) &&
                               world->pairs.records.data[given->record].in_use &&
                               world->pairs.records.data[given->record].given == i &&
                               cn_world_knows_material(world, given->material_a) &&
                               cn_world_knows_material(world, given->material_b));
    }
    return ok;
}

// ---- pairs ----

// The shapes of a pair that is still one.
static bool are_ends_sound(const CnWorld* world, const CnPairRecord* record) {
    int slots = cn_pool_slot_count(&world->shapes);
    bool ok = true;
    for (int i = 0; ok && i < 2; ++i) {
        int shape = record->shape[i];
        ok = is_index(shape, slots) && shape < world->pairs.heads.count;
        if (ok && !record->is_gone) {
            ok = cn_pool_at(&world->shapes, shape) != NULL &&
                 (record->manifold < 0 ||
                  cn_world_shape_at(world, shape)->body < world->posed.count);
        }
    }
    return ok;
}

static bool is_record_sound(const CnWorld* world, int index) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    int links = 2 * world->pairs.records.count;
    if (!record->in_use) {
        return true;
    }
    bool ok = is_within(record->manifold, world->pairs.manifolds.count) &&
              is_within(record->given, cn_pool_slot_count(&world->given_contacts));
    for (int i = 0; ok && i < 2; ++i) {
        ok = is_within(record->link[i].previous, links) && is_within(record->link[i].next, links);
    }
    if (ok && record->given >= 0) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, record->given);
        return given != NULL && given->record == index;
    }
    return ok && are_ends_sound(world, record);
}

// A free one, or one whose tile is to be built, may still name bodies that are gone.
static bool is_manifold_sound(const CnWorld* world, const CnManifold* manifold) {
    const CnContactTile* tile = &manifold->tile;
    if (!manifold->in_use) {
        return true;
    }
    bool ok = manifold->count >= 0 && manifold->count <= CN_TILE_POINTS &&
              is_index(manifold->pair, world->pairs.records.count) &&
              is_within(manifold->next, world->pairs.manifolds.count) &&
              (tile->acting == 0 || tile->row_count == 1 || tile->row_count == 3);
    if (!ok || !manifold->has_tile) {
        return ok;
    }
    return is_within(tile->body_a, world->bodies.count) &&
           is_within(tile->body_b, world->bodies.count) && tile->acting >> manifold->count == 0 &&
           (manifold->is_framed || manifold->is_wide);
}

// The manifolds of all records, each in the list of its own.
static bool are_manifolds_owned(const CnPairStore* store) {
    int visits = 0;
    bool ok = true;
    for (int i = 0; ok && i < store->records.count; ++i) {
        for (int m = store->records.data[i].in_use ? store->records.data[i].manifold : CN_NONE;
             ok && m >= 0; m = cn_manifold_at(store, m)->next) {
            ok = cn_manifold_at(store, m)->in_use && cn_manifold_at(store, m)->pair == i &&
                 ++visits <= store->manifolds.count;
        }
    }
    return ok;
}

static bool are_free_lists_sound(const CnPairStore* store) {
    int records = store->records.count, manifolds = store->manifolds.count, visits = 0;
    bool ok = true;
    for (int r = store->free_record; ok && r != CN_NONE;) {
        ok = is_index(r, records) && !store->records.data[r].in_use && ++visits <= records;
        r = ok ? store->records.data[r].manifold : CN_NONE;
    }
    visits = 0;
    for (int m = store->free_manifold; ok && m != CN_NONE;) {
        ok = is_index(m, manifolds) && !cn_manifold_at(store, m)->in_use && ++visits <= manifolds;
        m = ok ? cn_manifold_at(store, m)->next : CN_NONE;
    }
    return ok;
}

// The list of the pairs of a shape; *count: how many they are.
static bool is_pair_list_sound(const CnPairStore* store, int slot, int* count) {
    int last = CN_NONE;
    bool ok = true;
    for (int l = store->heads.data[slot]; ok && l != CN_NONE; ++*count) {
        ok = is_index(l, 2 * store->records.count);
        const CnPairRecord* record = ok ? &store->records.data[l / 2] : NULL;
        ok = ok && record->in_use && record->given < 0 && !record->is_gone &&
             record->shape[l % 2] == slot && record->link[l % 2].previous == last;
        last = l;
        l = ok ? record->link[l % 2].next : CN_NONE;
    }
    return ok;
}

static bool are_pairs_sound(const CnWorld* world) {
    const CnPairStore* store = &world->pairs;
    int links = 0;
    bool may_be_frames = world->def.step.scheme == CN_SCHEME_SOFT_STEP && world->exact_count == 0;
    bool has_rows = cn_pair_store_has_rows(store);
    int kept = has_rows && store->keeps_apart ? store->manifolds.count : 0;
    int frames = has_rows ? 0 : store->frames.count; // or none: all impulses are zero
    bool ok = store->kept.count == kept && store->frames.count == frames &&
              (frames == 0 || frames == store->manifolds.count) &&
              (has_rows || (may_be_frames && store->keeps_apart)) && are_free_lists_sound(store);
    for (int i = 0; ok && i < store->manifolds.count; ++i) {
        ok = is_manifold_sound(world, cn_manifold_at(store, i));
    }
    for (int i = 0; ok && i < store->records.count; ++i) {
        const CnPairRecord* record = &store->records.data[i];
        ok = is_record_sound(world, i);
        links += record->in_use && record->given < 0 && !record->is_gone ? 2 : 0;
    }
    for (int i = 0; ok && i < store->heads.count; ++i) {
        int count = 0;
        ok = is_pair_list_sound(store, i, &count);
        links -= count;
    }
    return ok && links == 0 && are_manifolds_owned(store);
}

// ---- the broad phase ----

// What is in a tree has a box.
static bool is_box_sound(const CnProxy* proxy, const CnFloatBox* box) {
    bool ok = proxy->is_new || proxy->removed || box->low[0] <= box->high[0];
    for (int i = 0; i < 3; ++i) {
        ok = ok && !isnan(box->low[i]) && !isnan(box->high[i]);
    }
    return ok;
}

// Shapes that are gone, and those of disabled bodies.
static bool is_out_of_search(const CnWorld* world, int slot) {
    const CnWorldShape* shape = cn_pool_at(&world->shapes, slot);
    return shape == NULL || world->bodies.data[shape->body].disabled;
}

static bool are_proxies_sound(const CnWorld* world) {
    const CnBroadPhase* phase = &world->broad_phase;
    int proxies = phase->proxies.count, unbounded = 0, stirred = 0;
    bool ok = proxies <= cn_pool_slot_count(&world->shapes) && phase->fat.count == proxies &&
              phase->stirred.count == proxies;
    for (int i = 0; ok && i < proxies; ++i) {
        const CnProxy* proxy = &phase->proxies.data[i];
        unbounded += proxy->unbounded;
        stirred += phase->stirred.data[i] != 0;
        ok = proxy->removed == is_out_of_search(world, i) &&
             is_box_sound(proxy, &phase->fat.data[i]);
    }
    ok = ok && phase->unbounded.count == unbounded && (stirred == 0 || phase->is_stirred);
    for (int i = 0; ok && i < phase->unbounded.count; ++i) {
        int proxy = phase->unbounded.data[i];
        ok = is_index(proxy, proxies) && phase->proxies.data[proxy].unbounded;
    }
    return ok;
}

// A pair of a shape that is gone is about to be dropped.
static bool is_pair_alive(const CnWorld* world, int a, int b) {
    const uint8_t* stirred = world->broad_phase.stirred.data;
    return stirred[a] != 0 || stirred[b] != 0 ||
           (cn_pool_at(&world->shapes, a) != NULL && cn_pool_at(&world->shapes, b) != NULL);
}

// Pairs are in order, and each record is that of its pair; those without one will get one.
static bool are_found_pairs_sound(const CnWorld* world) {
    const CnPairSet* set = &world->broad_phase.set;
    bool ok = set->pairs.count == set->records.count;
    for (int i = 0; ok && i < set->pairs.count; ++i) {
        CnPair pair = set->pairs.data[i];
        int a = cn_pair_first(pair), b = cn_pair_second(pair), index = set->records.data[i];
        ok = a >= 0 && a < b && b < world->broad_phase.proxies.count &&
             (i == 0 || set->pairs.data[i - 1] < pair) &&
             (index == CN_NO_RECORD ? world->broad_phase.has_new_pairs
                                    : is_index(index, world->pairs.records.count));
        if (ok && index != CN_NO_RECORD) {
            const CnPairRecord* record = &world->pairs.records.data[index];
            ok = record->in_use && record->given < 0 && record->shape[0] == a &&
                 record->shape[1] == b && is_pair_alive(world, a, b);
        }
    }
    return ok;
}

static bool are_events_sound(const CnWorld* world) {
    const CnEventList* kept = &world->events.kept;
    bool ok = true;
    for (int i = 0; ok && i < kept->events.count; ++i) {
        const CnKeptEvent* event = &kept->events.data[i];
        ok = is_index((int)event->type, CN_EVENT_TYPE_COUNT) &&
             is_within(event->rare, kept->rare.count);
    }
    for (int i = 0; ok && i < CN_WARNING_KIND_COUNT; ++i) {
        const CnWarning* warning = &world->warnings.kinds[i];
        ok = is_index((int)warning->kind, CN_WARNING_KIND_COUNT);
    }
    return ok;
}

static bool is_loop_sound(const CnWorld* world) {
    const CnLoop* loop = &world->loop;
    return isfinite(loop->remainder) && loop->before.count <= world->bodies.count;
}

bool cn_state_is_sound(const CnWorld* world) {
    return world->next_turn >= 0 && is_loop_sound(world) && are_bodies_sound(world) &&
           are_loads_sound(world) && are_joints_sound(world) && are_pairs_sound(world) &&
           are_proxies_sound(world) && are_found_pairs_sound(world) && are_events_sound(world);
}
