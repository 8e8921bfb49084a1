// scene_load_materials.c - materials, material pairs and series from a scene file.
#include "io/scene/scene_loader.h"

void cn_scene_load_material(CnSceneLoader* loader, const CnJson* value) {
    CnMaterialDef def = cn_material_def_default();
    CnFieldPath field = {""};
    CnError error;
    def.name = value->key;
    bool ok = cn_fields_read(&cn_scene_material_table, value, &def, loader->errors);
    if (ok && cn_scene_place_material(loader->scene, &def, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
        ok = false;
    }
    if (!ok) {
        cn_scene_remember_failed(loader, CN_NAME_MATERIAL, value->key);
    }
}

// What the pair leaves open is what the two materials would have had without it.
static void combine_materials(const CnScene* scene, CnMaterialPair* pair) {
    const CnMaterialDef* first = &scene->materials.data[pair->a.index - 1];
    const CnMaterialDef* second = &scene->materials.data[pair->b.index - 1];
    pair->friction = sqrt(first->friction * second->friction);
    double hold = sqrt(fmax(first->friction, first->static_friction) *
                       fmax(second->friction, second->static_friction));
    pair->static_friction = hold > pair->friction ? hold : 0.0;
    pair->restitution = sqrt(first->restitution * second->restitution);
}

static bool read_pair_materials(const CnSceneLoader* loader, const CnJson* value,
                                const CnJson* materials, CnMaterialPair* pair) {
    const char* names[2];
    if (!cn_scene_read_two_names(loader, materials, "materials", false, names) ||
        !cn_scene_read_material(loader, value, "materials[0]", names[0], &pair->a) ||
        !cn_scene_read_material(loader, value, "materials[1]", names[1], &pair->b)) {
        return false;
    }
    combine_materials(loader->scene, pair);
    return true;
}

void cn_scene_load_pair(CnSceneLoader* loader, const CnJson* value) {
    CnScenePairFields fields = {0};
    CnFieldPath field = {""};
    CnError error;
    const CnJson* materials = cn_json_member(value, "materials");
    if (materials != NULL && !read_pair_materials(loader, value, materials, &fields.pair)) {
        return;
    }
    if (cn_json_member(value, "friction") != NULL) {
        fields.pair.static_friction = 0.0; // that of the materials belongs to their friction
    }
    if (!cn_fields_read(&cn_scene_pair_table, value, &fields, loader->errors)) {
        return;
    }
    if (cn_scene_find_pair(loader->scene, fields.pair.a, fields.pair.b) != NULL) {
        cn_report_error_at(loader->errors, value, "this pair of materials is given twice");
    } else if (cn_scene_place_material_pair(loader->scene, &fields.pair, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
    }
}

// An array of any length, as many numbers of scratch memory; NULL after an error was reported.
static double* read_samples(CnSceneLoader* loader, const CnJson* value, const char* unit) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of numbers", loader->errors)) {
        return NULL;
    }
    double* samples = CN_ARENA_NEW(&loader->scratch, double, value->count);
    if (samples == NULL) {
        cn_report_no_memory(loader->errors);
        return NULL;
    }
    bool ok = cn_read_numbers(value, unit, value->count, samples, loader->errors);
    return ok ? samples : NULL;
}

// Samples, a file of them, or a formula.
static bool check_series_keys(const CnSceneLoader* loader, const CnJson* value,
                              const CnSceneSeriesFields* fields) {
    const CnJson* other = fields->times != NULL ? fields->times : fields->values;
    const CnJson* ways[] = {other, fields->file, fields->sine, fields->ramp, fields->pulse};
    const CnJson* first = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        if (first != NULL && ways[i] != NULL) {
            return cn_report_error_at(loader->errors, ways[i],
                                      "a series has one of \"times\" and \"values\", \"file\", "
                                      "\"sine\", \"ramp\" and \"pulse\"; it has both %s and %s",
                                      first->key, ways[i]->key);
        }
        first = first != NULL ? first : ways[i];
    }
    if (first != NULL && first != other) {
        return true;
    }
    if (fields->times != NULL && fields->values != NULL) {
        return true;
    }
    return cn_report_error_at(loader->errors, value, "a series needs the key \"%s\"%s",
                              fields->times == NULL ? "times" : "values",
                              other == NULL ? " and \"values\", or one of \"file\", \"sine\", "
                                              "\"ramp\" and \"pulse\""
                                            : "");
}

static bool read_formula(const CnSceneLoader* loader, const CnSceneSeriesFields* fields,
                         CnSeriesDef* def) {
    const struct {
        const CnJson* value;
        const CnFieldTable* table;
        CnSeriesKind kind;
    } formulas[] = {{fields->sine, &cn_scene_sine_table, CN_SERIES_SINE},
                    {fields->ramp, &cn_scene_ramp_table, CN_SERIES_RAMP},
                    {fields->pulse, &cn_scene_pulse_table, CN_SERIES_PULSE}};
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; ++i) {
        if (formulas[i].value != NULL) {
            def->kind = formulas[i].kind;
            return cn_fields_read(formulas[i].table, formulas[i].value, def, loader->errors);
        }
    }
    return true;
}

static bool read_series(CnSceneLoader* loader, const CnJson* value, CnSeriesDef* def) {
    CnSceneSeriesFields fields = {0};
    if (!cn_fields_read(&cn_scene_series_table, value, &fields, loader->errors) ||
        !check_series_keys(loader, value, &fields)) {
        return false;
    }
    if (fields.file != NULL) {
        return cn_scene_load_series_file(loader, fields.file, def);
    }
    if (fields.times == NULL) {
        return read_formula(loader, &fields, def);
    }
    def->times = read_samples(loader, fields.times, "s");
    def->values = read_samples(loader, fields.values, NULL);
    if (def->times == NULL || def->values == NULL) {
        return false;
    }
    def->count = fields.times->count;
    return fields.values->count == def->count ||
           cn_report_error_at(loader->errors, fields.values,
                              "there are %d values for %d times; each time needs one value",
                              fields.values->count, def->count);
}

void cn_scene_load_series(CnSceneLoader* loader, const CnJson* value) {
    CnSeriesDef def = {.name = value->key};
    CnFieldPath field = {""};
    CnError error;
    CnArenaMark mark = cn_arena_mark(&loader->scratch);
    bool ok = read_series(loader, value, &def);
    if (ok && cn_scene_place_series(loader->scene, &def, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
        ok = false;
    }
    cn_arena_release(&loader->scratch, mark);
    if (!ok) {
        cn_scene_remember_failed(loader, CN_NAME_SERIES, value->key);
    }
}
