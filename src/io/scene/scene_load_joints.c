// scene_load_joints.c - joints from a scene file.
#include "io/scene/scene_loader.h"
#include "world/validate.h"
#include "world/world.h"

#include "constraints/joints/joint_types.h"
#include <stdio.h>
#include <string.h>

#define DEGREE (CN_PI / 180.0) // [rad]

// A vector this close to unit length was normalised before. Normalising it again would change its
// last bits, and a saved scene must load unchanged.
#define ROUND_OFF 1e-15

static bool is_turn(CnAxis axis) {
    return axis >= CN_AXIS_TURN_X;
}

// ---- lengths and angles ----

// One number, or an array of `count` that may be infinite. Angles may be given as {"degrees": ...}.
static bool read_measures(const CnSceneLoader* loader, const CnJson* value, bool is_angle,
                          int count, double* out) {
    double scale = 1.0;
    if (value->type == CN_JSON_OBJECT) {
        CnSceneDegreesFields fields = {0};
        if (!cn_fields_read(&cn_scene_degrees_table, value, &fields, loader->errors)) {
            return false;
        }
        if (!is_angle) {
            return cn_report_error_at(loader->errors, value,
                                      "%s is a length; only angles are given in degrees",
                                      value->key);
        }
        value = fields.degrees;
        scale = DEGREE;
    }
    const char* unit = !is_angle ? "m" : scale != 1.0 ? "degrees" : "rad";
    if (count == 1) {
        if (!cn_read_number(value, unit, out, loader->errors)) {
            return false;
        }
        out[0] *= scale;
        return true;
    }
    if (value->type != CN_JSON_ARRAY || value->count != count) {
        return cn_report_error_at(loader->errors, value,
                                  "%s must be an array of two numbers, lower and upper, in %s",
                                  value->key, unit);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        ok = cn_read_bound(element, unit, &out[element->index], loader->errors) && ok;
        out[element->index] *= ok ? scale : 1.0;
    }
    return ok;
}

// ---- axes ----

static bool needs(const CnSceneLoader* loader, const CnJson* object, const char* key,
                  const char* owner, bool has_owner) {
    const CnJson* member = cn_json_member(object, key);
    return member == NULL || has_owner ||
           cn_report_error_at(loader->errors, member, "%s is given without %s", key, owner);
}

// Motor keys without a motor would have no effect, nor would a motor without force.
static bool check_axis_keys(const CnSceneLoader* loader, const CnJson* object,
                            const CnSceneAxisFields* fields) {
    static const char* const motor_keys[] = {"target", "series", "stiffness", "damping",
                                             "max_force"};
    bool has_motor = fields->axis.motor != CN_MOTOR_NONE;
    bool ok = needs(loader, object, "restitution", "limits", fields->limits != NULL);
    for (size_t i = 0; i < sizeof motor_keys / sizeof motor_keys[0]; ++i) {
        ok = needs(loader, object, motor_keys[i], "a motor", has_motor) && ok;
    }
    const CnJson* max_force = cn_json_member(object, "max_force");
    if (ok && max_force != NULL && fields->axis.max_force == 0.0) {
        ok = cn_report_error_at(loader->errors, max_force,
                                "max_force is 0, so the motor has no force; leave the key out for "
                                "a motor without a limit");
    }
    return ok;
}

static bool read_spring(const CnSceneLoader* loader, const CnJson* value, CnAxis which,
                        CnJointAxis* axis) {
    CnSceneSpringFields fields = {.axis = *axis};
    if (!cn_fields_read(&cn_scene_spring_table, value, &fields, loader->errors)) {
        return false;
    }
    bool ok = fields.rest == NULL ||
              read_measures(loader, fields.rest, is_turn(which), 1, &fields.axis.spring_rest);
    *axis = fields.axis;
    return ok;
}

// Converts the fields read from object, which has the keys of an axis and perhaps others.
static bool take_axis(const CnSceneLoader* loader, const CnJson* object, CnSceneAxisFields* fields,
                      CnAxis which, CnJointDef* def) {
    CnJointAxis* axis = &fields->axis;
    bool ok = check_axis_keys(loader, object, fields);
    if (fields->limits != NULL) {
        double limits[2] = {0.0, 0.0};
        ok = read_measures(loader, fields->limits, is_turn(which), 2, limits) && ok;
        axis->limited = true;
        axis->lower = limits[0];
        axis->upper = limits[1];
    }
    if (fields->target != NULL) {
        ok = read_measures(loader, fields->target, is_turn(which), 1, &axis->target) && ok;
    } else if (fields->series != NULL) {
        axis->target = 1.0; // the series itself
    }
    if (fields->spring != NULL) {
        ok = read_spring(loader, fields->spring, which, axis) && ok;
    }
    ok = ok && cn_scene_read_series(loader, object, "series", fields->series, &axis->series);
    def->axes[which] = *axis;
    return ok;
}

static bool read_axes(const CnSceneLoader* loader, const CnJson* value, CnJointDef* def) {
    CnSceneAxesFields axes = {{NULL}};
    if (!cn_fields_read(&cn_scene_axes_table, value, &axes, loader->errors)) {
        return false;
    }
    bool ok = true;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        CnSceneAxisFields fields = {0};
        if (axes.axes[i] != NULL) {
            ok = cn_fields_read(&cn_scene_axis_table, axes.axes[i], &fields, loader->errors) &&
                 take_axis(loader, axes.axes[i], &fields, (CnAxis)i, def) && ok;
        }
    }
    return ok;
}

// ---- the one free axis, whose keys may stand with the joint's ----

static CnAxis own_axis(CnJointType type) {
    return cn_joint_type_info(type)->main_axis;
}

static bool has_own_axis(const CnJson* value, const CnSceneJointFields* fields) {
    bool found =
        fields->series != NULL && cn_scene_joint_has_key(fields->def.type, "limits"); // a motor's
    for (int i = 0; i < cn_scene_joint_key_count; ++i) {
        const CnSceneJointKey* key = &cn_scene_joint_keys[i];
        found = found || (key->of_axis && cn_json_member(value, key->key) != NULL);
    }
    return found;
}

static bool read_own_axis(const CnSceneLoader* loader, const CnJson* value,
                          CnSceneJointFields* fields) {
    CnJointDef* def = &fields->def;
    CnSceneAxisFields* own = &fields->own;
    CnAxis which = own_axis(def->type);
    if (!has_own_axis(value, fields)) {
        return true;
    }
    if (fields->axes != NULL && cn_json_member(fields->axes, cn_axis_name(which)) != NULL) {
        return cn_report_error_at(
            loader->errors, fields->axes,
            "axis %s is given twice: under \"axes\" and by keys of the joint itself",
            cn_axis_name(which));
    }
    if ((cn_joint_type_info(def->type)->uses & CN_USES_SPRING) !=
        0) { // it is the spring that they are about
        CnJointAxis* axis = &def->axes[which];
        axis->spring_stiffness = own->axis.stiffness;
        axis->spring_damping = own->axis.damping;
        axis->friction = own->axis.friction;
        return true;
    }
    own->series = fields->series;
    fields->series = NULL;
    return take_axis(loader, value, own, which, def);
}

// ---- keys of types ----

static bool report_key(const CnSceneLoader* loader, const CnJson* member, CnJointType type,
                       const CnSceneJointKey* key) {
    bool has_more_axes = (cn_joint_type_info(type)->uses & CN_USES_AXES) != 0;
    const char* name = cn_joint_type_name(type);
    if (key->of_axis && has_more_axes) {
        return cn_report_error_at(loader->errors, member,
                                  "a joint of type %s has more than one free axis; write %s under "
                                  "\"axes\": {\"turn_z\": ...}",
                                  name, key->key);
    }
    return cn_report_error_at(loader->errors, member, "a joint of type %s has no %s", name,
                              key->key);
}

static bool check_keys(const CnSceneLoader* loader, const CnJson* value,
                       const CnSceneJointFields* fields) {
    CnJointType type = fields->def.type;
    const CnJointTypeInfo* info = cn_joint_type_info(type);
    bool ok = true;
    for (int i = 0; i < cn_scene_joint_key_count; ++i) {
        const CnSceneJointKey* key = &cn_scene_joint_keys[i];
        const CnJson* member = cn_json_member(value, key->key);
        if (member == NULL && (key->uses & info->needs) != 0) {
            ok =
                cn_report_error_at(loader->errors, value, "a joint of type %s needs the key \"%s\"",
                                   cn_joint_type_name(type), key->key);
        } else if (member != NULL && (key->uses & info->uses) == 0) {
            ok = report_key(loader, member, type, key);
        }
    }
    bool is_set = info->course != CN_COURSE_NONE;
    bool is_along =
        (info->uses & CN_USES_SPRING) != 0 && fields->def.direction != CN_DIRECTION_FOLLOW;
    bool needs_axis = (is_set && fields->series3 == NULL) || is_along;
    if (needs_axis && cn_json_member(value, "axis") == NULL) {
        ok = cn_report_error_at(
            loader->errors, value, "a joint of type %s needs the key \"axis\"%s",
            cn_joint_type_name(type), is_set ? ", or three series" : " for a given direction");
    }
    if (fields->series3 != NULL && fields->series != NULL) {
        ok = cn_report_error_at(loader->errors, fields->series3,
                                "a joint has \"series\" or \"series3\", not both");
    }
    return ok;
}

// ---- parts of a joint ----

static bool read_bodies(const CnSceneLoader* loader, const CnJson* value,
                        CnSceneJointFields* fields) {
    CnJointDef* def = &fields->def;
    if ((fields->bodies == NULL) == (fields->body == NULL)) {
        return cn_report_error_at(loader->errors, fields->bodies != NULL ? fields->bodies : value,
                                  "a joint has \"bodies\", or \"body\" for one that is held by the "
                                  "world%s",
                                  fields->bodies != NULL ? ", not both" : "");
    }
    def->one_body = fields->bodies == NULL;
    if (def->one_body) {
        return cn_scene_read_body(loader, value, "body", fields->body, &def->body_b);
    }
    CnBodyId bodies[2];
    if (!cn_scene_read_two_bodies(loader, value, "bodies", fields->bodies, bodies)) {
        return false;
    }
    def->body_a = bodies[0];
    def->body_b = bodies[1];
    return true;
}

// The axis of a joint that a mimic means: the one that the key names, or the only one that is free.
static bool read_mimic_axis(const CnSceneLoader* loader, const CnJson* value, const char* key,
                            CnJointId joint, CnAxis* axis) {
    const CnJointDef* def =
        &loader->scene->joints.data[CN_SCENE_PLACE(joint, loader->scene->joints.count)];
    CnJointPlan plan = cn_joint_plan(def, &cn_immovable, &cn_immovable);
    int count = 0;
    if (cn_json_member(value, key) != NULL) {
        return true;
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        if (plan.free[i]) {
            *axis = (CnAxis)i;
            ++count;
        }
    }
    return count == 1 || cn_report_error_at(loader->errors, value,
                                            "joint \"%s\" (%s) has %d free axes; the key \"%s\" "
                                            "says which one",
                                            def->name, cn_joint_type_name(def->type), count, key);
}

static bool read_mimic(const CnSceneLoader* loader, const CnJson* value,
                       CnSceneJointFields* fields) {
    CnJointDef* def = &fields->def;
    const CnJson* bodies = cn_json_member(value, fields->bodies != NULL ? "bodies" : "body");
    if (bodies != NULL) {
        return cn_report_error_at(loader->errors, bodies,
                                  "a mimic has no bodies of its own, but a leader and a follower");
    }
    bool ok = cn_scene_read_joint(loader, value, "leader", fields->leader, &def->leader);
    ok = cn_scene_read_joint(loader, value, "follower", fields->follower, &def->follower) && ok;
    ok = ok && read_mimic_axis(loader, value, "leader_axis", def->leader, &def->leader_axis) &&
         read_mimic_axis(loader, value, "follower_axis", def->follower, &def->follower_axis);
    return ok &&
           (fields->offset == NULL ||
            read_measures(loader, fields->offset, is_turn(def->follower_axis), 1, &def->offset));
}

static bool read_direction(const CnSceneLoader* loader, const CnJson* value, const char* key,
                           CnVec3* axis) {
    const CnJson* member = cn_json_member(value, key);
    double length = cn_vec3_length(*axis);
    if (member == NULL) {
        return true;
    }
    if (!(length > 0.0) || !isfinite(length)) {
        return cn_report_error_at(loader->errors, member,
                                  "%s has no direction; its length must be positive", key);
    }
    if (fabs(length - 1.0) > ROUND_OFF) {
        *axis = cn_vec3_normalize(*axis);
    }
    return true;
}

static bool read_three_series(const CnSceneLoader* loader, const CnJson* joint, const CnJson* value,
                              CnJointDef* def) {
    if (value->type != CN_JSON_ARRAY || value->count != 3) {
        return cn_report_error_at(loader->errors, value,
                                  "series3 must be an array of three names of series");
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        const char* name;
        char key[16];
        snprintf(key, sizeof key, "series3[%d]", element->index);
        ok = cn_read_text(element, &name, loader->errors) && ok;
        ok = ok && cn_scene_read_series(loader, joint, key, name, &def->series3[element->index]);
    }
    return ok;
}

// Points [stroke, force], which become a series without a name.
static bool read_table(CnSceneLoader* loader, const CnJson* value, CnJointDef* def) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of points [stroke, force]", loader->errors)) {
        return false;
    }
    if (value->count == 0) {
        return cn_report_error_at(loader->errors, value, "table holds no points");
    }
    double* strokes = CN_ARENA_NEW(&loader->scratch, double, value->count);
    double* forces = CN_ARENA_NEW(&loader->scratch, double, value->count);
    if (strokes == NULL || forces == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        double point[2] = {0.0, 0.0};
        ok = cn_read_numbers(element, NULL, 2, point, loader->errors) && ok;
        strokes[element->index] = point[0];
        forces[element->index] = point[1];
    }
    CnSeriesDef table = {.count = value->count, .times = strokes, .values = forces};
    if (!ok) {
        return false;
    }
    if (cn_validate_series(&table, NULL, NULL) != CN_OK) {
        return cn_report_error_at(loader->errors, value,
                                  "a table is a list of points [stroke, force]: finite, and each "
                                  "stroke larger than the one before");
    }
    def->spring_table = cn_scene_add_series(loader->scene, &table, NULL);
    return def->spring_table.index != 0 || cn_report_no_memory(loader->errors);
}

static bool read_parts(CnSceneLoader* loader, const CnJson* value, CnSceneJointFields* fields) {
    CnJointDef* def = &fields->def;
    bool ok = def->type == CN_JOINT_MIMIC ? read_mimic(loader, value, fields)
                                          : read_bodies(loader, value, fields);
    ok = read_direction(loader, value, "axis", &def->axis) && ok;
    ok = read_direction(loader, value, "axis_b", &def->axis_b) && ok;
    if (fields->swing_limit != NULL) {
        ok = read_measures(loader, fields->swing_limit, true, 1, &def->swing_limit) && ok;
    }
    if (fields->swing_limit_y != NULL) {
        ok = read_measures(loader, fields->swing_limit_y, true, 1, &def->swing_limit_y) && ok;
    }
    if (fields->stroke != NULL) {
        double stroke[2] = {0.0, 0.0};
        ok = read_measures(loader, fields->stroke, false, 2, stroke) && ok;
        def->stroke_lower = stroke[0];
        def->stroke_upper = stroke[1];
    }
    if (fields->series3 != NULL) {
        ok = read_three_series(loader, value, fields->series3, def) && ok;
    }
    if (fields->table != NULL) {
        ok = read_table(loader, fields->table, def) && ok;
    }
    ok = read_own_axis(loader, value, fields) && ok;
    if (fields->rest != NULL) {
        ok = read_measures(loader, fields->rest, false, 1, &def->axes[CN_AXIS_Z].spring_rest) && ok;
    }
    if (fields->axes != NULL) {
        ok = read_axes(loader, fields->axes, def) && ok;
    }
    return ok && cn_scene_read_series(loader, value, "series", fields->series, &def->series);
}

// What is said about "axes.turn_z.limits" may stand in the file as "limits", and so on.
static void find_field(const CnJson* value, CnJointType type, CnFieldPath* field) {
    CnFieldPath own = {""};
    const char* axis = cn_axis_name(own_axis(type));
    char prefix[sizeof field->text];
    snprintf(prefix, sizeof prefix, "axes.%s.", axis);
    size_t length = strlen(prefix);
    if (strncmp(field->text, "bodies", 6) == 0 && cn_json_member(value, "body") != NULL) {
        own = (CnFieldPath){"body"};
    } else if (strncmp(field->text, prefix, length) == 0 &&
               cn_json_member(cn_json_follow(value, "axes"), axis) == NULL) {
        const char* rest = field->text + length;
        bool is_spring = (cn_joint_type_info(type)->uses & CN_USES_SPRING) != 0;
        bool of_spring = is_spring && strncmp(rest, "spring.", 7) == 0;
        snprintf(own.text, sizeof own.text, "%s", of_spring ? rest + 7 : rest);
    } else {
        return;
    }
    *field = own;
}

// The defaults depend on the type, which is read first; an unknown one is reported later.
static CnJointDef start_def(const CnJson* value) {
    const CnJson* type = value->type == CN_JSON_OBJECT ? cn_json_member(value, "type") : NULL;
    for (int i = 0; type != NULL && type->type == CN_JSON_STRING && i < CN_JOINT_TYPE_COUNT; ++i) {
        if (strcmp(type->string, cn_joint_type_name((CnJointType)i)) == 0) {
            return cn_joint_def_default((CnJointType)i);
        }
    }
    return cn_joint_def_default(CN_JOINT_BALL);
}

void cn_scene_load_joint(CnSceneLoader* loader, const CnJson* value) {
    CnSceneJointFields fields = {.def = start_def(value)};
    CnJointDef* def = &fields.def;
    CnFieldPath field = {""};
    CnError error;
    CnArenaMark mark = cn_arena_mark(&loader->scratch);
    if (cn_fields_read(&cn_scene_joint_table, value, &fields, loader->errors) &&
        check_keys(loader, value, &fields) && read_parts(loader, value, &fields)) {
        def->two_points = cn_json_member(value, "point_b") != NULL;
        if (cn_scene_place_joint(loader->scene, def, &field, &error) != CN_OK) {
            find_field(value, def->type, &field);
            cn_scene_report_refused(loader, value, &field, &error);
            cn_scene_remember_failed(loader, CN_NAME_JOINT, def->name);
        }
    } else {
        cn_scene_remember_failed(loader, CN_NAME_JOINT, def->name);
    }
    cn_arena_release(&loader->scratch, mark);
}
