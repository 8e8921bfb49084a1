// contacts.c - contacts at given poses, as a list: of manifolds, and for those who only look.
#include "world/contacts/contacts.h"

#include "world/contacts/contact_hooks.h"
#include "world/contacts/given_contacts.h"
#include "world/events/events.h"

static uint64_t pair_key(const CnWorld* world, const CnPairRecord* record) {
    uint64_t key = cn_hash_mix(CN_HASH_SEED, cn_world_shape_key(world, record->shape[0]));
    return cn_hash_mix(key, cn_world_shape_key(world, record->shape[1]));
}

static CnMaterialId material_of(const CnWorld* world, int slot) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    return shape->shape.material.index != 0 ? shape->shape.material
                                            : world->details.data[shape->body].material;
}

// A contact of a pair without its point.
static CnContact contact_of(const CnWorld* world, int index, const CnBodyState* states) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    int slot_a = record->shape[0], slot_b = record->shape[1];
    CnContact contact = {
        .body_a = cn_world_shape_at(world, slot_a)->body,
        .body_b = cn_world_shape_at(world, slot_b)->body,
        .shape_a = slot_a,
        .shape_b = slot_b,
        .record = index,
        .given = CN_NONE,
        .fast = cn_places_are_cut(world, slot_a, slot_b),
    };
    cn_contact_take_materials(world, material_of(world, slot_a), material_of(world, slot_b), states,
                              &contact);
    return contact;
}

CnContact cn_manifold_contact(const CnWorld* world, const CnManifold* manifold,
                              const CnBodyState* states) {
    int given = world->pairs.records.data[manifold->pair].given;
    CnContact contact = given < 0 ? contact_of(world, manifold->pair, states)
                                  : cn_given_contact_of(world, given, states);
    contact.normal = manifold->normal;
    return contact;
}

void cn_contact_set_point(CnContact* contact, const CnTouchPoint* point,
                          const CnTouchExtras* extras) {
    contact->start_gap = extras == NULL ? 0.0 : extras->start_gap;
    if (extras != NULL && extras->has_material) {
        contact->friction = extras->friction;
        contact->restitution = extras->restitution;
        contact->surface_velocity_a = cn_vec3(0.0, 0.0, 0.0);
        contact->surface_velocity_b = extras->surface_velocity;
    }
    contact->point = point->point;
    contact->gap = point->gap;
    contact->approach = point->approach;
    contact->feature = point->feature;
}

uint64_t cn_contact_key(const CnWorld* world, const CnContact* contact) {
    return contact->given >= 0
               ? cn_given_contact_key(world, contact->given)
               : cn_hash_mix(pair_key(world, &world->pairs.records.data[contact->record]),
                             contact->feature);
}

// All contacts of a pair, with the point and the normal of each.
static bool add_found(CnWorld* world, const CnBodyState* states, const CnFoundPair* pair,
                      CnContactArray* found) {
    const CnManifoldPoint* points = cn_found_points(world, pair);
    CnPairRecord* record = &world->pairs.records.data[pair->record];
    record->end_gap = HUGE_VAL;
    if (pair->count == 0) {
        return true;
    }
    CnContact contact = contact_of(world, pair->record, states);
    for (int i = 0; i < pair->count; ++i) {
        contact.point = points[i].point;
        contact.normal = points[i].normal;
        contact.gap = points[i].gap;
        contact.feature = points[i].feature;
        record->end_gap = fmin(record->end_gap, contact.gap);
        if (!cn_array_push(found, &world->allocator, contact)) {
            return false;
        }
    }
    return true;
}

// A pair that has not moved since its manifolds were found still has their points.
static void measure_still(CnWorld* world, CnPairRecord* record, double* least) {
    record->end_gap = HUGE_VAL;
    for (int m = record->manifold; m >= 0; m = world->pairs.manifolds.data[m].next) {
        const CnManifold* manifold = &world->pairs.manifolds.data[m];
        for (int i = 0; i < manifold->count; ++i) {
            record->end_gap = fmin(record->end_gap, manifold->points[i].gap);
        }
    }
    if (record->end_gap > world->def.step.contact_margin) {
        record->end_gap = HUGE_VAL;
    }
    *least = fmin(*least, record->end_gap);
}

static bool moved(const CnWorld* world, const CnPairRecord* record, double margin) {
    (void)margin;
    return !cn_pair_is_still(world, record);
}

static bool all(const CnWorld* world, const CnPairRecord* record, double margin) {
    (void)world;
    (void)record;
    (void)margin;
    return true;
}

CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   double* still_gap, CnContactArray* found) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSearch search;
    found->count = 0;
    CnStatus status = cn_world_find_pairs(world, states, dt);
    if (status == CN_OK) {
        status = cn_search_pairs(world, still_gap != NULL ? moved : all, &search);
    }
    for (int i = 0; status == CN_OK && i < search.count; ++i) {
        status = add_found(world, states, &search.found[i], found) ? CN_OK : CN_NO_MEMORY;
    }
    if (status == CN_OK && still_gap != NULL) {
        const CnPairSet* set = &world->broad_phase.set;
        *still_gap = HUGE_VAL;
        for (int i = 0; i < set->pairs.count; ++i) {
            CnPairRecord* record = &world->pairs.records.data[set->records.data[i]];
            if (!record->is_sensor && !record->is_gone && cn_pair_is_still(world, record)) {
                measure_still(world, record, still_gap);
            }
        }
    }
    cn_arena_release(&world->arena, mark);
    if (status == CN_OK) {
        status = cn_world_add_given_contacts(world, states, dt, found);
    }
    if (status == CN_OK) {
        cn_contact_hooks_apply(world, found);
    }
    return status;
}

// Pairs whose shapes are others by now, under the same slots, begin anew.
static CnStatus assign_record(CnWorld* world, int pair) {
    CnPairSet* set = &world->broad_phase.set;
    CnPairStore* store = &world->pairs;
    int old = set->records.data[pair];
    if (old != CN_NO_RECORD && !store->records.data[old].is_gone) {
        return CN_OK;
    }
    int slot_a = cn_pair_first(set->pairs.data[pair]);
    int slot_b = cn_pair_second(set->pairs.data[pair]);
    int record = cn_pair_store_add_pair(store, slot_a, slot_b);
    if (record < 0) {
        return CN_NO_MEMORY;
    }
    if (old != CN_NO_RECORD) {
        cn_pair_store_drop_record(store, old);
    }
    store->records.data[record].is_sensor = cn_world_shape_at(world, slot_a)->shape.sensor ||
                                            cn_world_shape_at(world, slot_b)->shape.sensor;
    set->records.data[pair] = record;
    return CN_OK;
}

CnStatus cn_world_assign_records(CnWorld* world) {
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && world->broad_phase.has_new_pairs &&
                    i < world->broad_phase.set.pairs.count;
         ++i) {
        status = assign_record(world, i);
    }
    if (status == CN_OK && cn_events_reserve_ends(world)) {
        world->broad_phase.has_new_pairs = false;
        return CN_OK;
    }
    return CN_NO_MEMORY;
}

CnStatus cn_world_find_pairs(CnWorld* world, const CnBodyState* states, double dt) {
    CnStatus status = cn_places_update(world, states, dt);
    return status == CN_OK ? cn_world_assign_records(world) : status;
}

void cn_world_forget_shape(CnWorld* world, int slot) {
    CnPairStore* store = &world->pairs;
    int link;
    while ((link = cn_pair_store_first(store, slot)) >= 0) {
        cn_events_forget_record(world, link / 2);
        cn_pair_store_forget(store, link / 2);
    }
}
