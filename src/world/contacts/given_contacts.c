// given_contacts.c - contacts given by hand: added, found at given poses, removed.
#include "world/contacts/given_contacts.h"

#include "base/error.h"
#include "world/bodies/body_links.h"
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
    if (b->type != CN_BODY_DYNAMIC && (a == NULL || a->type != CN_BODY_DYNAMIC)) {
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
    if (given != NULL &&
        !cn_world_link(world, CN_LINK_CONTACT, (int)id.index - 1, def->body_a, def->body_b)) {
        cn_pool_undo_add(&world->given_contacts, id);
        given = NULL;
    }
    if (given == NULL) {
        cn_release(&world->allocator, name);
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
    };
    return (CnContactId){id.index, id.generation};
}

CnStatus cn_world_remove_contact(CnWorld* world, CnContactId contact) {
    CnGivenContact* given = cn_pool_get(&world->given_contacts, CN_POOL_ID(contact));
    if (given == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    cn_world_unlink(world, CN_LINK_CONTACT, (int)contact.index - 1, given->body_a, given->body_b);
    cn_release(&world->allocator, given->name);
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

// A point of B against the plane that A carries: gap = n . (x_B - x_A) + offset. Its rate is the
// row [-n, -(r_A x n), n, r_B x n] with both arms drawn to the point of B.
static CnContact given_contact_at(const CnWorld* world, const CnGivenContact* given,
                                  const CnBodyState* states, double* reach) {
    CnBodyState still = {.rotation = cn_quat_identity()};
    int a = cn_world_body_index(world, given->body_a);
    int b = cn_world_body_index(world, given->body_b);
    const CnBodyState* state_a = a >= 0 ? &states[a] : &still;
    CnVec3 on_plane = cn_transform_point(pose_of(state_a), given->anchor_a);
    CnVec3 point = cn_transform_point(pose_of(&states[b]), given->anchor_b);
    CnVec3 normal = cn_quat_rotate(state_a->rotation, given->normal_a);

    *reach = point_speed(state_a, point) + point_speed(&states[b], point);
    return (CnContact){
        .body_a = a,
        .body_b = b,
        .shape_a = -1,
        .shape_b = -1,
        .point = point,
        .normal = normal,
        .gap = cn_vec3_dot(normal, cn_vec3_sub(point, on_plane)) + given->offset,
        .block = -1,
    };
}

static CnMaterialId given_material(const CnWorld* world, CnMaterialId own, CnBodyId body) {
    int owner = cn_world_body_index(world, body);
    return own.index != 0 || owner < 0 ? own : world->details.data[owner].material;
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

CnStatus cn_world_add_given_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                     CnContactArray* found) {
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given == NULL || !acts(world, given)) {
            continue;
        }
        double speed;
        CnContact contact = given_contact_at(world, given, states, &speed);
        if (contact.gap > world->def.step.contact_margin + dt * speed) {
            continue;
        }
        CnPoolId id = cn_pool_id_at(&world->given_contacts, i);
        contact.given = i;
        contact.key = cn_hash_mix(GIVEN_SEED, (uint64_t)id.index << 32 | id.generation);
        cn_contact_take_materials(world, given_material(world, given->material_a, given->body_a),
                                  given_material(world, given->material_b, given->body_b), states,
                                  &contact);
        if (!cn_array_push(found, &world->allocator, contact)) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}
