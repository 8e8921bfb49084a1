// scene_materials.c - adding materials, material pairs and series to a scene.
#include "base/error.h"
#include "io/scene/scene.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

static void set_field(CnFieldPath* field, const char* name) {
    if (field != NULL) {
        snprintf(field->text, sizeof field->text, "%s", name);
    }
}

CnStatus cn_scene_place_material(CnScene* scene, const CnMaterialDef* def, CnFieldPath* field,
                                 CnError* error) {
    const char* member = "";
    CnStatus status = cn_validate_material(def, &member, error);
    if (status != CN_OK) {
        set_field(field, member);
        return status;
    }
    status = cn_scene_check_name(scene, CN_NAME_MATERIAL, def->name, "", field, error);
    if (status != CN_OK) {
        return status;
    }
    CnMaterialDef copy = *def;
    int index = scene->materials.count;
    if (!cn_scene_copy_text(scene, def->name, &copy.name) ||
        !cn_scene_register(scene, CN_NAME_MATERIAL, copy.name, index) ||
        !cn_array_push(&scene->materials, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnMaterialId cn_scene_add_material(CnScene* scene, const CnMaterialDef* def, CnError* error) {
    CnStatus status = cn_scene_place_material(scene, def, NULL, error);
    return status == CN_OK ? CN_SCENE_ID(CnMaterialId, scene->materials.count - 1)
                           : (CnMaterialId){0};
}

CnMaterialPair* cn_scene_find_pair(const CnScene* scene, CnMaterialId a, CnMaterialId b) {
    for (int i = 0; i < scene->pairs.count; ++i) {
        CnMaterialPair* pair = &scene->pairs.data[i];
        if ((pair->a.index == a.index && pair->b.index == b.index) ||
            (pair->a.index == b.index && pair->b.index == a.index)) {
            return pair;
        }
    }
    return NULL;
}

static CnStatus check_pair(const CnScene* scene, const CnMaterialPair* pair, CnFieldPath* field,
                           CnError* error) {
    const CnMaterialId ids[2] = {pair->a, pair->b};
    for (int i = 0; i < 2; ++i) {
        const char* field_name = i == 0 ? "materials[0]" : "materials[1]";
        CnStatus status = cn_scene_check_material(scene, ids[i], field_name, field, error);
        if (status != CN_OK) {
            return status;
        }
        if (ids[i].index == 0) {
            return cn_scene_refuse(field, field_name, error,
                                   "a pair needs two materials of the scene; %s is none",
                                   field_name);
        }
    }
    const char* member = "";
    CnMaterialDef both = cn_material_def_default(); // a pair has the ranges of a material
    both.friction = pair->friction;
    both.static_friction = pair->static_friction;
    both.restitution = pair->restitution;
    CnStatus status = cn_validate_material(&both, &member, error);
    if (status != CN_OK) {
        set_field(field, member);
    }
    return status;
}

CnStatus cn_scene_place_material_pair(CnScene* scene, const CnMaterialPair* pair,
                                      CnFieldPath* field, CnError* error) {
    CnStatus status = check_pair(scene, pair, field, error);
    if (status != CN_OK) {
        return status;
    }
    CnMaterialPair* known = cn_scene_find_pair(scene, pair->a, pair->b);
    if (known != NULL) {
        *known = *pair;
    } else if (!cn_array_push(&scene->pairs, &scene->arena.allocator, *pair)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_set_material_pair(CnScene* scene, const CnMaterialPair* pair, CnError* error) {
    return cn_scene_place_material_pair(scene, pair, NULL, error);
}

// The samples at copy->times and copy->values, now the scene's own. False: no memory.
static bool copy_samples(CnScene* scene, CnSeriesDef* copy) {
    bool is_table = copy->kind == CN_SERIES_TABLE;
    if (!is_table) {
        copy->count = 0;
        copy->times = copy->values = NULL;
        return true;
    }
    size_t count = (size_t)copy->count;
    double* times = CN_ARENA_NEW(&scene->arena, double, count);
    double* values = CN_ARENA_NEW(&scene->arena, double, count);
    if (times == NULL || values == NULL) {
        return false;
    }
    memcpy(times, copy->times, count * sizeof *times);
    memcpy(values, copy->values, count * sizeof *values);
    copy->times = times;
    copy->values = values;
    return true;
}

CnStatus cn_scene_place_series(CnScene* scene, const CnSeriesDef* def, CnFieldPath* field,
                               CnError* error) {
    const char* member = "";
    CnStatus status = cn_validate_series(def, &member, error);
    if (status != CN_OK) {
        set_field(field, member);
        return status;
    }
    status = cn_scene_check_name(scene, CN_NAME_SERIES, def->name, "", field, error);
    if (status != CN_OK) {
        return status;
    }
    CnSeriesDef copy = *def;
    if (!cn_scene_copy_text(scene, def->name, &copy.name) || !copy_samples(scene, &copy) ||
        !cn_scene_register(scene, CN_NAME_SERIES, copy.name, scene->series.count) ||
        !cn_array_push(&scene->series, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnSeriesId cn_scene_add_series(CnScene* scene, const CnSeriesDef* def, CnError* error) {
    CnStatus status = cn_scene_place_series(scene, def, NULL, error);
    return status == CN_OK ? CN_SCENE_ID(CnSeriesId, scene->series.count - 1) : (CnSeriesId){0};
}
