// scene_load_links.c - contacts, constraints, forces and exclusions from a scene file.
#include "io/scene/scene_loader.h"

#include <stdio.h>
#include <string.h>

#define MAX_KINDS 16

static bool read_contact_materials(const CnSceneLoader* loader, const CnJson* value,
                                   CnSceneContactFields* fields) {
    CnContactDef* def = &fields->def;
    const char* names[2];
    if (fields->materials == NULL) {
        bool ok =
            cn_scene_read_material(loader, value, "material", fields->material, &def->material_a);
        def->material_b = def->material_a;
        return ok;
    }
    if (fields->material != NULL) {
        return cn_report_error_at(loader->errors, fields->materials,
                                  "a contact has \"material\" or \"materials\", not both");
    }
    return cn_scene_read_two_names(loader, fields->materials, "materials", true, names) &&
           cn_scene_read_material(loader, value, "materials[0]", names[0], &def->material_a) &&
           cn_scene_read_material(loader, value, "materials[1]", names[1], &def->material_b);
}

void cn_scene_load_contact(CnSceneLoader* loader, const CnJson* value) {
    CnSceneContactFields fields = {.def = cn_contact_def_default()};
    CnFieldPath field = {""};
    CnError error;
    CnBodyId bodies[2];
    if (!cn_fields_read(&cn_scene_contact_table, value, &fields, loader->errors) ||
        !cn_scene_read_two_bodies(loader, value, "bodies", fields.bodies, bodies) ||
        !read_contact_materials(loader, value, &fields)) {
        return;
    }
    fields.def.body_a = bodies[0];
    fields.def.body_b = bodies[1];
    if (cn_scene_place_contact(loader->scene, &fields.def, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
    }
}

static bool report_kind(const CnSceneLoader* loader, const CnJson* value, const char* name) {
    const char* names[MAX_KINDS];
    char list[120] = "", shown[CN_SHOWN_SIZE];
    size_t used = 0;
    for (int i = 0; i < cn_point_kind_count && i < MAX_KINDS; ++i) {
        names[i] = cn_point_kinds[i].name;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    cn_text_show(name, shown);
    const char* nearest = cn_nearest_name(name, names, cn_point_kind_count);
    const CnJson* kind = cn_json_member(value, "kind");
    return nearest != NULL
               ? cn_report_error_at(loader->errors, kind,
                                    "unknown kind \"%s\"; did you mean \"%s\"?", shown, nearest)
               : cn_report_error_at(loader->errors, kind,
                                    "unknown kind \"%s\"; this version has %s", shown, list);
}

// All keys of the kind must be present, and no others.
static bool check_constraint_keys(const CnSceneLoader* loader, const CnJson* value,
                                  const CnPointKind* kind) {
    const struct {
        const char* key;
        bool allowed, required;
    } rules[] = {
        {"body", kind->body_count == 1, kind->body_count == 1},
        {"bodies", kind->body_count == 2, kind->body_count == 2},
        {"point_a", kind->has_point_a, kind->has_point_a},
        {"point_b", kind->has_point_b, kind->has_point_b},
        {"length", kind->has_length, false},
        {"collide", kind->body_count == 2, false},
        {"compliance", kind->has_point_a, false},
        {"alpha", kind->has_point_a, false},
        {"beta", kind->has_point_a, false},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const CnJson* member = cn_json_member(value, rules[i].key);
        if (member == NULL && rules[i].required) {
            ok = cn_report_error_at(loader->errors, value,
                                    "a constraint of kind \"%s\" needs the "
                                    "key \"%s\"",
                                    kind->name, rules[i].key);
        } else if (member != NULL && !rules[i].allowed) {
            ok = cn_report_error_at(loader->errors, member, "a constraint of kind \"%s\" has no %s",
                                    kind->name, rules[i].key);
        }
    }
    return ok;
}

static bool read_constraint_bodies(const CnSceneLoader* loader, const CnJson* value,
                                   CnSceneConstraintFields* fields) {
    CnPointConstraint* constraint = &fields->constraint;
    if (fields->bodies == NULL) {
        return cn_scene_read_body(loader, value, "body", fields->body, &constraint->body_a);
    }
    CnBodyId bodies[2];
    if (!cn_scene_read_two_bodies(loader, value, "bodies", fields->bodies, bodies)) {
        return false;
    }
    constraint->body_a = bodies[0];
    constraint->body_b = bodies[1];
    return true;
}

void cn_scene_load_constraint(CnSceneLoader* loader, const CnJson* value) {
    CnSceneConstraintFields fields = {.constraint.keep = cn_constraint_def_default().keep};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_constraint_table, value, &fields, loader->errors)) {
        return;
    }
    fields.constraint.kind = cn_point_kind_find(fields.kind);
    if (fields.constraint.kind == NULL) {
        report_kind(loader, value, fields.kind);
    } else if (check_constraint_keys(loader, value, fields.constraint.kind) &&
               read_constraint_bodies(loader, value, &fields) &&
               cn_scene_place_constraint(loader->scene, &fields.constraint, &field, &error) !=
                   CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
    }
}

void cn_scene_load_force(CnSceneLoader* loader, const CnJson* value) {
    CnSceneForceFields fields = {.def = cn_force_def_default()};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_force_table, value, &fields, loader->errors) ||
        !cn_scene_read_body(loader, value, "body", fields.body, &fields.def.body) ||
        !cn_scene_read_series(loader, value, "series", fields.series, &fields.def.series)) {
        return;
    }
    bool acts_at_point =
        cn_json_member(value, "force") != NULL || cn_json_member(value, "drag") != NULL;
    if (acts_at_point && cn_json_member(value, "point") == NULL) {
        cn_report_error_at(loader->errors, value,
                           "a force or drag needs the key \"point\": where it acts");
    } else if (cn_scene_place_force(loader->scene, &fields.def, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
    }
}

void cn_scene_load_exclusion(CnSceneLoader* loader, const CnJson* value) {
    CnFieldPath field = {""};
    CnError error;
    CnBodyId bodies[2];
    if (!cn_scene_read_two_bodies(loader, value, "", value, bodies)) {
        return;
    }
    CnExcludedPair pair = {bodies[0], bodies[1]};
    if (cn_scene_place_exclusion(loader->scene, &pair, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
    }
}
