// scene_joints.c - adding joints to a scene.
#include "base/error.h"
#include "constraints/joints/joint_types.h"
#include "io/scene/scene.h"
#include "io/scene/scene_fields.h"
#include "world/constraints/joint.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

// ---- series: names of the scene's own, and a def that has some id wherever there is a name ----

static CnStatus resolve_series(CnScene* scene, const char* field_name, const char** name,
                               CnSeriesId* id, CnFieldPath* field, CnError* error) {
    int index;
    *id = (CnSeriesId){0};
    if (*name == NULL) {
        return CN_OK;
    }
    CnStatus status =
        cn_scene_resolve(scene, CN_NAME_SERIES, *name, field_name, &index, field, error);
    if (status == CN_OK) {
        *name = scene->series.data[index].name;
        id->index = (uint32_t)index + 1;
    }
    return status;
}

static CnStatus resolve_all_series(CnScene* scene, CnSceneJoint* joint, CnFieldPath* field,
                                   CnError* error) {
    CnStatus status =
        resolve_series(scene, "series", &joint->series, &joint->def.series, field, error);
    for (int i = 0; i < 3 && status == CN_OK; ++i) {
        char name[sizeof field->text];
        snprintf(name, sizeof name, "series3[%d]", i);
        status =
            resolve_series(scene, name, &joint->series3[i], &joint->def.series3[i], field, error);
    }
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        char name[sizeof field->text];
        snprintf(name, sizeof name, "axes.%s.series", cn_axis_name((CnAxis)i));
        status = resolve_series(scene, name, &joint->axis_series[i], &joint->def.axes[i].series,
                                field, error);
    }
    return status;
}

// ---- the def ----

// Where two points are one, the line between them has no direction.
static CnStatus check_distance(const CnJointDef* def, CnFieldPath* field, CnError* error) {
    bool needs_line = def->type == CN_JOINT_DISTANCE || def->type == CN_JOINT_ROPE ||
                      (def->type == CN_JOINT_SPRING && def->direction == CN_DIRECTION_FOLLOW);
    CnVec3 apart = cn_vec3_sub(def->point_b, def->point_a);
    if (needs_line && def->length == 0.0 && !(cn_vec3_length(apart) > 0.0)) {
        bool is_spring = def->type == CN_JOINT_SPRING;
        return cn_scene_refuse(field, is_spring ? "point_b" : "length", error,
                               "point and point_b coincide; %s is needed",
                               is_spring ? "another point" : "a length");
    }
    return CN_OK;
}

static CnStatus check_def(const CnJointDef* def, CnFieldPath* field, CnError* error) {
    CnJointDef alone = *def;
    const char* member = "";
    if (def->spring != NULL) {
        return cn_scene_refuse(field, "spring", error,
                               "a scene cannot hold a spring function; give it to the world");
    }
    memset(alone.axes, 0, sizeof alone.axes); // checked one by one, for the path of the field
    CnStatus status = cn_validate_joint(&alone, &member, error);
    if (status != CN_OK) {
        if (field != NULL) {
            snprintf(field->text, sizeof field->text, "%s", member);
        }
        return status;
    }
    if (def->swing_limit_y > 0.0 && !(def->swing_limit > 0.0)) {
        return cn_scene_refuse(field, "swing_limit_y", error,
                               "swing_limit_y is given without swing_limit");
    }
    return check_distance(def, field, error);
}

// ---- axes ----

static bool does_something(const CnJointAxis* axis) {
    return axis->limited || axis->motor != CN_MOTOR_NONE || axis->series.index != 0 ||
           axis->spring_stiffness != 0.0 || axis->spring_hertz != 0.0 ||
           axis->spring_damping != 0.0 || axis->friction != 0.0;
}

static CnStatus refuse_axis(const CnJointDef* def, const bool* is_free, CnAxis axis,
                            CnFieldPath* field, CnError* error) {
    char path[sizeof field->text], list[64] = "none";
    size_t used = 0;
    snprintf(path, sizeof path, "axes.%s", cn_axis_name(axis));
    if (def->type == CN_JOINT_DISTANCE && axis == CN_AXIS_Z) {
        return cn_scene_refuse(
            field, path, error,
            "a distance stays as it is unless it has limits, a motor or a spring");
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        if (is_free[i]) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     cn_axis_name((CnAxis)i));
        }
    }
    return cn_scene_refuse(field, path, error,
                           "axis %s of a joint of type %s is not free; free: %s",
                           cn_axis_name(axis), cn_joint_type_name(def->type), list);
}

static CnStatus refuse_motion(CnAxis axis, CnFieldPath* field, CnError* error) {
    char path[sizeof field->text];
    snprintf(path, sizeof path, "axes.%s.motion", cn_axis_name(axis));
    return cn_scene_refuse(field, path, error,
                           "only a joint of type six_axis says which axes are free");
}

// The keys of a scene for members of a CnJointAxis that are called otherwise.
static void set_axis_field(CnFieldPath* field, CnAxis axis, const char* member) {
    bool of_spring = strncmp(member, "spring_", 7) == 0;
    bool is_limit = strcmp(member, "lower") == 0;
    if (field != NULL) {
        snprintf(field->text, sizeof field->text, "axes.%s.%s%s", cn_axis_name(axis),
                 of_spring ? "spring." : "",
                 is_limit    ? "limits"
                 : of_spring ? member + 7
                             : member);
    }
}

static CnStatus check_axes(const CnJointDef* def, const int body[2], CnFieldPath* field,
                           CnError* error) {
    CnJointDef planned = *def;
    planned.body_a.index = body[0] >= 0;
    planned.body_b.index = body[1] >= 0;
    CnJointPlan plan = cn_joint_plan(&planned, &cn_immovable, &cn_immovable);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        const CnJointAxis* axis = &def->axes[i];
        const char* member = "";
        if (axis->motion != CN_AXIS_FREE && def->type != CN_JOINT_SIX_AXIS) {
            return refuse_motion((CnAxis)i, field, error);
        }
        if (!plan.free[i] && does_something(axis)) {
            return refuse_axis(def, plan.free, (CnAxis)i, field, error);
        }
        bool leans = plan.free[i] && plan.axes[i].terms[0].measure->leans;
        CnStatus status = cn_validate_joint_axis(axis, (CnAxis)i, leans, &member, error);
        if (status != CN_OK) {
            set_axis_field(field, (CnAxis)i, member);
            return status;
        }
    }
    return CN_OK;
}

// ---- tables of springs ----

static CnStatus check_table(const CnSceneJoint* joint, CnFieldPath* field, CnError* error) {
    CnSeriesDef table = {
        .count = joint->table_count, .times = joint->table_strokes, .values = joint->table_forces};
    const CnJointAxis* axis = &joint->def.axes[CN_AXIS_Z];
    if (joint->table_count == 0) {
        return CN_OK;
    }
    if (joint->def.type != CN_JOINT_SPRING) {
        return cn_scene_refuse(field, "table", error, "a joint of type %s has no table of forces",
                               cn_joint_type_name(joint->def.type));
    }
    if (axis->spring_stiffness > 0.0 || axis->spring_hertz > 0.0) {
        return cn_scene_refuse(field, "table", error,
                               "the spring has both a stiffness and a table; give one");
    }
    if (cn_validate_series(&table, NULL, NULL) != CN_OK) {
        return cn_scene_refuse(field, "table", error,
                               "a table is a list of points [stroke, force]: finite, and each "
                               "stroke larger than the one before");
    }
    return CN_OK;
}

static bool copy_table(CnScene* scene, CnSceneJoint* joint) {
    if (joint->table_count == 0) {
        return true;
    }
    size_t count = (size_t)joint->table_count;
    double* strokes = CN_ARENA_NEW(&scene->arena, double, count);
    double* forces = CN_ARENA_NEW(&scene->arena, double, count);
    if (strokes == NULL || forces == NULL) {
        return false;
    }
    memcpy(strokes, joint->table_strokes, count * sizeof *strokes);
    memcpy(forces, joint->table_forces, count * sizeof *forces);
    joint->table_strokes = strokes;
    joint->table_forces = forces;
    return true;
}

// Clears the fields that the type has no key for: a scene file could not hold them, and the scene
// must do the same before and after it is saved.
static void forget_unused(CnSceneJoint* joint) {
    CnJointDef* def = &joint->def;
    if (!cn_scene_joint_has_key(def->type, "axis")) {
        def->axis = cn_joint_def_default(def->type).axis;
    }
    if (!cn_scene_joint_has_key(def->type, "axis_b")) {
        def->axis_b = cn_vec3(0.0, 0.0, 0.0);
    }
    if (!cn_scene_joint_has_key(def->type, "swing_limit")) {
        def->swing_limit = def->swing_limit_y = 0.0;
    }
    if (!cn_scene_joint_has_key(def->type, "stroke")) {
        def->stroke_lower = def->stroke_upper = 0.0;
        joint->table_count = 0;
    }
    if (!cn_scene_joint_has_key(def->type, "series3")) {
        joint->series = NULL;
        memset(joint->series3, 0, sizeof joint->series3);
    }
}

CnStatus cn_scene_place_joint(CnScene* scene, const CnSceneJoint* joint, CnFieldPath* field,
                              CnError* error) {
    const bool may_be_world[2] = {true, true};
    CnSceneJoint copy = *joint;
    forget_unused(&copy);
    int body[2];
    CnStatus status =
        cn_scene_check_name(scene, CN_NAME_JOINT, joint->def.name, "name", field, error);
    if (status == CN_OK) {
        status = cn_scene_resolve_partners(scene, joint->body_a, joint->body_b, may_be_world, body,
                                           field, error);
    }
    if (status == CN_OK && joint->def.one_body && body[0] >= 0) {
        status = cn_scene_refuse(field, "bodies", error,
                                 "body_a of a joint of one body is given; that is the world");
    }
    if (status == CN_OK) {
        status = resolve_all_series(scene, &copy, field, error);
    }
    if (status == CN_OK) {
        copy.def.spring_table = (CnSeriesId){0};
        status = check_def(&copy.def, field, error);
    }
    if (status == CN_OK) {
        status = check_axes(&copy.def, body, field, error);
    }
    if (status == CN_OK) {
        status = check_table(&copy, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    copy.body_a = cn_scene_body_name(scene, body[0]);
    copy.body_b = cn_scene_body_name(scene, body[1]);
    if (!cn_scene_copy_text(scene, joint->def.name, &copy.def.name) || !copy_table(scene, &copy) ||
        !cn_scene_register(scene, CN_NAME_JOINT, copy.def.name, scene->joints.count) ||
        !cn_array_push(&scene->joints, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_add_joint(CnScene* scene, const CnSceneJoint* joint, CnError* error) {
    return cn_scene_place_joint(scene, joint, NULL, error);
}
