// material.c - materials and how two of them meet.
#include "base/error.h"
#include "world/validate.h"
#include "world/world.h"

bool cn_world_knows_material(const CnWorld* world, CnMaterialId id) {
    return id.index == 0 || cn_pool_get(&world->materials, CN_POOL_ID(id)) != NULL;
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
        cn_release(&world->allocator, name);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a material");
        return (CnMaterialId){0};
    }
    *material = (CnMaterial){name, def->friction, def->restitution, def->density};
    return (CnMaterialId){id.index, id.generation};
}

static bool same_pair(const CnMaterialPair* pair, CnMaterialId a, CnMaterialId b) {
    return (pair->a.index == a.index && pair->b.index == b.index) ||
           (pair->a.index == b.index && pair->b.index == a.index);
}

CnStatus cn_world_set_material_pair(CnWorld* world, const CnMaterialPair* pair, CnError* error) {
    CnMaterialDef probe = cn_material_def_default(); // a pair is held to the rules of a material
    probe.friction = pair->friction;
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
    for (int i = 0; i < world->material_pairs.count; ++i) {
        if (same_pair(&world->material_pairs.data[i], pair->a, pair->b)) {
            world->material_pairs.data[i] = *pair;
            return CN_OK;
        }
    }
    if (!cn_array_push(&world->material_pairs, &world->allocator, *pair)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a pair of materials");
    }
    return CN_OK;
}

void cn_world_combine_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b,
                                double* friction, double* restitution) {
    for (int i = 0; i < world->material_pairs.count; ++i) {
        const CnMaterialPair* pair = &world->material_pairs.data[i];
        if (same_pair(pair, a, b)) {
            *friction = pair->friction;
            *restitution = pair->restitution;
            return;
        }
    }
    CnMaterialDef fallback = cn_material_def_default();
    const CnMaterial* ma = cn_pool_get(&world->materials, CN_POOL_ID(a));
    const CnMaterial* mb = cn_pool_get(&world->materials, CN_POOL_ID(b));
    *friction = sqrt((ma == NULL ? fallback.friction : ma->friction) *
                     (mb == NULL ? fallback.friction : mb->friction));
    *restitution = sqrt((ma == NULL ? fallback.restitution : ma->restitution) *
                        (mb == NULL ? fallback.restitution : mb->restitution));
}
