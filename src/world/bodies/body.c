// body.c - adding, removing and reading bodies.
#include "base/error.h"
#include "geometry/mass_properties.h"
#include "world/bodies/body_links.h"
#include "world/constraints/joint.h"
#include "world/validate.h"
#include "world/world.h"

#include <string.h>

CnBody* cn_world_body(const CnWorld* world, CnBodyId id) {
    return cn_pool_get(&world->bodies, CN_POOL_ID(id));
}

CnBody* cn_world_body_by_index(const CnWorld* world, int index) {
    return cn_world_body(world, world->order.data[index]);
}

int cn_world_body_index(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body == NULL ? -1 : body->index;
}

static uint64_t name_hash(const char* name) {
    return cn_hash_bytes(CN_HASH_SEED, name, strlen(name));
}

CnBodyId cn_world_find_body(const CnWorld* world, const char* name) {
    int slot = cn_map_get(&world->names, name_hash(name));
    const CnBody* body = slot < 0 ? NULL : cn_pool_at(&world->bodies, slot);
    if (body == NULL || strcmp(body->name, name) != 0) {
        return (CnBodyId){0};
    }
    return world->order.data[body->index];
}

static double density_of(const CnWorld* world, const CnBody* body, const CnShape* shape) {
    CnMaterialId id = shape->material.index != 0 ? shape->material : body->material;
    const CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    return material == NULL ? cn_material_def_default().density : material->density;
}

// Only a dynamic body has mass; the others are given none, so that every formula treats them alike.
static CnMassProperties mass_of(const CnWorld* world, const CnBody* body, const CnBodyDef* def) {
    CnMassProperties total = {.center = def->center};
    if (def->has_mass) {
        total.mass = def->mass;
        memcpy(total.inertia, def->inertia, sizeof total.inertia);
        return total;
    }
    for (int i = 0; i < body->shape_count; ++i) {
        CnMassProperties part;
        const CnShape* shape = &body->shapes[i];
        if (!shape->sensor &&
            cn_shape_mass_properties(shape, density_of(world, body, shape), &part)) {
            cn_mass_properties_add(&total, &part);
        }
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

void cn_body_free(CnBody* body, const CnAllocator* allocator) {
    for (int i = 0; i < body->shape_count; ++i) {
        cn_shape_free(&body->shapes[i], allocator);
    }
    cn_release(allocator, body->shapes);
    cn_release(allocator, body->name);
}

// In the frame of the body's origin at first: the centre of mass may follow from them.
static CnStatus make_shapes(CnWorld* world, CnBody* body, const CnBodyDef* def, CnError* error) {
    body->shapes = cn_allocate(&world->allocator, (size_t)def->shape_count, sizeof(CnShape));
    if (body->shapes == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    }
    for (int i = 0; i < def->shape_count; ++i) {
        CnStatus status =
            cn_shape_make(&def->shapes[i], &world->allocator, &body->shapes[i], error);
        if (status != CN_OK) {
            return status;
        }
        ++body->shape_count;
    }
    return CN_OK;
}

static void set_center(CnBody* body, CnVec3 center) {
    body->center = center;
    for (int i = 0; i < body->shape_count; ++i) {
        CnVec3* position = &body->shapes[i].local.position;
        *position = cn_vec3_sub(*position, center);
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

// Everything of a new body but its place in the world.
static CnStatus fill_body(CnWorld* world, CnBody* body, const CnBodyDef* def, CnError* error) {
    body->type = def->type;
    body->material = def->material;
    body->user = def->user;
    body->fast = def->fast;
    body->name = cn_world_copy_name(world, def->name);
    CnStatus status = make_shapes(world, body, def, error);
    if (status != CN_OK || body->name == NULL) {
        return status != CN_OK ? status : cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    }
    CnMassProperties mass = mass_of(world, body, def);
    status = check_mass(def, &mass, error);
    if (status != CN_OK) {
        return status;
    }
    set_mass(body, &mass);
    set_center(body, mass.center);
    body->state.rotation = cn_quat_normalize(def->rotation);
    body->state.center =
        cn_vec3_add(def->position, cn_quat_rotate(body->state.rotation, body->center));
    body->state.velocity = def->velocity;
    body->state.angular_velocity = def->angular_velocity;
    return CN_OK;
}

// Shapes of a body have proxies one after the other: where the owner changes, a body begins.
void cn_world_number_proxies(CnWorld* world) {
    const CnBroadPhase* phase = &world->broad_phase;
    if (!cn_broad_phase_close_gaps(&world->broad_phase)) {
        return;
    }
    for (int i = 0; i < phase->proxies.count; ++i) {
        int owner = phase->proxies.data[i].owner;
        if (i == 0 || phase->proxies.data[i - 1].owner != owner) {
            CnBody* body = cn_pool_at(&world->bodies, owner);
            body->first_proxy = i;
        }
    }
}

// Numbers are given back once half of them are unused, so that bodies which come and go without a
// step in between do not add up.
static void remove_proxies(CnWorld* world, const CnBody* body, int count) {
    CnBroadPhase* phase = &world->broad_phase;
    for (int i = 0; i < count; ++i) {
        cn_broad_phase_remove(phase, body->first_proxy + i);
    }
    if (phase->removed_count > phase->proxies.count / 2) {
        cn_world_number_proxies(world);
    }
}

void cn_world_place_body(CnWorld* world, const CnBody* body) {
    CnTransform pose = {body->state.center, body->state.rotation};
    for (int i = 0; i < body->shape_count; ++i) {
        CnBounds bounds = cn_shape_bounds(cn_shape_place(&body->shapes[i], pose), 0.0);
        cn_broad_phase_place(&world->broad_phase, body->first_proxy + i, &bounds);
    }
}

// Proxies of a body that is not moved by anything pair only with those of bodies that are.
static bool add_proxies(CnWorld* world, CnBody* body, int slot) {
    body->first_proxy = world->broad_phase.proxies.count;
    for (int i = 0; i < body->shape_count; ++i) {
        if (cn_broad_phase_add(&world->broad_phase, body->type != CN_BODY_STATIC, slot) < 0) {
            remove_proxies(world, body, i);
            return false;
        }
    }
    cn_world_place_body(world, body);
    return true;
}

static int count_sensors(const CnBody* body) {
    int count = 0;
    for (int i = 0; i < body->shape_count; ++i) {
        count += body->shapes[i].sensor;
    }
    return count;
}

// Names are found by their hashes: another body may have taken the place.
static void forget_name(CnWorld* world, const CnBody* body, CnBodyId id) {
    uint64_t hash = name_hash(body->name);
    if (body->name[0] != '\0' && cn_map_get(&world->names, hash) == (int)id.index - 1) {
        cn_map_remove(&world->names, hash);
    }
}

static CnStatus enlist(CnWorld* world, CnBody* body, CnBodyId id, CnError* error) {
    body->index = world->order.count;
    if (!cn_array_reserve(&world->order, &world->allocator, body->index + 1) ||
        (body->name[0] != '\0' &&
         !cn_map_set(&world->names, name_hash(body->name), (int)id.index - 1)) ||
        !add_proxies(world, body, (int)id.index - 1)) {
        forget_name(world, body, id);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
    }
    world->order.data[world->order.count++] = id;
    body->serial = world->next_serial;
    for (int i = 0; i < body->shape_count; ++i) {
        body->shapes[i].serial = world->next_serial++;
    }
    world->sensor_count += count_sensors(body);
    world->fast_count += body->fast;
    return CN_OK;
}

CnBodyId cn_world_add_body(CnWorld* world, const CnBodyDef* def, CnError* error) {
    if (check_new_body(world, def, error) != CN_OK) {
        return (CnBodyId){0};
    }
    CnBody* body = NULL;
    CnPoolId pool_id = cn_pool_add(&world->bodies, (void**)&body);
    CnBodyId id = {pool_id.index, pool_id.generation};
    if (body == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a body");
        return (CnBodyId){0};
    }
    if (fill_body(world, body, def, error) != CN_OK || enlist(world, body, id, error) != CN_OK) {
        cn_body_free(body, &world->allocator);
        cn_pool_undo_add(&world->bodies, pool_id);
        return (CnBodyId){0};
    }
    return id;
}

static void remove_dependents(CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
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

static void remove_from_order(CnWorld* world, int index) {
    CnBodyId last = world->order.data[--world->order.count];
    world->order.data[index] = last;
    cn_world_body(world, last)->index = index;
}

CnStatus cn_world_remove_body(CnWorld* world, CnBodyId id) {
    CnBody* body = cn_world_body(world, id);
    if (body == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    remove_dependents(world, id);
    remove_proxies(world, body, body->shape_count);
    world->sensor_count -= count_sensors(body);
    world->fast_count -= body->fast;
    remove_from_order(world, body->index);
    forget_name(world, body, id);
    cn_body_free(body, &world->allocator);
    cn_pool_remove(&world->bodies, CN_POOL_ID(id));
    cn_world_forget_step(world);
    return CN_OK;
}

const char* cn_body_name(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body == NULL ? "" : body->name;
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
        cn_world_place_body(world, body);
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
