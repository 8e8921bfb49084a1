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
    if (def->name == NULL) {
        return cn_scene_refuse(field, "", error, "a material of a scene needs a name");
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

CnStatus cn_scene_add_material(CnScene* scene, const CnMaterialDef* def, CnError* error) {
    return cn_scene_place_material(scene, def, NULL, error);
}

CnScenePair* cn_scene_find_pair(const CnScene* scene, const char* a, const char* b) {
    for (int i = 0; i < scene->pairs.count; ++i) {
        CnScenePair* pair = &scene->pairs.data[i];
        if ((strcmp(pair->a, a) == 0 && strcmp(pair->b, b) == 0) ||
            (strcmp(pair->a, b) == 0 && strcmp(pair->b, a) == 0)) {
            return pair;
        }
    }
    return NULL;
}

CnStatus cn_scene_place_material_pair(CnScene* scene, const CnScenePair* pair, CnFieldPath* field,
                                      CnError* error) {
    const char *member = "", *names[2] = {pair->a, pair->b};
    int index[2];
    for (int i = 0; i < 2; ++i) {
        const char* field_name = i == 0 ? "materials[0]" : "materials[1]";
        CnStatus found = cn_scene_resolve(scene, CN_NAME_MATERIAL, names[i], field_name, &index[i],
                                          field, error);
        if (found != CN_OK) {
            return found;
        }
    }
    CnMaterialDef both = cn_material_def_default(); // a pair has the ranges of a material
    both.friction = pair->friction;
    both.static_friction = pair->static_friction;
    both.restitution = pair->restitution;
    CnStatus status = cn_validate_material(&both, &member, error);
    if (status != CN_OK) {
        set_field(field, member);
        return status;
    }
    CnScenePair* known = cn_scene_find_pair(scene, pair->a, pair->b);
    CnScenePair copy = {scene->materials.data[index[0]].name, scene->materials.data[index[1]].name,
                        pair->friction, pair->restitution, pair->static_friction};
    if (known != NULL) {
        *known = copy;
    } else if (!cn_array_push(&scene->pairs, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_set_material_pair(CnScene* scene, const char* a, const char* b, double friction,
                                    double static_friction, double restitution, CnError* error) {
    CnScenePair pair = {a, b, friction, restitution, static_friction};
    return cn_scene_place_material_pair(scene, &pair, NULL, error);
}

// The samples at copy->times and copy->values, now the scene's own. False: no memory.
static bool copy_samples(CnScene* scene, CnSeriesDef* copy) {
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
    if (def->name == NULL) {
        return cn_scene_refuse(field, "", error, "a series of a scene needs a name");
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

CnStatus cn_scene_add_series(CnScene* scene, const CnSeriesDef* def, CnError* error) {
    return cn_scene_place_series(scene, def, NULL, error);
}
