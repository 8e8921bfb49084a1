// body.c - adding, finding and removing bodies.
#include "base/error.h"
#include "world/bodies/applied.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_settings.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/drive.h"
#include "world/bodies/geometries.h"
#include "world/bodies/mass.h"
#include "world/constraints/joint.h"
#include "world/contacts/contacts.h"
#include "world/events/events.h"
#include "world/soft/soft_pack.h"
#include "world/validate.h"

#include <string.h>

int cn_world_body_index(const CnWorld* world, CnBodyId id) {
    const int* index = cn_pool_get(&world->body_indices, CN_POOL_ID(id));
    return index == NULL ? -1 : *index;
}

CnBody* cn_world_body(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    return index < 0 ? NULL : &world->bodies.data[index];
}

static uint64_t name_hash(const char* name) {
    return cn_hash_bytes(CN_HASH_SEED, name, strlen(name));
}

CnBodyId cn_world_find_body(const CnWorld* world, const char* name) {
    int slot = cn_map_get(&world->names, name_hash(name));
    const int* index = slot < 0 ? NULL : cn_pool_at(&world->body_indices, slot);
    if (index == NULL || strcmp(world->details.data[*index].name, name) != 0) {
        return (CnBodyId){0};
    }
    return world->order.data[*index];
}

static bool knows_materials(const CnWorld* world, const CnBodyDef* def) {
    bool known = cn_world_knows_material(world, def->material);
    for (int i = 0; i < def->shape_count; ++i) {
        known = known && cn_world_knows_material(world, def->shapes[i].material);
    }
    return known;
}

static CnStatus check_new_body(const CnWorld* world, const CnBodyDef* def, CnError* error) {
    CnStatus status = cn_validate_body(def, NULL, error);
    if (status != CN_OK) {
        return status;
    }
    status = cn_world_check_idle(world, error);
    if (status != CN_OK) {
        return status;
    }
    if (!knows_materials(world, def)) {
        return cn_error_set(error, CN_STALE, "a material of the body does not exist");
    }
    if (def->name != NULL && def->name[0] != '\0' &&
        cn_world_find_body(world, def->name).index != 0) {
        return cn_error_set(error, CN_INVALID, "there is a body called \"%s\" already", def->name);
    }
    return CN_OK;
}

static CnStatus make_shapes(CnWorld* world, int body, const CnBodyDef* def, CnError* error) {
    CnStatus status = CN_OK;
    for (int i = 0, slot; status == CN_OK && i < def->shape_count; ++i) {
        status = cn_world_check_geometry(world, &def->shapes[i], error);
        if (status == CN_OK) {
            status = cn_body_make_shape(world, body, &def->shapes[i], &slot, error);
        }
    }
    return status;
}

static void unmake_shapes(CnWorld* world, int body) {
    while (world->details.data[body].last_shape >= 0) {
        cn_body_unmake_shape(world, world->details.data[body].last_shape);
    }
}

static void give_state(CnBody* body, const CnBodyDef* def) {
    body->state.rotation = cn_quat_normalize(def->rotation);
    body->state.center =
        cn_vec3_add(def->position, cn_quat_rotate(body->state.rotation, body->center));
    body->state.velocity = def->velocity;
    body->state.angular_velocity = def->angular_velocity;
}

// Names are found by their hashes: another body may have taken the place.
static void forget_name(CnWorld* world, const char* name, CnBodyId id) {
    uint64_t hash = name_hash(name);
    if (name[0] != '\0' && cn_map_get(&world->names, hash) == (int)id.index - 1) {
        cn_map_remove(&world->names, hash);
    }
}

static CnStatus give_name(CnWorld* world, int body, CnBodyId id, const char* name, CnError* error) {
    char* copy = cn_world_copy_name(world, name);
    if (copy == NULL ||
        (copy[0] != '\0' && !cn_map_set(&world->names, name_hash(copy), (int)id.index - 1))) {
        cn_name_free(&world->allocator, copy);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    }
    world->details.data[body].name = copy;
    return CN_OK;
}

// What the def says of its mass; whether that counts is asked later.
static CnStatus give_mass(CnWorld* world, int body, const CnBodyDef* def, CnError* error) {
    CnMassProperties given = {.mass = def->mass, .center = def->center};
    memcpy(given.inertia, def->inertia, sizeof def->inertia);
    const CnMass* mass = cn_mass_take(&world->masses, &given);
    world->details.data[body].given = mass;
    return mass == NULL ? cn_error_set(error, CN_NO_MEMORY, "no memory for a body") : CN_OK;
}

static void drop_masses(CnWorld* world, int body) {
    cn_mass_drop(&world->masses, world->details.data[body].given);
    cn_mass_drop(&world->masses, world->details.data[body].mass);
}

// The last place of all arrays, which have room for it.
static CnStatus fill_body(CnWorld* world, int index, CnBodyId id, const CnBodyDef* def,
                          CnError* error) {
    CnBody* body = &world->bodies.data[index];
    *body = (CnBody){
        .mass = &cn_no_mass,
        .type = def->type,
        .fast = def->fast,
        .exact = def->exact,
        .gravity_scale = def->gravity_scale,
        .linear_damping = def->linear_damping,
        .angular_damping = def->angular_damping,
        .sleep = {.previous = index, .next = index},
    };
    world->details.data[index] = (CnBodyDetails){
        .user = def->user,
        .type = def->type,
        .has_mass = def->has_mass,
        .material = def->material,
        .first_shape = -1,
        .last_shape = -1,
    };
    const CnMass* mass;
    CnStatus status = give_mass(world, index, def, error);
    if (status == CN_OK) {
        status = make_shapes(world, index, def, error);
    }
    if (status == CN_OK) {
        status = cn_body_find_mass(world, index, -1, &mass, error);
    }
    if (status == CN_OK) {
        cn_body_take_mass(world, index, mass);
    }
    give_state(body, def);
    if (status == CN_OK && cn_motion_is_given(&def->motion)) {
        status = cn_drive_start(world, index, &def->motion, error);
    }
    if (status == CN_OK) {
        status = give_name(world, index, id, def->name, error);
    }
    if (status != CN_OK) {
        cn_release(&world->allocator, world->details.data[index].drive);
        unmake_shapes(world, index);
        drop_masses(world, index);
        return status;
    }
    cn_body_place(world, index);
    return CN_OK;
}

static bool make_room(CnWorld* world, int count) {
    const CnAllocator* allocator = &world->allocator;
    return cn_array_reserve(&world->bodies, allocator, count) &&
           cn_array_reserve(&world->details, allocator, count) &&
           cn_array_reserve(&world->order, allocator, count);
}

CnBodyId cn_world_add_body(CnWorld* world, const CnBodyDef* def, CnError* error) {
    if (check_new_body(world, def, error) != CN_OK) {
        return (CnBodyId){0};
    }
    int* index = NULL;
    CnPoolId pool_id = cn_pool_add(&world->body_indices, (void**)&index);
    CnBodyId id = {pool_id.index, pool_id.generation};
    if (index == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
        return (CnBodyId){0};
    }
    int count = world->order.count;
    CnStatus status = make_room(world, count + 1)
                          ? CN_OK
                          : cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    if (status == CN_OK && def->exact && !cn_pair_store_need_rows(&world->pairs)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the rows of %d manifolds",
                              world->pairs.manifolds.count);
    }
    if (status == CN_OK) {
        status = fill_body(world, count, id, def, error);
    }
    if (status != CN_OK) {
        cn_pool_undo_add(&world->body_indices, pool_id);
        return (CnBodyId){0};
    }
    *index = count;
    world->order.data[count] = id;
    world->order.count = world->bodies.count = world->details.count = count + 1;
    world->fast_count += def->fast;
    world->exact_count += def->exact;
    world->damped_count += cn_body_is_damped(&world->bodies.data[count]);
    cn_active_change_body(world, count);
    if (world->details.data[count].drive != NULL) {
        world->driven_count += 1;
        world->bodies.data[count].state = cn_drive_state(world, count);
    }
    if (!def->enabled) {
        cn_body_set_enabled(world, id, false, NULL); // which needs no memory
    }
    return id;
}

static void remove_dependents(CnWorld* world, CnBodyId id) {
    const CnBodyDetails* body = &world->details.data[cn_world_body_index(world, id)];
    int slot;
    while ((slot = cn_body_last_linked(body, CN_LINK_FORCE)) >= 0) {
        CnPoolId force = cn_pool_id_at(&world->forces, slot);
        cn_world_remove_force(world, (CnForceId){force.index, force.generation});
    }
    while ((slot = cn_body_last_linked(body, CN_LINK_CONTACT)) >= 0) {
        CnPoolId contact = cn_pool_id_at(&world->given_contacts, slot);
        cn_world_remove_contact(world, (CnContactId){contact.index, contact.generation});
    }
    while ((slot = cn_body_last_linked(body, CN_LINK_JOINT)) >= 0) {
        CnPoolId joint = cn_pool_id_at(&world->joints, slot);
        cn_world_remove_joint(world, (CnJointId){joint.index, joint.generation});
    }
    while ((slot = cn_body_last_linked(body, CN_LINK_CONSTRAINT)) >= 0) {
        CnPoolId constraint = cn_pool_id_at(&world->constraints, slot);
        cn_world_remove_constraint(world,
                                   (CnConstraintId){constraint.index, constraint.generation});
    }
    cn_world_forget_separations(world, id);
}

// The body with the last index takes the place of one that goes.
static void move_place(CnWorld* world, int index, int last) {
    if (last < world->places.count) {
        world->places.data[index] = world->places.data[last];
        world->places.count = last;
    } else if (index < world->places.count) { // the last one has never been placed
        world->places.data[index] = (CnPlace){0};
    }
    if (last < world->soft_places.count) {
        world->soft_places.data[index] = world->soft_places.data[last];
        world->soft_places.count = last;
    } else if (index < world->soft_places.count) {
        world->soft_places.data[index] = (CnSoftPlace){0};
    }
    if (last < world->drifts.count) {
        world->drifts.data[index] = world->drifts.data[last];
        world->drifts.count = last;
    }
    if (last < world->posed.count) {
        world->posed.data[index] = world->posed.data[last];
        world->posed.count = last;
    }
}

// The last body moves into the free place of all arrays.
static void free_index(CnWorld* world, int index) {
    int last = world->order.count - 1;
    world->bodies.data[index] = world->bodies.data[last];
    world->details.data[index] = world->details.data[last];
    world->order.data[index] = world->order.data[last];
    world->order.count = world->bodies.count = world->details.count = last;
    move_place(world, index, last);
    cn_loop_move_body(world, index, last);
    if (index == last) {
        return;
    }
    int* moved = cn_pool_get(&world->body_indices, CN_POOL_ID(world->order.data[index]));
    *moved = index;
    cn_sleep_move_body(world, index, last);
    if (world->details.data[index].kept != 0) {
        cn_body_kept(world, index)->body = index;
    }
    if (world->details.data[index].applied != 0) {
        world->applied.data[world->details.data[index].applied - 1].body = index;
    }
    for (int s = world->details.data[index].first_shape; s >= 0;) {
        CnWorldShape* shape = cn_world_shape_at(world, s);
        shape->body = index;
        cn_world_forget_tiles(world, s);
        cn_pair_store_set_body(&world->pairs, s, index);
        s = shape->next;
    }
}

// Shapes go from the last on, so that the next ones get their slots in order.
CnStatus cn_world_remove_body(CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    if (index < 0) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    if (!cn_events_reserve_ends_of_body(world, index) || !cn_soft_reserve_flush(world)) {
        return CN_NO_MEMORY;
    }
    cn_sleep_disturb(world, index);
    remove_dependents(world, id);
    cn_body_forget_applied(world, index);
    cn_body_forget_kept(world, index);
    CnBodyDetails* details = &world->details.data[index];
    while (details->last_shape >= 0) {
        cn_body_drop_shape(world, details->last_shape);
    }
    world->fast_count -= world->bodies.data[index].fast;
    world->exact_count -= world->bodies.data[index].exact;
    world->damped_count -= cn_body_is_damped(&world->bodies.data[index]);
    world->driven_count -= details->drive != NULL;
    cn_release(&world->allocator, details->drive);
    forget_name(world, details->name, id);
    cn_name_free(&world->allocator, details->name);
    drop_masses(world, index);
    free_index(world, index);
    cn_pool_remove(&world->body_indices, CN_POOL_ID(id));
    cn_world_forget_step(world);
    cn_active_change_body(world, index);
    cn_active_change_body(world, world->bodies.count); // which is at that index now
    return CN_OK;
}
