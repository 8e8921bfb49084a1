// scene_load_links.c - contacts, constraints, forces and exclusions from a scene file.
#include "io/scene/scene_loader.h"

#include <string.h>

static bool read_contact_materials(const CnSceneLoader* loader, CnSceneContactFields* fields) {
    const char* names[2] = {fields->material, fields->material};
    if (fields->materials != NULL) {
        if (fields->material != NULL) {
            return cn_complain_at(loader->complaints, fields->materials,
                                  "a contact has \"material\" or \"materials\", not both");
        }
        if (!cn_scene_read_two_names(loader, fields->materials, "materials", true, names)) {
            return false;
        }
    }
    fields->contact.material_a = names[0];
    fields->contact.material_b = names[1];
    return !cn_scene_failed_before(loader, CN_NAME_MATERIAL, names[0]) &&
           !cn_scene_failed_before(loader, CN_NAME_MATERIAL, names[1]);
}

void cn_scene_load_contact(CnSceneLoader* loader, const CnJson* value) {
    CnSceneContactFields fields = {.contact.def = cn_contact_def_default()};
    CnFieldPath field = {""};
    CnError error;
    const char* names[2];
    if (!cn_fields_read(&cn_scene_contact_table, value, &fields, loader->complaints) ||
        !cn_scene_read_two_names(loader, fields.bodies, "bodies", false, names) ||
        !read_contact_materials(loader, &fields) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, names[0]) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, names[1])) {
        return;
    }
    fields.contact.body_a = names[0];
    fields.contact.body_b = names[1];
    if (cn_scene_place_contact(loader->scene, &fields.contact, &field, &error) != CN_OK) {
        if (fields.material != NULL && strncmp(field.text, "materials", 9) == 0) {
            field = (CnFieldPath){"material"};
        }
        cn_scene_complain_refused(loader, value, &field, &error);
    }
}

// The keys a kind has must be there, and no others. An unknown kind is the place function's.
static bool check_constraint_keys(const CnSceneLoader* loader, const CnJson* value,
                                  const char* name) {
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
        {"collide", kind->body_count == 2, false},
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

void cn_scene_load_constraint(CnSceneLoader* loader, const CnJson* value) {
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
        if (!cn_scene_read_two_names(loader, fields.bodies, "bodies", false, names)) {
            return;
        }
        constraint->body_a = names[0];
        constraint->body_b = names[1];
    }
    if (cn_scene_failed_before(loader, CN_NAME_BODY, constraint->body_a) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, constraint->body_b)) {
        return;
    }
    if (cn_scene_place_constraint(loader->scene, constraint, &field, &error) != CN_OK) {
        cn_scene_complain_refused(loader, value, &field, &error);
    }
}

void cn_scene_load_force(CnSceneLoader* loader, const CnJson* value) {
    CnSceneForce force = {.def = cn_force_def_default()};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_force_table, value, &force, loader->complaints) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, force.body) ||
        cn_scene_failed_before(loader, CN_NAME_SERIES, force.series)) {
        return;
    }
    bool acts_at_point =
        cn_json_member(value, "force") != NULL || cn_json_member(value, "drag") != NULL;
    if (acts_at_point && cn_json_member(value, "point") == NULL) {
        cn_complain_at(loader->complaints, value,
                       "a force or drag needs the key \"point\": where it acts");
    } else if (cn_scene_place_force(loader->scene, &force, &field, &error) != CN_OK) {
        cn_scene_complain_refused(loader, value, &field, &error);
    }
}

void cn_scene_load_exclusion(CnSceneLoader* loader, const CnJson* value) {
    const char* names[2];
    CnFieldPath field = {""};
    CnError error;
    if (!cn_scene_read_two_names(loader, value, "bodies", false, names) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, names[0]) ||
        cn_scene_failed_before(loader, CN_NAME_BODY, names[1])) {
        return;
    }
    CnSceneExclusion exclusion = {names[0], names[1]};
    if (cn_scene_place_exclusion(loader->scene, &exclusion, &field, &error) != CN_OK) {
        cn_scene_complain_refused(loader, value, &field, &error);
    }
}
