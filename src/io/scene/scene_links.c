// scene_links.c - adding what acts on bodies: contacts, constraints, forces, exclusions.
#include "base/error.h"
#include "io/scene/scene.h"
#include "io/text/text.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

#define MAX_KINDS 16

const CnSceneKind cn_scene_kinds[] = {
    {"distance", cn_distance_kind, 2, true, true, true},
    {"anchor_distance", cn_anchor_distance_kind, 1, true, true, true},
    {"pin", cn_pin_kind, 1, true, false, false},
    {"unit_quaternion", cn_unit_quaternion_kind, 1, false, false, false},
};
const int cn_scene_kind_count = sizeof cn_scene_kinds / sizeof cn_scene_kinds[0];

const CnSceneKind* cn_scene_kind_find(const char* name) {
    for (int i = 0; i < cn_scene_kind_count; ++i) {
        if (strcmp(cn_scene_kinds[i].name, name) == 0) {
            return &cn_scene_kinds[i];
        }
    }
    return NULL;
}

static bool is_world(const char* name) {
    return name == NULL || strcmp(name, CN_WORLD_NAME) == 0;
}

static bool can_move(const CnScene* scene, int body) {
    return body >= 0 && scene->bodies.data[body].def.type == CN_BODY_DYNAMIC;
}

const char* cn_scene_body_name(const CnScene* scene, int body) {
    return body >= 0 ? scene->bodies.data[body].def.name : CN_WORLD_NAME;
}

// A body by name; -1 for the world where that is allowed.
static CnStatus resolve_body(CnScene* scene, const char* name, bool may_be_world,
                             const char* field_name, int* body, CnFieldPath* field,
                             CnError* error) {
    *body = -1;
    if (is_world(name)) {
        return may_be_world ? CN_OK
                            : cn_scene_refuse(field, field_name, error,
                                              "\"" CN_WORLD_NAME "\" cannot stand here: a body "
                                              "that is in the scene is needed");
    }
    return cn_scene_resolve(scene, CN_NAME_BODY, name, field_name, body, field, error);
}

CnStatus cn_scene_resolve_partners(CnScene* scene, const char* a, const char* b,
                                   const bool may_be_world[2], int body[2], CnFieldPath* field,
                                   CnError* error) {
    CnStatus status = resolve_body(scene, a, may_be_world[0], "bodies[0]", &body[0], field, error);
    if (status == CN_OK) {
        status = resolve_body(scene, b, may_be_world[1], "bodies[1]", &body[1], field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    char shown[CN_SHOWN_SIZE], other[CN_SHOWN_SIZE];
    if (body[0] == body[1]) {
        return cn_scene_refuse(field, "bodies", error,
                               "\"%s\" is on both sides; two different bodies are needed",
                               cn_text_show(cn_scene_body_name(scene, body[0]), shown));
    }
    if (!can_move(scene, body[0]) && !can_move(scene, body[1])) {
        return cn_scene_refuse(field, "bodies", error, "neither \"%s\" nor \"%s\" can be moved",
                               cn_text_show(cn_scene_body_name(scene, body[0]), shown),
                               cn_text_show(cn_scene_body_name(scene, body[1]), other));
    }
    return CN_OK;
}

static CnStatus resolve_contact_material(CnScene* scene, const char* name, const char* field_name,
                                         const char** own, CnFieldPath* field, CnError* error) {
    int index;
    *own = NULL;
    if (name == NULL) {
        return CN_OK;
    }
    CnStatus status =
        cn_scene_resolve(scene, CN_NAME_MATERIAL, name, field_name, &index, field, error);
    if (status == CN_OK) {
        *own = scene->materials.data[index].name;
    }
    return status;
}

CnStatus cn_scene_place_contact(CnScene* scene, const CnSceneContact* contact, CnFieldPath* field,
                                CnError* error) {
    CnSceneContact copy = *contact;
    const char* member = "";
    int body[2];
    CnStatus status =
        cn_scene_check_name(scene, CN_NAME_CONTACT, contact->def.name, "name", field, error);
    if (status == CN_OK) {
        const bool may_be_world[2] = {true, false};
        status = cn_scene_resolve_partners(scene, contact->body_a, contact->body_b, may_be_world,
                                           body, field, error);
    }
    if (status == CN_OK) {
        status = resolve_contact_material(scene, contact->material_a, "materials[0]",
                                          &copy.material_a, field, error);
    }
    if (status == CN_OK) {
        status = resolve_contact_material(scene, contact->material_b, "materials[1]",
                                          &copy.material_b, field, error);
    }
    if (status == CN_OK) {
        status = cn_validate_contact(&contact->def, &member, error);
        if (status != CN_OK && field != NULL) {
            snprintf(field->text, sizeof field->text, "%s", member);
        }
    }
    if (status != CN_OK) {
        return status;
    }
    copy.body_a = cn_scene_body_name(scene, body[0]);
    copy.body_b = cn_scene_body_name(scene, body[1]);
    if (!cn_scene_copy_text(scene, contact->def.name, &copy.def.name) ||
        !cn_scene_register(scene, CN_NAME_CONTACT, copy.def.name, scene->contacts.count) ||
        !cn_array_push(&scene->contacts, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_add_contact(CnScene* scene, const CnSceneContact* contact, CnError* error) {
    return cn_scene_place_contact(scene, contact, NULL, error);
}

// ---- constraints ----

static CnStatus refuse_kind(const char* name, CnFieldPath* field, CnError* error) {
    const char* names[MAX_KINDS];
    char list[120] = "", shown[CN_SHOWN_SIZE];
    size_t used = 0;
    for (int i = 0; i < cn_scene_kind_count && i < MAX_KINDS; ++i) {
        names[i] = cn_scene_kinds[i].name;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    cn_text_show(name, shown);
    const char* nearest = cn_nearest_name(name, names, cn_scene_kind_count);
    if (nearest != NULL) {
        return cn_scene_refuse(field, "kind", error, "unknown kind \"%s\"; did you mean \"%s\"?",
                               shown, nearest);
    }
    return cn_scene_refuse(field, "kind", error, "unknown kind \"%s\"; this version has %s", shown,
                           list);
}

static CnStatus check_measures(const CnSceneConstraint* constraint, const CnSceneKind* kind,
                               CnFieldPath* field, CnError* error) {
    const struct {
        const char* name;
        bool used;
        CnVec3 point;
    } points[] = {{"point_a", kind->has_point_a, constraint->point_a},
                  {"point_b", kind->has_point_b, constraint->point_b}};
    for (int i = 0; i < 2; ++i) {
        if (points[i].used && !cn_vec3_is_finite(points[i].point)) {
            return cn_scene_refuse(field, points[i].name, error,
                                   "%s is (%g, %g, %g); every part must be a finite number",
                                   points[i].name, points[i].point.x, points[i].point.y,
                                   points[i].point.z);
        }
    }
    if (!kind->has_length) {
        return CN_OK;
    }
    if (!(constraint->length >= 0.0) || !isfinite(constraint->length)) {
        return cn_scene_refuse(field, "length", error,
                               "length is %g m; it must be positive, or 0 for the distance at the "
                               "start",
                               constraint->length);
    }
    CnVec3 apart = cn_vec3_sub(constraint->point_b, constraint->point_a);
    if (constraint->length == 0.0 && !(cn_vec3_length(apart) > 0.0)) {
        return cn_scene_refuse(field, "length", error,
                               "point_a and point_b coincide; a length is needed");
    }
    return CN_OK;
}

static CnStatus resolve_constraint_bodies(CnScene* scene, const CnSceneConstraint* constraint,
                                          const CnSceneKind* kind, int body[2], CnFieldPath* field,
                                          CnError* error) {
    body[1] = -1;
    if (kind->body_count == 2) {
        const bool may_be_world[2] = {false, false};
        return cn_scene_resolve_partners(scene, constraint->body_a, constraint->body_b,
                                         may_be_world, body, field, error);
    }
    if (!is_world(constraint->body_b)) {
        return cn_scene_refuse(field, "bodies", error, "\"%s\" holds one body to the world",
                               kind->name);
    }
    CnStatus status =
        resolve_body(scene, constraint->body_a, false, "body", &body[0], field, error);
    if (status == CN_OK && !can_move(scene, body[0])) {
        char shown[CN_SHOWN_SIZE];
        return cn_scene_refuse(field, "body", error, "\"%s\" cannot be moved",
                               cn_text_show(constraint->body_a, shown));
    }
    return status;
}

CnStatus cn_scene_place_constraint(CnScene* scene, const CnSceneConstraint* constraint,
                                   CnFieldPath* field, CnError* error) {
    int body[2];
    const char* kind_name = constraint->kind != NULL ? constraint->kind : "";
    const CnSceneKind* kind = cn_scene_kind_find(kind_name);
    if (kind == NULL) {
        return refuse_kind(kind_name, field, error);
    }
    CnStatus status =
        cn_scene_check_name(scene, CN_NAME_CONSTRAINT, constraint->name, "name", field, error);
    if (status == CN_OK) {
        status = resolve_constraint_bodies(scene, constraint, kind, body, field, error);
    }
    if (status == CN_OK) {
        status = check_measures(constraint, kind, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnSceneConstraint copy = *constraint;
    copy.kind = kind->name;
    copy.body_a = cn_scene_body_name(scene, body[0]);
    copy.body_b = kind->body_count == 2 ? cn_scene_body_name(scene, body[1]) : NULL;
    if (!cn_scene_copy_text(scene, constraint->name, &copy.name) ||
        !cn_scene_register(scene, CN_NAME_CONSTRAINT, copy.name, scene->constraints.count) ||
        !cn_array_push(&scene->constraints, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_add_constraint(CnScene* scene, const CnSceneConstraint* constraint,
                                 CnError* error) {
    return cn_scene_place_constraint(scene, constraint, NULL, error);
}

// ---- forces and exclusions ----

CnStatus cn_scene_place_force(CnScene* scene, const CnSceneForce* force, CnFieldPath* field,
                              CnError* error) {
    CnSceneForce copy = *force;
    const char* member = "";
    int body, series;
    CnStatus status = resolve_body(scene, force->body, false, "body", &body, field, error);
    if (status == CN_OK && force->series != NULL) {
        status =
            cn_scene_resolve(scene, CN_NAME_SERIES, force->series, "series", &series, field, error);
        copy.series = status == CN_OK ? scene->series.data[series].name : NULL;
    }
    if (status == CN_OK && force->def.function != NULL) {
        return cn_scene_refuse(field, "function", error,
                               "a scene cannot hold a force function; give it to the world");
    }
    if (status == CN_OK) {
        status = cn_validate_force(&force->def, &member, error);
        if (status != CN_OK && field != NULL) {
            snprintf(field->text, sizeof field->text, "%s", member);
        }
    }
    if (status != CN_OK) {
        return status;
    }
    copy.body = cn_scene_body_name(scene, body);
    return cn_array_push(&scene->forces, &scene->arena.allocator, copy) ? CN_OK
                                                                        : cn_scene_no_memory(error);
}

CnStatus cn_scene_add_force(CnScene* scene, const CnSceneForce* force, CnError* error) {
    return cn_scene_place_force(scene, force, NULL, error);
}

CnStatus cn_scene_place_exclusion(CnScene* scene, const CnSceneExclusion* exclusion,
                                  CnFieldPath* field, CnError* error) {
    int a, b;
    CnStatus status = resolve_body(scene, exclusion->a, false, "[0]", &a, field, error);
    if (status == CN_OK) {
        status = resolve_body(scene, exclusion->b, false, "[1]", &b, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (a == b) {
        char shown[CN_SHOWN_SIZE];
        return cn_scene_refuse(field, "", error,
                               "\"%s\" is named twice; two different bodies are needed",
                               cn_text_show(exclusion->a, shown));
    }
    CnSceneExclusion copy = {cn_scene_body_name(scene, a), cn_scene_body_name(scene, b)};
    return cn_array_push(&scene->exclusions, &scene->arena.allocator, copy)
               ? CN_OK
               : cn_scene_no_memory(error);
}

CnStatus cn_scene_exclude_pair(CnScene* scene, const char* a, const char* b, CnError* error) {
    CnSceneExclusion exclusion = {a, b};
    return cn_scene_place_exclusion(scene, &exclusion, NULL, error);
}
