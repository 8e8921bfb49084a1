// material.c - materials and how two of them meet.
#include "base/error.h"
#include "world/validate.h"
#include "world/world.h"

bool cn_world_knows_material(const CnWorld* world, CnMaterialId id) {
    return id.index == 0 || cn_pool_get(&world->materials, CN_POOL_ID(id)) != NULL;
}

// Static friction as a multiple of friction; 0: the same.
static double hold_of(double friction, double static_friction) {
    return static_friction > friction ? static_friction / friction : 1.0;
}

static CnMaterial material_from(const CnMaterialDef* def) {
    return (CnMaterial){
        .friction = def->friction,
        .restitution = def->restitution,
        .density = def->density,
        .torsion = def->torsion,
        .rolling = def->rolling,
        .grain = def->grain,
        .friction_across = def->friction_across,
        .hold = hold_of(def->friction, def->static_friction),
        .surface_velocity = def->surface_velocity,
    };
}

CnMaterialId cn_world_add_material(CnWorld* world, const CnMaterialDef* def, CnError* error) {
    if (cn_validate_material(def, NULL, error) != CN_OK ||
        cn_world_check_idle(world, error) != CN_OK) {
        return (CnMaterialId){0};
    }
    CnMaterial* material = NULL;
    char* name = cn_world_copy_name(world, def->name);
    CnPoolId id = name == NULL ? (CnPoolId){0} : cn_pool_add(&world->materials, (void**)&material);
    if (material == NULL) {
        cn_name_free(&world->allocator, name);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a material");
        return (CnMaterialId){0};
    }
    *material = material_from(def);
    material->name = name;
    return (CnMaterialId){id.index, id.generation};
}

CnStatus cn_material_read(const CnWorld* world, CnMaterialId id, CnMaterialDef* def) {
    const CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    *def = cn_material_def_default();
    if (material == NULL) {
        return CN_STALE;
    }
    def->name = material->name;
    def->friction = material->friction;
    def->restitution = material->restitution;
    def->density = material->density;
    def->static_friction = material->hold > 1.0 ? material->hold * material->friction : 0.0;
    def->torsion = material->torsion;
    def->rolling = material->rolling;
    def->grain = material->grain;
    def->friction_across = material->friction_across;
    def->surface_velocity = material->surface_velocity;
    return CN_OK;
}

CnStatus cn_material_set(CnWorld* world, CnMaterialId id, const CnMaterialDef* def,
                         CnError* error) {
    CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    if (material == NULL) {
        return cn_error_set(error, CN_STALE, "the material does not exist");
    }
    CnStatus status = cn_validate_material(def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK && def->density != material->density) {
        status = cn_error_set(error, CN_INVALID,
                              "density is %g kg/m^3; masses were made with %g kg/m^3, which stays",
                              def->density, material->density);
    }
    if (status == CN_OK) {
        char* name = material->name;
        *material = material_from(def);
        material->name = name;
        world->plain_materials = 0;
        ++world->surfaces;
        cn_sleep_wake_all(world);
        world->tile_posing.is_valid = false; // contacts learn of it
    }
    return status;
}

static bool same_pair(const CnMaterialPair* pair, CnMaterialId a, CnMaterialId b) {
    return (pair->a.index == a.index && pair->b.index == b.index) ||
           (pair->a.index == b.index && pair->b.index == a.index);
}

CnStatus cn_world_set_material_pair(CnWorld* world, const CnMaterialPair* pair, CnError* error) {
    CnMaterialDef probe = cn_material_def_default(); // a pair is held to the rules of a material
    probe.friction = pair->friction;
    probe.static_friction = pair->static_friction;
    probe.restitution = pair->restitution;
    CnStatus status = cn_validate_material(&probe, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (cn_pool_get(&world->materials, CN_POOL_ID(pair->a)) == NULL ||
        cn_pool_get(&world->materials, CN_POOL_ID(pair->b)) == NULL) {
        return cn_error_set(error, CN_STALE, "one of the two materials does not exist");
    }
    cn_sleep_wake_all(world);
    ++world->surfaces;
    for (int i = 0; i < world->material_pairs.count; ++i) {
        if (same_pair(&world->material_pairs.data[i], pair->a, pair->b)) {
            world->material_pairs.data[i] = *pair;
            world->tile_posing.is_valid = false; // contacts learn of it
            return CN_OK;
        }
    }
    if (!cn_array_push(&world->material_pairs, &world->allocator, *pair)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a pair of materials");
    }
    world->tile_posing.is_valid = false; // contacts learn of it
    return CN_OK;
}

static bool has_grain(const CnMaterial* material) {
    return cn_vec3_dot(material->grain, material->grain) > 0.0;
}

// How differently a grain acts along and across: 1 is not at all, 0 is a skate.
static double contrast(const CnMaterial* material) {
    if (!has_grain(material)) {
        return 1.0;
    }
    double least = fmin(material->friction, material->friction_across);
    double most = fmax(material->friction, material->friction_across);
    return most > 0.0 ? least / most : 1.0;
}

static double mean_friction(const CnMaterial* material) {
    return has_grain(material) ? sqrt(material->friction * material->friction_across)
                               : material->friction;
}

// Friction along and across the grain that counts, the other material as its mean.
static void combine_friction(const CnMaterial* a, const CnMaterial* b, CnSurfacePair* meeting) {
    meeting->is_grain_of_b = contrast(b) < contrast(a);
    const CnMaterial* grained = meeting->is_grain_of_b ? b : a;
    const CnMaterial* other = meeting->is_grain_of_b ? a : b;
    meeting->friction = sqrt(grained->friction * mean_friction(other));
    if (has_grain(grained)) {
        meeting->grain = grained->grain;
        meeting->friction_across = sqrt(grained->friction_across * mean_friction(other));
    }
}

CnSurfacePair cn_world_combine_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b) {
    CnMaterial fallback;
    const CnMaterial* ma = cn_pool_get(&world->materials, CN_POOL_ID(a));
    const CnMaterial* mb = cn_pool_get(&world->materials, CN_POOL_ID(b));
    if (ma == NULL || mb == NULL) {
        CnMaterialDef def = cn_material_def_default();
        fallback = material_from(&def);
    }
    ma = ma == NULL ? &fallback : ma;
    mb = mb == NULL ? &fallback : mb;
    CnSurfacePair meeting = {
        .restitution = sqrt(ma->restitution * mb->restitution),
        .torsion = fmax(ma->torsion, mb->torsion),
        .rolling = fmax(ma->rolling, mb->rolling),
        .hold = sqrt(ma->hold * mb->hold),
        .surface_velocity_a = ma->surface_velocity,
        .surface_velocity_b = mb->surface_velocity,
    };
    for (int i = 0; i < world->material_pairs.count; ++i) {
        const CnMaterialPair* pair = &world->material_pairs.data[i];
        if (same_pair(pair, a, b)) {
            meeting.friction = pair->friction;
            meeting.hold = hold_of(pair->friction, pair->static_friction);
            meeting.restitution = pair->restitution;
            return meeting;
        }
    }
    combine_friction(ma, mb, &meeting);
    return meeting;
}

static CnVec3 in_world(const CnWorld* world, const CnBodyState* states, int body, CnVec3 v) {
    if (body < 0 || (v.x == 0.0 && v.y == 0.0 && v.z == 0.0)) { // most have none
        return v;
    }
    return cn_quat_rotate(states != NULL ? states[body].rotation : world->posed.data[body].rotation,
                          v);
}

void cn_contact_take_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b,
                               const CnBodyState* states, CnContact* contact) {
    CnSurfacePair meeting = cn_world_combine_materials(world, a, b);
    int body = meeting.is_grain_of_b ? contact->body_b : contact->body_a;
    contact->friction = meeting.friction;
    contact->restitution = meeting.restitution;
    contact->torsion = meeting.torsion;
    contact->rolling = meeting.rolling;
    contact->hold = meeting.hold;
    contact->friction_across = meeting.friction_across;
    contact->grain = in_world(world, states, body, meeting.grain);
    contact->surface_velocity_a =
        in_world(world, states, contact->body_a, meeting.surface_velocity_a);
    contact->surface_velocity_b =
        in_world(world, states, contact->body_b, meeting.surface_velocity_b);
}

CnStatus cn_world_read_material_pair(const CnWorld* world, CnMaterialId a, CnMaterialId b,
                                     CnMaterialPair* pair) {
    *pair = (CnMaterialPair){0};
    if (!cn_world_knows_material(world, a) || !cn_world_knows_material(world, b)) {
        return CN_STALE;
    }
    CnSurfacePair meeting = cn_world_combine_materials(world, a, b);
    *pair = (CnMaterialPair){
        .a = a,
        .b = b,
        .friction = meeting.friction,
        .restitution = meeting.restitution,
        .static_friction = meeting.hold > 1.0 ? meeting.hold * meeting.friction : 0.0,
    };
    return CN_OK;
}

int cn_world_material_pairs(const CnWorld* world, CnMaterialPair* pairs, int capacity) {
    for (int i = 0; i < world->material_pairs.count && i < capacity; ++i) {
        pairs[i] = world->material_pairs.data[i];
    }
    return world->material_pairs.count;
}
