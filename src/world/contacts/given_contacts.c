// given_contacts.c - contacts given by hand: added, found at given poses, removed.
#include "world/contacts/given_contacts.h"

#include "base/error.h"
#include "world/bodies/body_links.h"
#include "world/events/events.h"
#include "world/soft/soft_pack.h"
#include "world/step/solve_step.h"
#include "world/validate.h"

// Keys of contacts given by hand start from another seed than those of shape pairs.
#define GIVEN_SEED (CN_HASH_SEED ^ UINT64_C(0x676976656e)) // "given"

static CnStatus check_new_contact(const CnWorld* world, const CnContactDef* def, CnError* error) {
    CnStatus status = cn_validate_contact(def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (!cn_world_knows_material(world, def->material_a) ||
        !cn_world_knows_material(world, def->material_b)) {
        return cn_error_set(error, CN_STALE, "a material of the contact does not exist");
    }
    const CnBody* a = cn_world_body(world, def->body_a);
    const CnBody* b = cn_world_body(world, def->body_b);
    if (b == NULL || (a == NULL && def->body_a.index != 0)) {
        return cn_error_set(error, CN_STALE, "a body of the contact does not exist");
    }
    if (a == b) {
        return cn_error_set(error, CN_INVALID, "a contact needs two different bodies");
    }
    if (!cn_body_is_movable(b) && !cn_body_is_movable(a)) {
        return cn_error_set(error, CN_INVALID,
                            "neither body of the contact can be moved: one of "
                            "them must be dynamic");
    }
    return CN_OK;
}

CnContactId cn_world_add_contact(CnWorld* world, const CnContactDef* def, CnError* error) {
    if (check_new_contact(world, def, error) != CN_OK) {
        return (CnContactId){0};
    }
    CnGivenContact* given = NULL;
    char* name = cn_world_copy_name(world, def->name);
    CnPoolId id =
        name == NULL ? (CnPoolId){0} : cn_pool_add(&world->given_contacts, (void**)&given);
    int record =
        given == NULL ? CN_NONE : cn_pair_store_add_given(&world->pairs, (int)id.index - 1);
    if (given != NULL && (record < 0 || !cn_world_link(world, CN_LINK_CONTACT, (int)id.index - 1,
                                                       def->body_a, def->body_b))) {
        if (record >= 0) {
            cn_pair_store_drop_record(&world->pairs, record);
        }
        cn_pool_undo_add(&world->given_contacts, id);
        given = NULL;
    }
    if (given == NULL) {
        cn_name_free(&world->allocator, name);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a contact");
        return (CnContactId){0};
    }
    CnBodyState still = {.rotation = cn_quat_identity()};
    const CnBody* a = cn_world_body(world, def->body_a);
    const CnBodyState* state_a = a == NULL ? &still : &a->state;
    const CnBodyState* state_b = &cn_world_body(world, def->body_b)->state;
    *given = (CnGivenContact){
        .name = name,
        .body_a = def->body_a,
        .body_b = def->body_b,
        .anchor_a = cn_quat_unrotate(state_a->rotation, cn_vec3_sub(def->point, state_a->center)),
        .normal_a = cn_quat_unrotate(state_a->rotation, cn_vec3_normalize(def->normal)),
        .anchor_b = cn_quat_unrotate(state_b->rotation, cn_vec3_sub(def->point, state_b->center)),
        .offset = def->gap,
        .material_a = def->material_a,
        .material_b = def->material_b,
        .record = record,
    };
    cn_sleep_wake_two(world, def->body_a, def->body_b);
    return (CnContactId){id.index, id.generation};
}

// The last step's problem stays there to look at, its list of contacts does without this one.
static void forget_manifold(CnWorld* world, int manifold) {
    CnIntArray* list = &world->step.manifolds;
    int kept = 0;
    if (manifold < 0) {
        return;
    }
    if (cn_step_assemble(world) == NULL) {
        cn_world_forget_step(world);
    }
    for (int i = 0; i < list->count; ++i) {
        if (list->data[i] != manifold) {
            list->data[kept++] = list->data[i];
        }
    }
    list->count = kept;
}

CnStatus cn_world_remove_contact(CnWorld* world, CnContactId contact) {
    CnGivenContact* given = cn_pool_get(&world->given_contacts, CN_POOL_ID(contact));
    if (given == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    if (!cn_events_reserve_ends(world, 1)) {
        return CN_NO_MEMORY;
    }
    cn_sleep_wake_two(world, given->body_a, given->body_b);
    cn_world_unlink(world, CN_LINK_CONTACT, (int)contact.index - 1, given->body_a, given->body_b);
    cn_events_forget_record(world, given->record);
    forget_manifold(world, world->pairs.records.data[given->record].manifold);
    cn_pair_store_drop_record(&world->pairs, given->record);
    cn_name_free(&world->allocator, given->name);
    return cn_pool_remove(&world->given_contacts, CN_POOL_ID(contact));
}

static CnTransform pose_of(const CnBodyState* state) {
    return (CnTransform){state->center, state->rotation};
}

static double point_speed(const CnBodyState* state, CnVec3 point) {
    CnVec3 arm = cn_vec3_sub(point, state->center);
    return cn_vec3_length(
        cn_vec3_add(state->velocity, cn_vec3_cross(state->angular_velocity, arm)));
}

static CnMaterialId given_material(const CnWorld* world, CnMaterialId own, CnBodyId body) {
    int owner = cn_world_body_index(world, body);
    return own.index != 0 || owner < 0 ? own : world->details.data[owner].material;
}

uint64_t cn_given_contact_key(const CnWorld* world, int slot) {
    CnPoolId id = cn_pool_id_at(&world->given_contacts, slot);
    return cn_hash_mix(GIVEN_SEED, (uint64_t)id.index << 32 | id.generation);
}

CnContact cn_given_contact_of(const CnWorld* world, int slot, const CnBodyState* states) {
    const CnGivenContact* given = cn_pool_at(&world->given_contacts, slot);
    CnContact contact = {
        .body_a = cn_world_body_index(world, given->body_a),
        .body_b = cn_world_body_index(world, given->body_b),
        .shape_a = CN_NONE,
        .shape_b = CN_NONE,
        .record = given->record,
        .given = slot,
    };
    cn_contact_take_materials(world, given_material(world, given->material_a, given->body_a),
                              given_material(world, given->material_b, given->body_b), states,
                              &contact);
    return contact;
}

// Where a contact given by hand is at some poses.
typedef struct GivenPoint {
    CnVec3 point, normal;
    double gap, speed; // speeds of the two bodies there, added up [m/s]
} GivenPoint;

// A point of B against the plane that A carries: gap = n . (x_B - x_A) + offset. Its rate is the
// row [-n, -(r_A x n), n, r_B x n] with both arms drawn to the point of B.
static GivenPoint find_point(const CnWorld* world, const CnGivenContact* given,
                             const CnBodyState* states) {
    CnBodyState still = {.rotation = cn_quat_identity()};
    int a = cn_world_body_index(world, given->body_a);
    int b = cn_world_body_index(world, given->body_b);
    const CnBodyState* state_a = a >= 0 ? &states[a] : &still;
    CnVec3 on_plane = cn_transform_point(pose_of(state_a), given->anchor_a);
    CnVec3 point = cn_transform_point(pose_of(&states[b]), given->anchor_b);
    CnVec3 normal = cn_quat_rotate(state_a->rotation, given->normal_a);
    return (GivenPoint){
        .point = point,
        .normal = normal,
        .gap = cn_vec3_dot(normal, cn_vec3_sub(point, on_plane)) + given->offset,
        .speed = point_speed(state_a, point) + point_speed(&states[b], point),
    };
}

// Not on a disabled body, nor between two that nothing moves.
static bool acts(const CnWorld* world, const CnGivenContact* given) {
    const CnBody* a = cn_world_body(world, given->body_a);
    const CnBody* b = cn_world_body(world, given->body_b);
    bool disabled = (a != NULL && a->disabled) || (b != NULL && b->disabled);
    bool moves =
        (a != NULL && a->type == CN_BODY_DYNAMIC) || (b != NULL && b->type == CN_BODY_DYNAMIC);
    return moves && !disabled;
}

static CnStatus set_point(CnWorld* world, const CnGivenContact* given, const GivenPoint* point) {
    CnPairStore* store = &world->pairs;
    int manifold = store->records.data[given->record].manifold;
    cn_soft_flush_record(world, given->record);
    if (!cn_pair_store_save_record(store, given->record) ||
        (manifold >= 0 && !cn_pair_store_save_manifold(store, manifold))) {
        return CN_NO_MEMORY;
    }
    if (manifold < 0) {
        manifold = cn_pair_store_add_manifold(store, given->record);
    }
    if (manifold < 0) {
        return CN_NO_MEMORY;
    }
    CnManifold* own = cn_manifold_at(store, manifold);
    store->records.data[given->record].manifold = manifold;
    own->count = 1;
    cn_pair_store_unframe(store, manifold);
    cn_manifold_set_normal(own, point->normal);
    cn_manifold_set_point(own, 0, point->point);
    own->points[0].gap = point->gap;
    own->has_tile = false;
    return CN_OK;
}

static CnStatus drop_point(CnWorld* world, const CnGivenContact* given) {
    CnPairStore* store = &world->pairs;
    int manifold = store->records.data[given->record].manifold;
    if (manifold >= 0) {
        if (!cn_pair_store_save_record(store, given->record)) {
            return CN_NO_MEMORY;
        }
        store->records.data[given->record].manifold = CN_NONE;
        cn_pair_store_drop_manifold(store, manifold);
    }
    return CN_OK;
}

CnStatus cn_given_contacts_update(CnWorld* world, const CnBodyState* states, double dt) {
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given != NULL && !cn_sleep_are_idle(world, given->body_a, given->body_b)) {
            GivenPoint point = find_point(world, given, states);
            bool is_near = acts(world, given) &&
                           point.gap <= world->def.step.contact_margin + dt * point.speed;
            status = is_near ? set_point(world, given, &point) : drop_point(world, given);
        }
    }
    return status;
}

CnStatus cn_world_add_given_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                     bool with_sleepers, CnContactArray* found) {
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given == NULL ||
            (!with_sleepers && cn_sleep_are_idle(world, given->body_a, given->body_b))) {
            continue;
        }
        GivenPoint point = find_point(world, given, states);
        CnPairRecord* record = &world->pairs.records.data[given->record];
        bool is_near =
            acts(world, given) && point.gap <= world->def.step.contact_margin + dt * point.speed;
        record->end_gap = is_near ? point.gap : HUGE_VAL;
        if (!is_near) {
            continue;
        }
        CnContact contact = cn_given_contact_of(world, i, states);
        contact.point = point.point;
        contact.normal = point.normal;
        contact.gap = point.gap;
        if (!cn_array_push(found, &world->allocator, contact)) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

CnStatus cn_contact_read(const CnWorld* world, CnContactId id, CnContactDef* def) {
    const CnGivenContact* given = cn_pool_get(&world->given_contacts, CN_POOL_ID(id));
    *def = cn_contact_def_default();
    if (given == NULL) {
        return CN_STALE;
    }
    const CnBody* a = cn_world_body(world, given->body_a);
    const CnBodyState* state_a = a == NULL ? &cn_immovable : &a->state;
    const CnBodyState* state_b = &cn_world_body(world, given->body_b)->state;
    CnVec3 on_plane = cn_transform_point(pose_of(state_a), given->anchor_a);
    def->name = given->name;
    def->body_a = given->body_a;
    def->body_b = given->body_b;
    def->material_a = given->material_a;
    def->material_b = given->material_b;
    def->point = cn_transform_point(pose_of(state_b), given->anchor_b);
    def->normal = cn_quat_rotate(state_a->rotation, given->normal_a);
    def->gap = cn_vec3_dot(def->normal, cn_vec3_sub(def->point, on_plane)) + given->offset;
    return CN_OK;
}

static int list_id(const CnWorld* world, int slot, CnContactId* ids, int count, int capacity) {
    CnPoolId id = cn_pool_id_at(&world->given_contacts, slot);
    if (count < capacity) {
        ids[count] = (CnContactId){id.index, id.generation};
    }
    return count + 1;
}

int cn_world_given_contacts(const CnWorld* world, CnContactId* ids, int capacity) {
    int count = 0;
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        if (cn_pool_at(&world->given_contacts, i) != NULL) {
            count = list_id(world, i, ids, count, capacity);
        }
    }
    return count;
}

int cn_body_given_contacts(const CnWorld* world, CnBodyId body, CnContactId* ids, int capacity) {
    int index = cn_world_body_index(world, body), count = 0;
    if (index < 0) {
        return -1;
    }
    for (int link = cn_body_first_link(world, index, CN_LINK_CONTACT); link != 0;
         link = cn_link_next(world, CN_LINK_CONTACT, link)) {
        count = list_id(world, cn_link_slot(link), ids, count, capacity);
    }
    return count;
}
