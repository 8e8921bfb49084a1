// scene_links.c - adds contacts, constraints, forces and exclusions to a scene.
#include "base/error.h"
#include "io/scene/scene.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

// The largest initial distance of a pinned point from its anchor; numbers in programs have six
// digits or more.
#define PIN_TOLERANCE 1e-6 // [m]

const CnPointKind cn_point_kinds[] = {
    {"distance", cn_distance_kind, sizeof(CnDistanceData), 2, true, true, true},
    {"anchor_distance", cn_anchor_distance_kind, sizeof(CnAnchorDistanceData), 1, true, true, true},
    {"pin", cn_pin_kind, sizeof(CnPinData), 1, true, false, false},
    {"unit_quaternion", cn_unit_quaternion_kind, 0, 1, false, false, false},
};
const int cn_point_kind_count = sizeof cn_point_kinds / sizeof cn_point_kinds[0];

const CnPointKind* cn_point_kind_find(const char* name) {
    for (int i = 0; i < cn_point_kind_count; ++i) {
        if (strcmp(cn_point_kinds[i].name, name) == 0) {
            return &cn_point_kinds[i];
        }
    }
    return NULL;
}

static CnStatus set_field(CnFieldPath* field, const char* member, CnStatus status) {
    if (status != CN_OK && field != NULL) {
        snprintf(field->text, sizeof field->text, "%s", member);
    }
    return status;
}

CnStatus cn_scene_place_contact(CnScene* scene, const CnContactDef* def, CnFieldPath* field,
                                CnError* error) {
    const bool may_be_world[2] = {true, false};
    const char* member = "";
    CnStatus status = cn_scene_check_name(scene, CN_NAME_CONTACT, def->name, "name", field, error);
    if (status == CN_OK) {
        status =
            cn_scene_check_partners(scene, def->body_a, def->body_b, may_be_world, field, error);
    }
    if (status == CN_OK) {
        status = cn_scene_check_material(scene, def->material_a, "materials[0]", field, error);
    }
    if (status == CN_OK) {
        status = cn_scene_check_material(scene, def->material_b, "materials[1]", field, error);
    }
    if (status == CN_OK) {
        status = cn_validate_contact(def, &member, error);
        set_field(field, member, status);
    }
    if (status != CN_OK) {
        return status;
    }
    CnContactDef copy = *def;
    if (!cn_scene_copy_text(scene, def->name, &copy.name) ||
        !cn_scene_register(scene, CN_NAME_CONTACT, copy.name, scene->contacts.count) ||
        !cn_array_push(&scene->contacts, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnContactId cn_scene_add_contact(CnScene* scene, const CnContactDef* def, CnError* error) {
    CnStatus status = cn_scene_place_contact(scene, def, NULL, error);
    return status == CN_OK ? CN_SCENE_ID(CnContactId, scene->contacts.count - 1) : (CnContactId){0};
}

// ---- constraints ----

static CnStatus check_measures(const CnPointConstraint* constraint, CnFieldPath* field,
                               CnError* error) {
    const CnPointKind* kind = constraint->kind;
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

static CnStatus check_constraint_bodies(const CnScene* scene, const CnPointConstraint* constraint,
                                        CnFieldPath* field, CnError* error) {
    if (constraint->kind->body_count == 2) {
        const bool may_be_world[2] = {false, false};
        return cn_scene_check_partners(scene, constraint->body_a, constraint->body_b, may_be_world,
                                       field, error);
    }
    if (constraint->body_b.index != 0) {
        return cn_scene_refuse(field, "bodies", error,
                               "a constraint of kind \"%s\" has one body; body_b must be none",
                               constraint->kind->name);
    }
    CnBodyId body = constraint->body_a;
    CnStatus status = cn_scene_check_body(scene, body, false, "body", field, error);
    if (status == CN_OK &&
        scene->bodies.data[CN_SCENE_PLACE(body, scene->bodies.count)].type != CN_BODY_DYNAMIC) {
        char shown[CN_SHOWN_SIZE];
        return cn_scene_refuse(field, "body", error, "\"%s\" cannot be moved",
                               cn_scene_show_body(scene, body, shown));
    }
    return status;
}

CnStatus cn_scene_place_constraint(CnScene* scene, const CnPointConstraint* constraint,
                                   CnFieldPath* field, CnError* error) {
    CnStatus status =
        cn_scene_check_name(scene, CN_NAME_CONSTRAINT, constraint->name, "name", field, error);
    if (status == CN_OK) {
        status = check_constraint_bodies(scene, constraint, field, error);
    }
    if (status == CN_OK) {
        status = check_measures(constraint, field, error);
    }
    if (status == CN_OK) {
        const char* member = "";
        status = cn_validate_keeping(constraint->kind->kind(), &constraint->keep, &member, error);
        set_field(field, member, status);
    }
    if (status != CN_OK) {
        return status;
    }
    CnPointConstraint copy = *constraint;
    if (!cn_scene_copy_text(scene, constraint->name, &copy.name) ||
        !cn_scene_register(scene, CN_NAME_CONSTRAINT, copy.name, scene->constraints.count) ||
        !cn_array_push(&scene->constraints, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

// The initial world position of a point given relative to the centre of mass, in body axes.
static CnVec3 point_at_start(const CnScene* scene, CnBodyId body, CnVec3 point) {
    CnTransform at_center = cn_scene_body_pose(scene, body);
    at_center.position = cn_scene_body_center(scene, body);
    return cn_transform_point(at_center, point);
}

// The points in def->data, which fits its kind, in world axes. The bodies are of this scene.
static CnStatus take_data(const CnScene* scene, const CnConstraintDef* def, CnPointConstraint* out,
                          CnError* error) {
    if (def->kind == cn_distance_kind()) {
        const CnDistanceData* data = def->data;
        out->point_a = point_at_start(scene, def->body_a, data->point_a);
        out->point_b = point_at_start(scene, def->body_b, data->point_b);
        out->length = data->length;
    } else if (def->kind == cn_anchor_distance_kind()) {
        const CnAnchorDistanceData* data = def->data;
        out->point_a = point_at_start(scene, def->body_a, data->point_a);
        out->point_b = data->anchor;
        out->length = data->length;
    } else if (def->kind == cn_pin_kind()) {
        const CnPinData* data = def->data;
        CnVec3 start = point_at_start(scene, def->body_a, data->point_a);
        double apart = cn_vec3_length(cn_vec3_sub(start, data->anchor));
        out->point_a = data->anchor;
        if (!(apart <= PIN_TOLERANCE)) {
            return cn_error_set(error, CN_INVALID,
                                "point_a of the pin starts %g m from its anchor; a scene file has "
                                "one point for both, so they must coincide",
                                apart);
        }
    }
    return CN_OK;
}

// Fills *kind; checks that def->data fits it.
static CnStatus find_kind(const CnConstraintDef* def, const CnPointKind** kind, CnError* error) {
    CnStatus status = cn_validate_constraint(def, NULL, error);
    if (status != CN_OK) {
        return status;
    }
    *kind = NULL;
    for (int i = 0; i < cn_point_kind_count; ++i) {
        if (def->kind == cn_point_kinds[i].kind()) {
            *kind = &cn_point_kinds[i];
        }
    }
    if (*kind == NULL) {
        return cn_error_set(error, CN_INVALID,
                            "a scene cannot hold a constraint of your own kind \"%s\"; add it to "
                            "the world",
                            def->kind->name);
    }
    return CN_OK;
}

CnConstraintId cn_scene_add_constraint(CnScene* scene, const CnConstraintDef* def, CnError* error) {
    CnPointConstraint constraint = {0};
    CnStatus status = find_kind(def, &constraint.kind, error);
    if (status == CN_OK) {
        constraint.name = def->name;
        constraint.body_a = def->body_a;
        constraint.body_b = def->body_b;
        constraint.collide = def->collide;
        constraint.keep = def->keep;
        status = check_constraint_bodies(scene, &constraint, NULL, error);
    }
    if (status == CN_OK) {
        status = take_data(scene, def, &constraint, error);
    }
    if (status == CN_OK) {
        status = cn_scene_place_constraint(scene, &constraint, NULL, error);
    }
    return status == CN_OK ? CN_SCENE_ID(CnConstraintId, scene->constraints.count - 1)
                           : (CnConstraintId){0};
}

// ---- forces and exclusions ----

CnStatus cn_scene_place_force(CnScene* scene, const CnForceDef* def, CnFieldPath* field,
                              CnError* error) {
    const char* member = "";
    CnStatus status = cn_scene_check_body(scene, def->body, false, "body", field, error);
    if (status == CN_OK) {
        status = cn_scene_check_series_id(scene, def->series, "series", field, error);
    }
    if (status == CN_OK && def->function != NULL) {
        return cn_scene_refuse(field, "function", error,
                               "a scene cannot hold a force function; give it to the world");
    }
    if (status == CN_OK) {
        status = cn_validate_force(def, &member, error);
        set_field(field, member, status);
    }
    if (status != CN_OK) {
        return status;
    }
    return cn_array_push(&scene->forces, &scene->arena.allocator, *def) ? CN_OK
                                                                        : cn_scene_no_memory(error);
}

CnForceId cn_scene_add_force(CnScene* scene, const CnForceDef* def, CnError* error) {
    CnForceDef force = *def;
    CnStatus status = cn_scene_check_body(scene, def->body, false, "body", NULL, error);
    if (status == CN_OK) {
        CnTransform pose = cn_scene_body_pose(scene, def->body);
        force.point = cn_transform_point(pose, def->point);
        if (def->frame == CN_FORCE_CARRIED) {
            force.force = cn_quat_rotate(pose.rotation, def->force);
            force.torque = cn_quat_rotate(pose.rotation, def->torque);
        }
        status = cn_scene_place_force(scene, &force, NULL, error);
    }
    return status == CN_OK ? CN_SCENE_ID(CnForceId, scene->forces.count - 1) : (CnForceId){0};
}

CnStatus cn_scene_place_exclusion(CnScene* scene, const CnExcludedPair* pair, CnFieldPath* field,
                                  CnError* error) {
    CnStatus status = cn_scene_check_body(scene, pair->a, false, "[0]", field, error);
    if (status == CN_OK) {
        status = cn_scene_check_body(scene, pair->b, false, "[1]", field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (pair->a.index == pair->b.index) {
        char shown[CN_SHOWN_SIZE];
        return cn_scene_refuse(field, "", error,
                               "\"%s\" is named twice; two different bodies are needed",
                               cn_scene_show_body(scene, pair->a, shown));
    }
    return cn_array_push(&scene->exclusions, &scene->arena.allocator, *pair)
               ? CN_OK
               : cn_scene_no_memory(error);
}

CnStatus cn_scene_exclude_pair(CnScene* scene, CnBodyId a, CnBodyId b, CnError* error) {
    CnExcludedPair pair = {a, b};
    return cn_scene_place_exclusion(scene, &pair, NULL, error);
}
