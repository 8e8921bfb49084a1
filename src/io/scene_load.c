// scene_load.c - walking a scene file, section by section.
//
// The loader only reads types and shapes of values; what they mean is judged by the place
// functions, so that programs that build scenes get the same sentences. Things that refer to a
// thing that already failed are passed over: one mistake, one sentence.
#include "io/scene_load.h"

#include "io/scene_fields.h"
#include "io/text.h"
#include <stdio.h>
#include <string.h>

#define DEGREE (CN_PI / 180.0) // [rad]

typedef struct Loader {
    CnScene* scene;
    CnArena* arena;
    CnComplaints* complaints;
    CnMap failed; // keys of names that were given to things that could not be added
} Loader;

// ---- what all sections share ----

// Points at the field a place function refused, or as near to it as the file goes.
static void complain_refused(const Loader* loader, const CnJson* object, const CnFieldPath* field,
                             const CnError* error) {
    const CnJson* value = cn_json_follow(object, field->text);
    char path[sizeof loader->complaints->first.path];
    cn_json_path(object, path, sizeof path);
    size_t used = strlen(path);
    if (field->text[0] != 0) {
        snprintf(path + used, sizeof path - used, "%s%s",
                 used > 0 && field->text[0] != '[' ? "." : "", field->text);
        cn_text_trim(path);
    }
    cn_complain(loader->complaints, error->status, value->line, path, "%s", error->message);
}

static void remember_failed(Loader* loader, CnNameKind kind, const char* name) {
    if (name != NULL && !cn_map_set(&loader->failed, cn_scene_name_key(kind, name), 0)) {
        cn_complain_no_memory(loader->complaints);
    }
}

static bool failed_before(const Loader* loader, CnNameKind kind, const char* name) {
    return name != NULL && cn_map_get(&loader->failed, cn_scene_name_key(kind, name)) >= 0 &&
           cn_scene_find(loader->scene, kind, name) < 0;
}

// Two strings; where allowed, null stands for none.
static bool read_two_names(const Loader* loader, const CnJson* value, const char* what,
                           bool may_be_null, const char* names[2]) {
    if (value->type != CN_JSON_ARRAY || value->count != 2) {
        return cn_complain_at(loader->complaints, value, "%s must be an array of two names of %s",
                              value->key != NULL ? value->key : "a pair", what);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        names[element->index] = NULL;
        if (!may_be_null || element->type != CN_JSON_NULL) {
            ok = cn_read_text(element, &names[element->index], loader->complaints) && ok;
        }
    }
    return ok;
}

typedef void LoadFunction(Loader* loader, const CnJson* value);

static void load_each(Loader* loader, const CnJson* section, CnJsonType type, const char* expected,
                      LoadFunction* load) {
    if (section == NULL || !cn_read_type(section, type, expected, loader->complaints)) {
        return;
    }
    for (const CnJson* value = section->first; value != NULL; value = value->next) {
        load(loader, value);
    }
}

// ---- settings, materials, series ----

static void load_settings(Loader* loader, const CnJson* top, CnSceneFileFields* file) {
    bool ok = true;
    if (file->step != NULL) {
        ok = cn_fields_read(&cn_scene_step_table, file->step, &file->settings, loader->complaints);
    }
    if (file->solver != NULL) {
        ok = cn_fields_read(&cn_scene_solver_table, file->solver, &file->settings,
                            loader->complaints) &&
             ok;
    }
    for (int part = 0; part < CN_SETTINGS_PARTS; ++part) {
        CnFieldPath field = {""};
        CnError error;
        if (cn_scene_check_settings(&file->settings, part, &field, &error) != CN_OK) {
            complain_refused(loader, top, &field, &error);
            ok = false;
        }
    }
    if (ok && cn_scene_set_settings(loader->scene, &file->settings, NULL) != CN_OK) {
        cn_complain_no_memory(loader->complaints);
    }
}

static void load_material(Loader* loader, const CnJson* value) {
    CnMaterialDef def = cn_material_def_default();
    CnFieldPath field = {""};
    CnError error;
    def.name = value->key;
    bool ok = cn_fields_read(&cn_scene_material_table, value, &def, loader->complaints);
    if (ok && cn_scene_place_material(loader->scene, &def, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
        ok = false;
    }
    if (!ok) {
        remember_failed(loader, CN_NAME_MATERIAL, value->key);
    }
}

// What the pair leaves open is what the two materials would have had without it.
static void combine_materials(const CnScene* scene, CnScenePair* pair) {
    int a = cn_scene_find(scene, CN_NAME_MATERIAL, pair->a);
    int b = cn_scene_find(scene, CN_NAME_MATERIAL, pair->b);
    if (a >= 0 && b >= 0) {
        const CnMaterialDef *first = &scene->materials.data[a], *second = &scene->materials.data[b];
        pair->friction = sqrt(first->friction * second->friction);
        pair->restitution = sqrt(first->restitution * second->restitution);
    }
}

static void load_pair(Loader* loader, const CnJson* value) {
    CnScenePairFields fields = {0};
    CnFieldPath field = {""};
    CnError error;
    const char* names[2];
    const CnJson* materials = cn_json_member(value, "materials");
    if (materials != NULL && !read_two_names(loader, materials, "materials", false, names)) {
        return;
    }
    if (materials != NULL) {
        fields.pair.a = names[0];
        fields.pair.b = names[1];
        combine_materials(loader->scene, &fields.pair);
    }
    if (!cn_fields_read(&cn_scene_pair_table, value, &fields, loader->complaints) ||
        failed_before(loader, CN_NAME_MATERIAL, fields.pair.a) ||
        failed_before(loader, CN_NAME_MATERIAL, fields.pair.b)) {
        return;
    }
    if (cn_scene_find_pair(loader->scene, fields.pair.a, fields.pair.b) != NULL) {
        cn_complain_at(loader->complaints, value, "this pair of materials is given twice");
    } else if (cn_scene_place_material_pair(loader->scene, &fields.pair, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
    }
}

// An array of any length, as many numbers in the arena; NULL after a complaint.
static double* read_samples(const Loader* loader, const CnJson* value, const char* unit) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of numbers", loader->complaints)) {
        return NULL;
    }
    double* samples = CN_ARENA_NEW(loader->arena, double, value->count);
    if (samples == NULL) {
        cn_complain_no_memory(loader->complaints);
        return NULL;
    }
    bool ok = cn_read_numbers(value, unit, value->count, samples, loader->complaints);
    return ok ? samples : NULL;
}

static bool read_series(const Loader* loader, const CnJson* value, CnSeriesDef* def) {
    CnSceneSeriesFields fields = {0};
    if (!cn_fields_read(&cn_scene_series_table, value, &fields, loader->complaints)) {
        return false;
    }
    def->times = read_samples(loader, fields.times, "s");
    def->values = read_samples(loader, fields.values, NULL);
    if (def->times == NULL || def->values == NULL) {
        return false;
    }
    def->count = fields.times->count;
    return fields.values->count == def->count ||
           cn_complain_at(loader->complaints, fields.values,
                          "there are %d values for %d times; it must be one for each",
                          fields.values->count, def->count);
}

static void load_series(Loader* loader, const CnJson* value) {
    CnSeriesDef def = {.name = value->key};
    CnFieldPath field = {""};
    CnError error;
    bool ok = read_series(loader, value, &def);
    if (ok && cn_scene_place_series(loader->scene, &def, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
        ok = false;
    }
    if (!ok) {
        remember_failed(loader, CN_NAME_SERIES, value->key);
    }
}

// ---- bodies ----

static bool read_rotation(const Loader* loader, const CnJson* value, CnQuat* rotation) {
    CnSceneRotationFields fields = {0};
    double q[4];
    if (value->type == CN_JSON_ARRAY) {
        if (!cn_read_numbers(value, NULL, 4, q, loader->complaints)) {
            return false;
        }
        *rotation = cn_quat(q[0], q[1], q[2], q[3]);
        return true;
    }
    if (value->type != CN_JSON_OBJECT) {
        return cn_complain_at(loader->complaints, value,
                              "rotation is %s; it must be {\"axis\", \"degrees\"}, {\"axis\", "
                              "\"radians\"} or a quaternion [w, x, y, z]",
                              cn_json_type_name(value->type));
    }
    if (!cn_fields_read(&cn_scene_rotation_table, value, &fields, loader->complaints)) {
        return false;
    }
    bool in_degrees = cn_json_member(value, "degrees") != NULL;
    if (in_degrees == (cn_json_member(value, "radians") != NULL)) {
        return cn_complain_at(loader->complaints, value,
                              "a rotation needs one of \"degrees\" and \"radians\"");
    }
    if (!(cn_vec3_length(fields.axis) > 0.0)) {
        return cn_complain_at(loader->complaints, cn_json_member(value, "axis"),
                              "axis has no direction; its length must be positive");
    }
    double angle = in_degrees ? fields.degrees * DEGREE : fields.radians;
    *rotation = cn_quat_from_axis_angle(fields.axis, angle);
    return true;
}

// A sphere has a radius and a plane may have a normal, not the other way round.
static bool check_shape_keys(const Loader* loader, const CnJson* value, CnShapeType type) {
    bool is_plane = type == CN_SHAPE_PLANE;
    const char* foreign = is_plane ? "radius" : "normal";
    const CnJson* member = cn_json_member(value, foreign);
    if (member != NULL) {
        return cn_complain_at(loader->complaints, member, "a %s has no %s",
                              is_plane ? "plane" : "sphere", foreign);
    }
    return is_plane || cn_json_member(value, "radius") != NULL ||
           cn_complain_at(loader->complaints, value, "a sphere needs the key \"radius\"");
}

// Fills body->shapes from the array; a shape that fails takes the body with it.
static bool read_shapes(const Loader* loader, const CnJson* value, CnSceneBody* body) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of shapes", loader->complaints)) {
        return false;
    }
    CnSceneShape* shapes = CN_ARENA_NEW(loader->arena, CnSceneShape, value->count);
    if (shapes == NULL) {
        return cn_complain_no_memory(loader->complaints);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        CnSceneShape* shape = &shapes[element->index];
        shape->def = cn_shape_def_default(CN_SHAPE_SPHERE);
        ok = cn_fields_read(&cn_scene_shape_table, element, shape, loader->complaints) &&
             check_shape_keys(loader, element, shape->def.type) && ok;
    }
    body->shapes = shapes;
    body->shape_count = value->count;
    return ok;
}

// 3 principal moments along the body's axes, or xx yy zz xy xz yz.
static bool read_inertia(const Loader* loader, const CnJson* value, double inertia[6]) {
    if (value->type != CN_JSON_ARRAY || (value->count != 3 && value->count != 6)) {
        return cn_complain_at(loader->complaints, value,
                              "inertia must be an array of 3 principal moments or of 6 numbers (xx "
                              "yy zz xy xz yz), in kg m^2");
    }
    return cn_read_numbers(value, "kg m^2", value->count, inertia, loader->complaints);
}

// Mass and inertia as given; a mass alone scales what the shapes have.
static bool read_mass(const Loader* loader, const CnJson* value, CnSceneBodyFields* fields) {
    CnBodyDef* def = &fields->body.def;
    if (fields->mass == NULL) {
        const CnJson* alone = fields->inertia != NULL ? fields->inertia : fields->center;
        return alone == NULL ||
               cn_complain_at(loader->complaints, alone, "%s is given without mass", alone->key);
    }
    def->has_mass = true;
    if (!cn_read_number(fields->mass, "kg", &def->mass, loader->complaints)) {
        return false;
    }
    if (fields->inertia != NULL) {
        double center[3] = {0};
        bool ok = read_inertia(loader, fields->inertia, def->inertia);
        if (fields->center != NULL) {
            ok = cn_read_numbers(fields->center, "m", 3, center, loader->complaints) && ok;
        }
        def->center = cn_vec3(center[0], center[1], center[2]);
        return ok;
    }
    if (fields->center != NULL) {
        return cn_complain_at(loader->complaints, fields->center,
                              "center is given without inertia");
    }
    return def->type != CN_BODY_DYNAMIC || !(def->mass > 0.0) ||
           cn_scene_mass_from_shapes(loader->scene, &fields->body, def->mass) ||
           cn_complain_at(loader->complaints, value,
                          "mass is given without inertia, and there is no shape to take it from");
}

static bool read_body(const Loader* loader, const CnJson* value, CnSceneBodyFields* fields) {
    if (!cn_fields_read(&cn_scene_body_table, value, fields, loader->complaints)) {
        return false;
    }
    bool ok = true;
    if (fields->rotation != NULL) {
        ok = read_rotation(loader, fields->rotation, &fields->body.def.rotation);
    }
    if (fields->shapes != NULL) {
        ok = read_shapes(loader, fields->shapes, &fields->body) && ok;
    }
    return ok && read_mass(loader, value, fields);
}

static bool material_failed_before(const Loader* loader, const CnSceneBody* body) {
    bool failed = failed_before(loader, CN_NAME_MATERIAL, body->material);
    for (int i = 0; i < body->shape_count && !failed; ++i) {
        failed = failed_before(loader, CN_NAME_MATERIAL, body->shapes[i].material);
    }
    return failed;
}

static void load_body(Loader* loader, const CnJson* value) {
    CnSceneBodyFields fields = {.body.def = cn_body_def_default()};
    CnFieldPath field = {""};
    CnError error;
    CnArenaMark mark = cn_arena_mark(loader->arena);
    bool ok = read_body(loader, value, &fields) && !material_failed_before(loader, &fields.body);
    if (ok && cn_scene_place_body(loader->scene, &fields.body, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
        ok = false;
    }
    cn_arena_release(loader->arena, mark);
    const CnJson* name = cn_json_member(value, "name");
    if (!ok && name != NULL && name->type == CN_JSON_STRING) {
        remember_failed(loader, CN_NAME_BODY, name->string);
    }
}

// ---- contacts, constraints, forces, exclusions ----

static bool read_contact_materials(const Loader* loader, CnSceneContactFields* fields) {
    const char* names[2] = {fields->material, fields->material};
    if (fields->materials != NULL) {
        if (fields->material != NULL) {
            return cn_complain_at(loader->complaints, fields->materials,
                                  "a contact has \"material\" or \"materials\", not both");
        }
        if (!read_two_names(loader, fields->materials, "materials", true, names)) {
            return false;
        }
    }
    fields->contact.material_a = names[0];
    fields->contact.material_b = names[1];
    return !failed_before(loader, CN_NAME_MATERIAL, names[0]) &&
           !failed_before(loader, CN_NAME_MATERIAL, names[1]);
}

static void load_contact(Loader* loader, const CnJson* value) {
    CnSceneContactFields fields = {.contact.def = cn_contact_def_default()};
    CnFieldPath field = {""};
    CnError error;
    const char* names[2];
    if (!cn_fields_read(&cn_scene_contact_table, value, &fields, loader->complaints) ||
        !read_two_names(loader, fields.bodies, "bodies", false, names) ||
        !read_contact_materials(loader, &fields) || failed_before(loader, CN_NAME_BODY, names[0]) ||
        failed_before(loader, CN_NAME_BODY, names[1])) {
        return;
    }
    fields.contact.body_a = names[0];
    fields.contact.body_b = names[1];
    if (cn_scene_place_contact(loader->scene, &fields.contact, &field, &error) != CN_OK) {
        if (fields.material != NULL && strncmp(field.text, "materials", 9) == 0) {
            field = (CnFieldPath){"material"};
        }
        complain_refused(loader, value, &field, &error);
    }
}

// The keys a kind has must be there, and no others. An unknown kind is the place function's.
static bool check_constraint_keys(const Loader* loader, const CnJson* value, const char* name) {
    const CnSceneKind* kind = cn_scene_kind_find(name);
    if (kind == NULL) {
        return true;
    }
    const struct {
        const char* key;
        bool allowed, required;
    } rules[] = {
        {"body", kind->body_count == 1, kind->body_count == 1},
        {"bodies", kind->body_count == 2, kind->body_count == 2},
        {"point_a", kind->has_point_a, kind->has_point_a},
        {"point_b", kind->has_point_b, kind->has_point_b},
        {"length", kind->has_length, false},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const CnJson* member = cn_json_member(value, rules[i].key);
        if (member == NULL && rules[i].required) {
            ok = cn_complain_at(loader->complaints, value,
                                "a constraint of kind \"%s\" needs the "
                                "key \"%s\"",
                                name, rules[i].key);
        } else if (member != NULL && !rules[i].allowed) {
            ok = cn_complain_at(loader->complaints, member, "a constraint of kind \"%s\" has no %s",
                                name, rules[i].key);
        }
    }
    return ok;
}

static void load_constraint(Loader* loader, const CnJson* value) {
    CnSceneConstraintFields fields = {0};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_constraint_table, value, &fields, loader->complaints) ||
        !check_constraint_keys(loader, value, fields.constraint.kind)) {
        return;
    }
    CnSceneConstraint* constraint = &fields.constraint;
    if (fields.bodies != NULL) {
        const char* names[2];
        if (!read_two_names(loader, fields.bodies, "bodies", false, names)) {
            return;
        }
        constraint->body_a = names[0];
        constraint->body_b = names[1];
    }
    if (failed_before(loader, CN_NAME_BODY, constraint->body_a) ||
        failed_before(loader, CN_NAME_BODY, constraint->body_b)) {
        return;
    }
    if (cn_scene_place_constraint(loader->scene, constraint, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
    }
}

static void load_force(Loader* loader, const CnJson* value) {
    CnSceneForce force = {.def = cn_force_def_default()};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_force_table, value, &force, loader->complaints) ||
        failed_before(loader, CN_NAME_BODY, force.body) ||
        failed_before(loader, CN_NAME_SERIES, force.series)) {
        return;
    }
    bool acts_at_point =
        cn_json_member(value, "force") != NULL || cn_json_member(value, "drag") != NULL;
    if (acts_at_point && cn_json_member(value, "point") == NULL) {
        cn_complain_at(loader->complaints, value,
                       "a force or drag needs the key \"point\": where it acts");
    } else if (cn_scene_place_force(loader->scene, &force, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
    }
}

static void load_exclusion(Loader* loader, const CnJson* value) {
    const char* names[2];
    CnFieldPath field = {""};
    CnError error;
    if (!read_two_names(loader, value, "bodies", false, names) ||
        failed_before(loader, CN_NAME_BODY, names[0]) ||
        failed_before(loader, CN_NAME_BODY, names[1])) {
        return;
    }
    CnSceneExclusion exclusion = {names[0], names[1]};
    if (cn_scene_place_exclusion(loader->scene, &exclusion, &field, &error) != CN_OK) {
        complain_refused(loader, value, &field, &error);
    }
}

static void load_collide(Loader* loader, const CnJson* value) {
    CnSceneCollideFields fields = {0};
    if (cn_fields_read(&cn_scene_collide_table, value, &fields, loader->complaints)) {
        load_each(loader, fields.exclude, CN_JSON_ARRAY, "an array of pairs of bodies",
                  load_exclusion);
    }
}

// ---- the file ----

static void load_sections(Loader* loader, const CnJson* top, CnSceneFileFields* file) {
    load_settings(loader, top, file);
    load_each(loader, file->materials, CN_JSON_OBJECT, "an object of materials by name",
              load_material);
    load_each(loader, file->material_pairs, CN_JSON_ARRAY, "an array of material pairs", load_pair);
    load_each(loader, file->series, CN_JSON_OBJECT, "an object of series by name", load_series);
    load_each(loader, file->bodies, CN_JSON_ARRAY, "an array of bodies", load_body);
    load_each(loader, file->contacts, CN_JSON_ARRAY, "an array of contacts", load_contact);
    load_each(loader, file->constraints, CN_JSON_ARRAY, "an array of constraints", load_constraint);
    load_each(loader, file->forces, CN_JSON_ARRAY, "an array of forces", load_force);
    if (file->collide != NULL) {
        load_collide(loader, file->collide);
    }
}

CnScene* cn_scene_load(const CnJson* top, const char* fallback_name, CnArena* arena,
                       CnComplaints* complaints) {
    Loader loader = {
        .scene = cn_scene_create(fallback_name, NULL), .arena = arena, .complaints = complaints};
    if (loader.scene == NULL) {
        cn_complain_no_memory(complaints);
        return NULL;
    }
    CnSceneFileFields file = {.settings = loader.scene->settings};
    cn_map_init(&loader.failed, &arena->allocator);
    cn_fields_read(&cn_scene_file_table, top, &file, complaints);
    const CnJson* version = cn_json_member(top, "cairn");
    if (version != NULL && version->type == CN_JSON_NUMBER &&
        version->number != CN_SCENE_FORMAT_VERSION) {
        cn_complain_at(complaints, version, "cairn is %g; this version reads format %d",
                       version->number, CN_SCENE_FORMAT_VERSION);
    } else {
        load_sections(&loader, top, &file);
    }
    if (file.name != NULL && !cn_scene_copy_text(loader.scene, file.name, &loader.scene->name)) {
        cn_complain_no_memory(complaints);
    }
    cn_map_destroy(&loader.failed);
    if (complaints->error_count > 0) {
        cn_scene_destroy(loader.scene);
        return NULL;
    }
    return loader.scene;
}
