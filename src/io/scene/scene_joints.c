// scene_joints.c - adding joints to a scene.
#include "base/error.h"
#include "constraints/joints/joint_types.h"
#include "constraints/joints/mimic_ties.h"
#include "io/scene/scene.h"
#include "io/scene/scene_fields.h"
#include "world/constraints/joint.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

static CnStatus check_all_series(const CnScene* scene, const CnJointDef* def, CnFieldPath* field,
                                 CnError* error) {
    char name[sizeof field->text];
    CnStatus status = cn_scene_check_series_id(scene, def->series, "series", field, error);
    for (int i = 0; i < 3 && status == CN_OK; ++i) {
        snprintf(name, sizeof name, "series3[%d]", i);
        status = cn_scene_check_series_id(scene, def->series3[i], name, field, error);
    }
    for (int i = 0; i < CN_AXIS_COUNT && status == CN_OK; ++i) {
        snprintf(name, sizeof name, "axes.%s.series", cn_axis_name((CnAxis)i));
        status = cn_scene_check_series_id(scene, def->axes[i].series, name, field, error);
    }
    if (status == CN_OK) {
        status = cn_scene_check_series_id(scene, def->spring_table, "spring_table", field, error);
    }
    int table = CN_SCENE_PLACE(def->spring_table, scene->series.count);
    if (status == CN_OK && table >= 0 && scene->series.data[table].kind != CN_SERIES_TABLE) {
        return cn_scene_refuse(field, "spring_table", error,
                               "the force of a spring over its stroke must be a table of points");
    }
    return status;
}

// ---- the def ----

static bool joint_uses(const CnJointDef* def, unsigned what) {
    return (cn_joint_type_info(def->type)->uses & what) != 0;
}

// If two points coincide, the line between them has no direction. A joint with a direction of its
// own (a spring) needs the line only where that follows the points.
static CnStatus check_line(const CnJointDef* def, CnFieldPath* field, CnError* error) {
    bool needs_line = joint_uses(def, CN_USES_LINE) && (!joint_uses(def, CN_USES_DIRECTION) ||
                                                        def->direction == CN_DIRECTION_FOLLOW);
    CnVec3 apart = cn_vec3_sub(def->point_b, def->point_a);
    if (needs_line && def->length == 0.0 && !(cn_vec3_length(apart) > 0.0)) {
        bool has_length = joint_uses(def, CN_USES_LENGTH);
        return cn_scene_refuse(field, has_length ? "length" : "point_b", error,
                               "point and point_b coincide; %s is needed",
                               has_length ? "a length" : "another point");
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
    return check_line(def, field, error);
}

// ---- axes ----

static bool does_something(const CnJointAxis* axis) {
    return axis->limited || axis->motor != CN_MOTOR_NONE || axis->series.index != 0 ||
           axis->spring_stiffness != 0.0 || axis->spring_hertz != 0.0 ||
           axis->spring_damping != 0.0 || axis->friction != 0.0;
}

static CnStatus refuse_free_axis(const CnJointDef* def, const bool* is_free, CnAxis axis,
                                 const char* path, CnFieldPath* field, CnError* error) {
    char list[64] = "none";
    size_t used = 0;
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

static CnStatus refuse_axis(const CnJointDef* def, const bool* is_free, CnAxis axis,
                            CnFieldPath* field, CnError* error) {
    char path[sizeof field->text];
    snprintf(path, sizeof path, "axes.%s", cn_axis_name(axis));
    if (joint_uses(def, CN_USES_ONE_AXIS) && axis == cn_joint_type_info(def->type)->main_axis) {
        return cn_scene_refuse(field, path, error,
                               "a joint of type %s holds axis %s unless the axis has limits, a "
                               "motor or a spring",
                               cn_joint_type_name(def->type), cn_axis_name(axis));
    }
    return refuse_free_axis(def, is_free, axis, path, field, error);
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

static CnStatus check_axes(const CnJointDef* def, CnFieldPath* field, CnError* error) {
    CnJointPlan plan = cn_joint_plan(def, &cn_immovable, &cn_immovable);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        const CnJointAxis* axis = &def->axes[i];
        const char* member = "";
        if (axis->motion != CN_AXIS_FREE && !joint_uses(def, CN_USES_AXIS_MOTION)) {
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

static CnStatus check_table(const CnJointDef* def, CnFieldPath* field, CnError* error) {
    const CnJointAxis* axis = &def->axes[CN_AXIS_Z];
    bool is_stiff = axis->spring_stiffness > 0.0 || axis->spring_hertz > 0.0;
    return def->spring_table.index != 0 && is_stiff
               ? cn_scene_refuse(field, "table", error,
                                 "the spring has both a stiffness and a table; give one")
               : CN_OK;
}

// ---- mimics ----

static CnStatus check_mimic_end(const CnScene* scene, CnJointId id, CnAxis axis, bool is_leader,
                                CnFieldPath* field, CnError* error) {
    int place = CN_SCENE_PLACE(id, scene->joints.count);
    if (place < 0) {
        return cn_scene_refuse(field, is_leader ? "leader" : "follower", error,
                               "a mimic needs a %s: a joint that is there already",
                               is_leader ? "leader" : "follower");
    }
    const CnJointDef* def = &scene->joints.data[place];
    CnJointPlan plan = cn_joint_plan(def, &cn_immovable, &cn_immovable);
    bool exists = (int)axis >= 0 && axis < CN_AXIS_COUNT;
    if (exists && plan.free[axis]) {
        return CN_OK;
    }
    return refuse_free_axis(def, plan.free, axis, is_leader ? "leader_axis" : "follower_axis",
                            field, error);
}

static CnMimicTie tie_of(const CnJointDef* def) {
    return (CnMimicTie){def->leader.index,  def->follower.index, def->leader_axis,
                        def->follower_axis, def->ratio,          def->offset};
}

static CnStatus check_mimic_cycle(CnScene* scene, const CnJointDef* def, CnFieldPath* field,
                                  CnError* error) {
    CnArenaMark mark = cn_arena_mark(&scene->scratch);
    CnMimicTie* ties = CN_ARENA_NEW(&scene->scratch, CnMimicTie, scene->joints.count);
    CnMimicTie fresh = tie_of(def), known;
    bool contradicts = false;
    int count = 0;
    for (int i = 0; ties != NULL && i < scene->joints.count; ++i) {
        if (scene->joints.data[i].type == CN_JOINT_MIMIC) {
            ties[count++] = tie_of(&scene->joints.data[i]);
        }
    }
    CnStatus status = ties == NULL
                          ? CN_NO_MEMORY
                          : cn_mimic_find_contradiction(ties, count, &fresh, &scene->scratch,
                                                        &known, &contradicts);
    cn_arena_release(&scene->scratch, mark);
    if (status != CN_OK) {
        return cn_scene_no_memory(error);
    }
    const CnJointDef* joints = scene->joints.data;
    const char* leader = joints[CN_SCENE_PLACE(def->leader, scene->joints.count)].name;
    const char* follower = joints[CN_SCENE_PLACE(def->follower, scene->joints.count)].name;
    return !contradicts
               ? CN_OK
               : cn_scene_refuse(field, "ratio", error, CN_MIMIC_CONTRADICTS, def->ratio,
                                 def->offset, cn_axis_name(def->follower_axis),
                                 follower != NULL ? follower : "", cn_axis_name(def->leader_axis),
                                 leader != NULL ? leader : "", known.ratio, known.offset);
}

static CnStatus check_mimic(CnScene* scene, const CnJointDef* def, CnFieldPath* field,
                            CnError* error) {
    CnStatus status = check_mimic_end(scene, def->leader, def->leader_axis, true, field, error);
    if (status == CN_OK) {
        status = check_mimic_end(scene, def->follower, def->follower_axis, false, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (def->leader.index == def->follower.index && def->leader_axis == def->follower_axis) {
        return cn_scene_refuse(field, "follower", error,
                               "an axis cannot follow itself: leader and follower are the same");
    }
    bool is_turn = def->follower_axis >= CN_AXIS_TURN_X;
    if (is_turn ? def->keep.compliance > 0.0 : def->keep.compliance_turn > 0.0) {
        return cn_scene_refuse(field, is_turn ? "compliance" : "compliance_turn", error,
                               "the follower's axis is %s: it gives way by %s",
                               is_turn ? "an angle" : "a length",
                               is_turn ? "compliance_turn" : "compliance");
    }
    return check_mimic_cycle(scene, def, field, error);
}

// Clears the fields that the type has no key for: a scene file could not hold them, and the scene
// must do the same before and after it is saved.
static void clear_unused(CnJointDef* def) {
    if ((int)def->type < 0 || def->type >= CN_JOINT_TYPE_COUNT) {
        return; // check_def() refuses it
    }
    if (!cn_scene_joint_has_key(def->type, "axis")) {
        def->axis = cn_joint_def_default(def->type).axis;
    }
    if (!cn_scene_joint_has_key(def->type, "axis_b")) {
        def->axis_b = cn_vec3(0.0, 0.0, 0.0);
    }
    if (!cn_scene_joint_has_key(def->type, "leader")) {
        def->leader = def->follower = (CnJointId){0};
        def->leader_axis = def->follower_axis = CN_AXIS_X;
        def->offset = 0.0;
    }
    if (!cn_scene_joint_has_key(def->type, "swing_limit")) {
        def->swing_limit = def->swing_limit_y = 0.0;
    }
    if (!cn_scene_joint_has_key(def->type, "stroke")) {
        def->stroke_lower = def->stroke_upper = 0.0;
        def->spring_table = (CnSeriesId){0};
    }
    if (!cn_scene_joint_has_key(def->type, "series3")) {
        def->series = (CnSeriesId){0};
        memset(def->series3, 0, sizeof def->series3);
    }
}

CnStatus cn_scene_place_joint(CnScene* scene, const CnJointDef* def, CnFieldPath* field,
                              CnError* error) {
    const bool may_be_world[2] = {true, true};
    CnJointDef copy = *def;
    clear_unused(&copy);
    CnStatus status = cn_scene_check_name(scene, CN_NAME_JOINT, def->name, "name", field, error);
    if (status == CN_OK && def->type == CN_JOINT_MIMIC) {
        copy.body_a = copy.body_b = (CnBodyId){0};
        status = check_mimic(scene, &copy, field, error);
    } else if (status == CN_OK) {
        status =
            cn_scene_check_partners(scene, def->body_a, def->body_b, may_be_world, field, error);
    }
    if (status == CN_OK && def->one_body && def->body_a.index != 0) {
        status =
            cn_scene_refuse(field, "bodies", error,
                            "body_a must be none: side A of a joint with one_body is the world");
    }
    if (status == CN_OK) {
        status = check_def(&copy, field, error);
    }
    if (status == CN_OK) {
        status = check_all_series(scene, &copy, field, error);
    }
    if (status == CN_OK) {
        status = check_axes(&copy, field, error);
    }
    if (status == CN_OK) {
        status = check_table(&copy, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (!cn_scene_copy_text(scene, def->name, &copy.name) ||
        !cn_scene_register(scene, CN_NAME_JOINT, copy.name, scene->joints.count) ||
        !cn_array_push(&scene->joints, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnJointId cn_scene_add_joint(CnScene* scene, const CnJointDef* def, CnError* error) {
    CnStatus status = cn_scene_place_joint(scene, def, NULL, error);
    return status == CN_OK ? CN_SCENE_ID(CnJointId, scene->joints.count - 1) : (CnJointId){0};
}
