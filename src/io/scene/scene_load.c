// scene_load.c - walking a scene file, section by section.
//
// The loader only reads types and shapes of values; what they mean is judged by the place
// functions, so that programs that build scenes get the same sentences.
#include "io/scene/expand/expand.h"
#include "io/text/text.h"
#include <stdio.h>
#include <string.h>

void cn_scene_report_refused(const CnSceneLoader* loader, const CnJson* object,
                             const CnFieldPath* field, const CnError* error) {
    const CnJson* value = cn_json_follow(object, field->text);
    char path[sizeof loader->errors->first.path];
    cn_json_path(object, path, sizeof path);
    size_t used = strlen(path);
    if (field->text[0] != 0) {
        snprintf(path + used, sizeof path - used, "%s%s",
                 used > 0 && field->text[0] != '[' ? "." : "", field->text);
        cn_text_trim(path);
    }
    cn_report_error(loader->errors, error->status, value->line, path, "%s", error->message);
}

void cn_scene_remember_failed(CnSceneLoader* loader, CnNameKind kind, const char* name) {
    if (name != NULL && !cn_map_set(&loader->failed, cn_scene_name_key(kind, name), 0)) {
        cn_report_no_memory(loader->errors);
    }
}

bool cn_scene_failed_before(const CnSceneLoader* loader, CnNameKind kind, const char* name) {
    return name != NULL && cn_map_get(&loader->failed, cn_scene_name_key(kind, name)) >= 0 &&
           cn_scene_find(loader->scene, kind, name) < 0;
}

bool cn_scene_read_two_names(const CnSceneLoader* loader, const CnJson* value, const char* what,
                             bool may_be_null, const char* names[2]) {
    if (value->type != CN_JSON_ARRAY || value->count != 2) {
        return cn_report_error_at(loader->errors, value, "%s must be an array of two names of %s",
                                  value->key != NULL ? value->key : "a pair", what);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        names[element->index] = NULL;
        if (!may_be_null || element->type != CN_JSON_NULL) {
            ok = cn_read_text(element, &names[element->index], loader->errors) && ok;
        }
    }
    return ok;
}

// The place of the thing of that name; -1 after an error was reported, or when it failed before.
static int find_named(const CnSceneLoader* loader, CnNameKind kind, const CnJson* object,
                      const char* key, const char* name) {
    CnFieldPath field = {""};
    CnError error;
    int place = -1;
    if (!cn_scene_failed_before(loader, kind, name) &&
        cn_scene_resolve(loader->scene, kind, name, key, &place, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, object, &field, &error);
    }
    return place;
}

bool cn_scene_read_material(const CnSceneLoader* loader, const CnJson* object, const char* key,
                            const char* name, CnMaterialId* id) {
    *id = (CnMaterialId){0};
    if (name == NULL) {
        return true;
    }
    int place = find_named(loader, CN_NAME_MATERIAL, object, key, name);
    *id = CN_SCENE_ID(CnMaterialId, place);
    return place >= 0;
}

bool cn_scene_read_series(const CnSceneLoader* loader, const CnJson* object, const char* key,
                          const char* name, CnSeriesId* id) {
    *id = (CnSeriesId){0};
    if (name == NULL) {
        return true;
    }
    int place = find_named(loader, CN_NAME_SERIES, object, key, name);
    *id = CN_SCENE_ID(CnSeriesId, place);
    return place >= 0;
}

bool cn_scene_read_joint(const CnSceneLoader* loader, const CnJson* object, const char* key,
                         const char* name, CnJointId* id) {
    int place = find_named(loader, CN_NAME_JOINT, object, key, name);
    *id = CN_SCENE_ID(CnJointId, place);
    return place >= 0;
}

bool cn_scene_read_body(const CnSceneLoader* loader, const CnJson* object, const char* key,
                        const char* name, CnBodyId* id) {
    *id = (CnBodyId){0};
    if (name == NULL || strcmp(name, CN_WORLD_NAME) == 0) {
        return true;
    }
    int place = find_named(loader, CN_NAME_BODY, object, key, name);
    *id = CN_SCENE_ID(CnBodyId, place);
    return place >= 0;
}

bool cn_scene_read_two_bodies(const CnSceneLoader* loader, const CnJson* object, const char* key,
                              const CnJson* value, CnBodyId ids[2]) {
    const char* names[2];
    bool ok = cn_scene_read_two_names(loader, value, "bodies", false, names);
    for (int i = 0; i < 2 && ok; ++i) {
        char field[sizeof(CnFieldPath)];
        snprintf(field, sizeof field, "%s[%d]", key, i);
        ok = cn_scene_read_body(loader, object, field, names[i], &ids[i]);
    }
    return ok;
}

static void load_each(CnSceneLoader* loader, const CnJson* section, CnJsonType type,
                      const char* expected, CnSceneLoadFunction* load) {
    if (section == NULL || !cn_read_type(section, type, expected, loader->errors)) {
        return;
    }
    for (const CnJson* value = section->first; value != NULL; value = value->next) {
        bool is_note =
            value->type == CN_JSON_STRING && value->key != NULL && cn_is_note(value->key);
        if (!is_note) {
            load(loader, value);
        }
    }
}

#define REAL_TIME_DT (1.0 / 60.0) // [s]

static void load_settings(CnSceneLoader* loader, const CnJson* top, CnSceneFileFields* file) {
    bool ok = true;
    if (file->preset != CN_PRESET_EXACT) {
        cn_step_def_use_preset(&file->settings.step, file->preset);
        file->settings.dt = REAL_TIME_DT;
    }
    if (file->step != NULL) {
        ok = cn_fields_read(&cn_scene_step_table, file->step, &file->settings, loader->errors);
    }
    if (file->solver != NULL) {
        ok =
            cn_fields_read(&cn_scene_solver_table, file->solver, &file->settings, loader->errors) &&
            ok;
    }
    for (int part = 0; part < CN_SETTINGS_PARTS; ++part) {
        CnFieldPath field = {""};
        CnError error;
        if (cn_scene_check_settings(&file->settings, part, &field, &error) != CN_OK) {
            cn_scene_report_refused(loader, top, &field, &error);
            ok = false;
        }
    }
    if (ok && cn_scene_set_settings(loader->scene, &file->settings, NULL) != CN_OK) {
        cn_report_no_memory(loader->errors);
    }
}

static void load_collide(CnSceneLoader* loader, const CnJson* value) {
    CnSceneCollideFields fields = {0};
    if (cn_fields_read(&cn_scene_collide_table, value, &fields, loader->errors)) {
        load_each(loader, fields.exclude, CN_JSON_ARRAY, "an array of pairs of bodies",
                  cn_scene_load_exclusion);
    }
}

void cn_scene_load_bodies(CnSceneLoader* loader, const CnSceneThings* things) {
    load_each(loader, things->bodies, CN_JSON_ARRAY, "an array of bodies", cn_scene_load_body);
    load_each(loader, things->repeat, CN_JSON_ARRAY, "an array of groups that repeat",
              cn_scene_load_repeat);
}

void cn_scene_load_links(CnSceneLoader* loader, const CnSceneThings* things) {
    load_each(loader, things->contacts, CN_JSON_ARRAY, "an array of contacts",
              cn_scene_load_contact);
    load_each(loader, things->constraints, CN_JSON_ARRAY, "an array of constraints",
              cn_scene_load_constraint);
    load_each(loader, things->joints, CN_JSON_ARRAY, "an array of joints", cn_scene_load_joint);
    load_each(loader, things->forces, CN_JSON_ARRAY, "an array of forces", cn_scene_load_force);
    if (things->collide != NULL) {
        load_collide(loader, things->collide);
    }
}

static void load_sections(CnSceneLoader* loader, const CnJson* top, CnSceneFileFields* file) {
    load_settings(loader, top, file);
    load_each(loader, file->include, CN_JSON_ARRAY, "an array of files to include",
              cn_scene_load_include);
    load_each(loader, file->materials, CN_JSON_OBJECT, "an object of materials by name",
              cn_scene_load_material);
    load_each(loader, file->material_pairs, CN_JSON_ARRAY, "an array of material pairs",
              cn_scene_load_pair);
    load_each(loader, file->series, CN_JSON_OBJECT, "an object of series by name",
              cn_scene_load_series);
    cn_scene_load_bodies(loader, &file->things);
    cn_scene_load_links(loader, &file->things);
}

static CnScene* load(const CnJson* top, const char* path, const char* fallback_name,
                     const CnSceneLoader* includer, CnErrorList* errors) {
    CnSceneLoader loader = {.scene = cn_scene_create(fallback_name, NULL),
                            .path = path,
                            .errors = errors,
                            .includer = includer};
    if (loader.scene == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    CnSceneFileFields file = {.version = CN_SCENE_FORMAT_VERSION,
                              .settings = loader.scene->settings};
    cn_arena_init(&loader.scratch, NULL);
    cn_map_init(&loader.failed, NULL);
    cn_fields_read(&cn_scene_file_table, top, &file, errors);
    if (file.version != CN_SCENE_FORMAT_VERSION) {
        cn_report_error_at(errors, cn_json_member(top, "cairn"),
                           "cairn is %d; this version reads format %d", file.version,
                           CN_SCENE_FORMAT_VERSION);
    } else {
        load_sections(&loader, top, &file);
    }
    if (file.name != NULL && !cn_scene_copy_text(loader.scene, file.name, &loader.scene->name)) {
        cn_report_no_memory(errors);
    }
    cn_map_destroy(&loader.failed);
    cn_arena_destroy(&loader.scratch);
    if (errors->error_count > 0) {
        cn_scene_destroy(loader.scene);
        return NULL;
    }
    return loader.scene;
}

CnScene* cn_scene_load(const CnJson* top, const char* path, const char* fallback_name,
                       CnErrorList* errors) {
    return load(top, path, fallback_name, NULL, errors);
}

CnScene* cn_scene_load_included(const CnJson* top, const char* path, const CnSceneLoader* includer,
                                CnErrorList* errors) {
    return load(top, path, NULL, includer, errors);
}
