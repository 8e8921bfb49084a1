// body.c - adding, removing and reading bodies.
#include "base/error.h"
#include "geometry/mass_properties.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_shapes.h"
#include "world/constraints/joint.h"
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

static double density_of(const CnWorld* world, const CnWorldShape* shape) {
    CnMaterialId own = shape->shape.material;
    CnMaterialId id = own.index != 0 ? own : world->details.data[shape->body].material;
    const CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    return material == NULL ? cn_material_def_default().density : material->density;
}

// Of all shapes, which are in the frame of the body's origin.
static CnMassProperties mass_of_shapes(const CnWorld* world, int body) {
    CnMassProperties total = {0};
    for (int s = world->details.data[body].first_shape; s >= 0;) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CnMassProperties part;
        if (!shape->shape.sensor &&
            cn_shape_mass_properties(&shape->shape, density_of(world, shape), &part)) {
            cn_mass_properties_add(&total, &part);
        }
        s = shape->next;
    }
    return total;
}

// The inverse inertia through the principal axes keeps it symmetric and positive however far apart
// the moments are.
static CnMat3 invert_inertia(const CnMat3* inertia) {
    double moment[3];
    CnMat3 axes;
    cn_mat3_eigen_symmetric(inertia, moment, &axes);
    CnMat3 inverse = {
        .m = {{1.0 / moment[0]}, {0.0, 1.0 / moment[1]}, {0.0, 0.0, 1.0 / moment[2]}}};
    return cn_mat3_rotate_tensor(&axes, &inverse);
}

double cn_body_gyration_radius(const CnBody* body) {
    const double(*inertia)[3] = body->inertia.m;
    double sum = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
    return body->mass > 0.0 ? sqrt(sum * body->inverse_mass) : 1.0;
}

static bool is_diagonal(const double inertia[6]) {
    return inertia[3] == 0.0 && inertia[4] == 0.0 && inertia[5] == 0.0;
}

// Only a dynamic body has mass; the others are given none, so that every formula treats them alike.
static void set_mass(CnBody* body, const CnMassProperties* mass) {
    if (body->type != CN_BODY_DYNAMIC) {
        return;
    }
    body->mass = mass->mass;
    body->inverse_mass = 1.0 / mass->mass;
    body->inertia = cn_mat3_from_symmetric(mass->inertia);
    if (is_diagonal(mass->inertia)) {
        for (int i = 0; i < 3; ++i) {
            body->inverse_inertia.m[i][i] = 1.0 / mass->inertia[i];
        }
    } else {
        body->inverse_inertia = invert_inertia(&body->inertia);
    }
}

static bool knows_materials(const CnWorld* world, const CnBodyDef* def) {
    bool known = cn_world_knows_material(world, def->material);
    for (int i = 0; i < def->shape_count; ++i) {
        known = known && cn_world_knows_material(world, def->shapes[i].material);
    }
    return known;
}

// Numbers that are fine one by one may still give a mass that no double can hold.
static CnStatus check_mass(const CnBodyDef* def, const CnMassProperties* mass, CnError* error) {
    double smallest =
        fmin(mass->mass, fmin(mass->inertia[0], fmin(mass->inertia[1], mass->inertia[2])));
    double largest =
        fmax(mass->mass, fmax(mass->inertia[0], fmax(mass->inertia[1], mass->inertia[2])));
    if (def->type == CN_BODY_DYNAMIC && !(isfinite(1.0 / smallest) && isfinite(largest))) {
        return cn_error_set(error, CN_INVALID,
                            "the body has mass %g kg and moments %g, %g, %g kg m^2; they and their "
                            "inverses must be finite",
                            mass->mass, mass->inertia[0], mass->inertia[1], mass->inertia[2]);
    }
    return CN_OK;
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
        status = cn_body_make_shape(world, body, &def->shapes[i], &slot, error);
    }
    return status;
}

static void unmake_shapes(CnWorld* world, int body) {
    while (world->details.data[body].last_shape >= 0) {
        cn_body_unmake_shape(world, world->details.data[body].last_shape);
    }
}

static CnStatus give_mass(CnWorld* world, int body, const CnBodyDef* def, CnError* error) {
    CnMassProperties mass = {.mass = def->mass, .center = def->center};
    memcpy(mass.inertia, def->inertia, sizeof mass.inertia);
    if (!def->has_mass) {
        mass = mass_of_shapes(world, body);
    }
    CnStatus status = check_mass(def, &mass, error);
    if (status == CN_OK) {
        set_mass(&world->bodies.data[body], &mass);
        cn_body_set_center(world, body, mass.center);
    }
    return status;
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
        cn_release(&world->allocator, copy);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    }
    world->details.data[body].name = copy;
    return CN_OK;
}

// The last place of all arrays, which have room for it.
static CnStatus fill_body(CnWorld* world, int index, CnBodyId id, const CnBodyDef* def,
                          CnError* error) {
    CnBody* body = &world->bodies.data[index];
    *body = (CnBody){.type = def->type, .fast = def->fast};
    world->details.data[index] = (CnBodyDetails){
        .user = def->user, .material = def->material, .first_shape = -1, .last_shape = -1};
    CnStatus status = make_shapes(world, index, def, error);
    if (status == CN_OK) {
        status = give_mass(world, index, def, error);
    }
    if (status == CN_OK) {
        status = give_name(world, index, id, def->name, error);
    }
    if (status != CN_OK) {
        unmake_shapes(world, index);
        return status;
    }
    give_state(body, def);
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

// The last body moves into the free place of all arrays.
static void free_index(CnWorld* world, int index) {
    int last = world->order.count - 1;
    world->bodies.data[index] = world->bodies.data[last];
    world->details.data[index] = world->details.data[last];
    world->order.data[index] = world->order.data[last];
    world->order.count = world->bodies.count = world->details.count = last;
    if (index == last) {
        return;
    }
    int* moved = cn_pool_get(&world->body_indices, CN_POOL_ID(world->order.data[index]));
    *moved = index;
    for (int s = world->details.data[index].first_shape; s >= 0;) {
        CnWorldShape* shape = cn_world_shape_at(world, s);
        shape->body = index;
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
    remove_dependents(world, id);
    CnBodyDetails* details = &world->details.data[index];
    while (details->last_shape >= 0) {
        cn_body_drop_shape(world, details->last_shape);
    }
    world->fast_count -= world->bodies.data[index].fast;
    forget_name(world, details->name, id);
    cn_release(&world->allocator, details->name);
    free_index(world, index);
    cn_pool_remove(&world->body_indices, CN_POOL_ID(id));
    cn_world_forget_step(world);
    return CN_OK;
}

const char* cn_body_name(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    return index < 0 ? "" : world->details.data[index].name;
}

CnStatus cn_body_state(const CnWorld* world, CnBodyId id, CnBodyState* state) {
    const CnBody* body = cn_world_body(world, id);
    if (body == NULL) {
        return CN_STALE;
    }
    *state = body->state;
    return CN_OK;
}

CnStatus cn_body_set_state(CnWorld* world, CnBodyId id, const CnBodyState* state, CnError* error) {
    CnBody* body = cn_world_body(world, id);
    if (body == NULL) {
        return cn_error_set(error, CN_STALE, "the body does not exist");
    }
    CnBodyDef probe = cn_body_def_default(); // a state is held to the rules of a def
    probe.type = body->type == CN_BODY_STATIC ? CN_BODY_STATIC : CN_BODY_KINEMATIC;
    probe.position = state->center;
    probe.rotation = state->rotation;
    probe.velocity = state->velocity;
    probe.angular_velocity = state->angular_velocity;
    CnStatus status = cn_validate_body(&probe, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK) {
        body->state = *state;
        body->state.rotation = cn_quat_normalize(state->rotation);
        cn_body_place(world, cn_world_index_of(world, body));
    }
    return status;
}

CnStatus cn_body_pose(const CnWorld* world, CnBodyId id, CnTransform* pose) {
    const CnBody* body = cn_world_body(world, id);
    if (body == NULL) {
        return CN_STALE;
    }
    CnVec3 center = cn_quat_rotate(body->state.rotation, body->center);
    pose->position = cn_vec3_sub(body->state.center, center);
    pose->rotation = body->state.rotation;
    return CN_OK;
}

CnStatus cn_body_mass_properties(const CnWorld* world, CnBodyId id, CnMassProperties* mass) {
    const CnBody* body = cn_world_body(world, id);
    if (body == NULL) {
        return CN_STALE;
    }
    const CnMat3* j = &body->inertia;
    *mass = (CnMassProperties){
        .mass = body->mass,
        .center = body->center,
        .inertia = {j->m[0][0], j->m[1][1], j->m[2][2], j->m[0][1], j->m[0][2], j->m[1][2]},
    };
    return CN_OK;
}

CnBodyType cn_body_type(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body == NULL ? CN_BODY_STATIC : body->type;
}
