// soft_known.c - scheme soft_step: what is known of pairs that nothing has happened to.
#include "world/soft/soft_known.h"

#include "world/soft/soft_pack.h"
#include "world/world.h"

#include <string.h>

bool cn_soft_stir(CnWorld* world, const CnProxyBounds* moved, int count) {
    CnSoftStore* store = world->soft;
    int slots = cn_pool_slot_count(&world->shapes);
    if (!cn_array_reserve(&store->stirred, &world->allocator, slots)) {
        return false;
    }
    while (store->stirred.count < slots) {
        store->stirred.data[store->stirred.count++] = 1;
    }
    for (int i = 0; i < count; ++i) {
        store->stirred.data[moved[i].proxy] = 1;
    }
    return true;
}

// Of the two shapes one that can move: what does not may be in many pairs, which would be looked
// at.
void cn_soft_stir_pair(const CnWorld* world, int index) {
    const CnSoftStore* store = world->soft;
    const CnPairRecord* record = &world->pairs.records.data[index];
    int a = record->shape[0], b = record->shape[1];
    if (index < store->known.count) {
        store->known.data[index] = 0;
    }
    if (a < store->stirred.count && b < store->stirred.count && !store->stirred.data[a] &&
        !store->stirred.data[b]) {
        bool is_a = world->bodies.data[record->body[0]].type == CN_BODY_DYNAMIC;
        store->stirred.data[is_a ? a : b] = 1;
    }
}

void cn_soft_note_search(CnWorld* world) {
    CnSoftStore* store = world->soft;
    if (store->stirred.count > 0) {
        memset(store->stirred.data, 0, (size_t)store->stirred.count);
    }
    store->has_searched = true;
    store->surfaces = world->surfaces;
}

bool cn_soft_is_any_stirred(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    return store->stirred.count > 0 &&
           memchr(store->stirred.data, 1, (size_t)store->stirred.count) != NULL;
}

const uint8_t* cn_soft_stirred(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    bool is_known = store->has_searched && store->is_made && store->run.are_known &&
                    store->active == world->active.version && world->tile_posing.is_valid &&
                    world->tile_posing.theta == CN_SOFT_POSING;
    return is_known ? store->stirred.data : NULL;
}

bool cn_soft_reserve_known(CnWorld* world) {
    CnSoftStore* store = world->soft;
    int count = world->pairs.records.count, capacity = world->pairs.records.capacity;
    if (!cn_array_reserve(&store->known, &world->allocator, capacity) ||
        !cn_array_reserve(&store->only, &world->allocator, capacity)) {
        return false;
    }
    int known = cn_soft_stirred(world) == NULL ? 0 : store->known.count;
    if (known < count) {
        memset(store->known.data + known, 0, (size_t)(count - known));
    }
    store->known.count = store->only.count = count;
    return true;
}

CnSoftKnown cn_soft_known(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    return is_soft && store->known.count >= world->pairs.records.count
               ? (CnSoftKnown){store->known.data, store->only.data}
               : (CnSoftKnown){NULL, NULL};
}

bool cn_soft_has_no_manifold(const CnWorld* world, int record) {
    const CnSoftStore* store = world->soft;
    return store->known.data[record] == (CN_KNOWN_LIST | CN_KNOWN_CALM) &&
           store->only.data[record] < 0;
}

void cn_soft_note_list(const CnWorld* world, int index) {
    CnSoftKnown known = cn_soft_known(world);
    const CnPairRecord* record = &world->pairs.records.data[index];
    int manifold = record->manifold;
    if (known.bits == NULL) {
        return;
    }
    known.only[index] = manifold;
    if (manifold < 0 && !record->is_touching && !record->is_sensor && !record->is_gone) {
        known.bits[index] = CN_KNOWN_LIST | CN_KNOWN_CALM;
    } else if (manifold >= 0 && cn_manifold_at(&world->pairs, manifold)->next < 0 &&
               cn_manifold_at(&world->pairs, manifold)->is_listed) {
        known.bits[index] = (uint8_t)(known.bits[index] | CN_KNOWN_LIST);
    }
}

// The materials of two plain surfaces make no belt, and friction that is the same in every step.
bool cn_soft_take_found(CnWorld* world, int index, CnIntArray* renewed) {
    const CnPairRecord* record = &world->pairs.records.data[index];
    int manifold = record->manifold;
    if (world->def.step.scheme != CN_SCHEME_SOFT_STEP || !world->soft->run.poses_found) {
        return true;
    }
    if (manifold >= 0) {
        const CnManifold* own = cn_manifold_at(&world->pairs, manifold);
        if (!own->is_listed || record->surfaces != world->surfaces) {
            return true;
        }
        if (!cn_array_push(renewed, &world->allocator, manifold)) {
            return false;
        }
        cn_soft_pose_manifold(world, manifold);
        world->soft->notes.data[manifold] =
            (CnSoftNote){{own->tile.body_a, own->tile.body_b}, index, (uint8_t)own->count, true};
    }
    cn_soft_note_list(world, index);
    return true;
}

bool cn_soft_note_renewed(CnWorld* world, const CnIntArray* renewed) {
    bool ok = true;
    for (int i = 0; ok && i < renewed->count; ++i) {
        ok = cn_array_push(&world->soft->renewed, &world->allocator, renewed->data[i]);
    }
    return ok;
}

bool cn_soft_reserve_notes(CnWorld* world) {
    CnSoftStore* store = world->soft;
    int count = world->pairs.manifolds.count;
    if (!cn_array_reserve(&store->notes, &world->allocator, count)) {
        return false;
    }
    while (store->notes.count < count) {
        store->notes.data[store->notes.count++] =
            (CnSoftNote){{CN_NONE, CN_NONE}, CN_NONE, 0, false};
    }
    return true;
}

void cn_soft_forget_note(const CnWorld* world, int manifold) {
    if (manifold < world->soft->notes.count) {
        world->soft->notes.data[manifold].contacts = 0;
    }
}

// Notes are those of manifolds as long as nobody but this scheme has changed any.
static const CnSoftNote* note_of(const CnWorld* world, int manifold) {
    const CnSoftStore* store = world->soft;
    bool is_known = store->run.are_known && world->exact_count == 0 &&
                    manifold < store->notes.count && store->notes.data[manifold].contacts > 0;
    return is_known ? &store->notes.data[manifold] : NULL;
}

int cn_soft_record_of(const CnWorld* world, int manifold) {
    const CnSoftNote* note = note_of(world, manifold);
    return note != NULL ? note->record : cn_manifold_at(&world->pairs, manifold)->pair;
}

bool cn_soft_keeps_lane(const CnWorld* world, int manifold) {
    const CnSoftNote* note = note_of(world, manifold);
    return note != NULL ? !note->is_new : cn_soft_has_lane(world, manifold);
}

bool cn_soft_is_pressed(const CnWorld* world, int record) {
    const CnSoftStore* store = world->soft;
    bool is_pressed = false;
    for (int m = world->pairs.records.data[record].manifold; m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        CnSoftLanes lanes = cn_soft_lanes_of(world, m);
        for (int i = lanes.first; i < lanes.first + lanes.count && i < store->lane.count; ++i) {
            int lane = store->lane.data[i];
            is_pressed =
                is_pressed ||
                (lane >= 0 &&
                 (cn_soft_tile_of(store, lane)->touching >> lane % CN_SOFT_LANES & 1) != 0);
        }
    }
    return is_pressed;
}

void cn_soft_wake_record(const CnWorld* world, int record) {
    CnSoftKnown known = cn_soft_known(world);
    if (known.bits != NULL) {
        known.bits[record] = (uint8_t)(known.bits[record] & ~CN_KNOWN_CALM);
    }
}

void cn_soft_wake_records(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    for (int i = 0; i < store->groups.count; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        for (int t = group->first_slot; group->has_changed && t < cn_soft_end_slot(group);
             t += cn_soft_tile_at(store, t)->slots) {
            for (unsigned left = cn_soft_tile_at(store, t)->turned; left != 0; left &= left - 1) {
                int lane = CN_SOFT_LANES * t + __builtin_ctz(left);
                if (store->manifold.data[lane] >= 0) {
                    cn_soft_wake_record(world, store->record.data[lane]);
                }
            }
        }
    }
}
