// scene_save_joints.c - joints in scene files that load to the same joints, bit by bit.
#include "io/scene/scene_save.h"

#include <string.h>

static void save_spring(const CnJointAxis* axis, CnJsonWriter* writer) {
    CnSceneSpringFields fields = {.axis = *axis};
    cn_write_flat_object(writer, "spring");
    cn_fields_write(&cn_scene_spring_table, &fields, writer);
    cn_write_number(writer, "rest", axis->spring_rest);
    cn_write_object_end(writer);
}

static void save_limits(const CnJointAxis* axis, CnJsonWriter* writer) {
    const double limits[2] = {axis->lower, axis->upper};
    cn_write_numbers(writer, "limits", limits, 2);
    cn_write_number(writer, "restitution", axis->restitution);
}

static void save_motor(const CnSceneAxisFields* fields, CnJsonWriter* writer) {
    static const char* const keys[] = {"motor", "series", "stiffness", "damping"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        cn_field_write(cn_field_find(&cn_scene_axis_table, keys[i]), fields, writer);
    }
    cn_write_number(writer, "target", fields->axis.target);
    if (fields->axis.max_force > 0.0) { // 0 is as much as it takes: no key
        cn_write_number(writer, "max_force", fields->axis.max_force);
    }
}

static bool has_spring(const CnJointAxis* axis) {
    return axis->spring_stiffness != 0.0 || axis->spring_hertz != 0.0 ||
           axis->spring_damping != 0.0 || axis->spring_rest != 0.0;
}

static bool is_plain(const CnJointAxis* axis) {
    return axis->motion == CN_AXIS_FREE && !axis->limited && axis->motor == CN_MOTOR_NONE &&
           !has_spring(axis) && axis->friction == 0.0;
}

static void save_axis(const CnSceneJoint* joint, CnAxis which, CnJsonWriter* writer) {
    CnSceneAxisFields fields = {.axis = joint->def.axes[which],
                                .series = joint->axis_series[which]};
    const CnJointAxis* axis = &fields.axis;
    cn_write_flat_object(writer, cn_axis_name(which));
    if (joint->def.type == CN_JOINT_SIX_AXIS) {
        cn_field_write(cn_field_find(&cn_scene_axis_table, "motion"), &fields, writer);
    }
    if (axis->limited) {
        save_limits(axis, writer);
    }
    if (axis->motor != CN_MOTOR_NONE) {
        save_motor(&fields, writer);
    }
    if (has_spring(axis)) {
        save_spring(axis, writer);
    }
    cn_write_number(writer, "friction", axis->friction);
    cn_write_object_end(writer);
}

static void save_axes(const CnSceneJoint* joint, CnJsonWriter* writer) {
    cn_write_flat_object(writer, "axes");
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        if (!is_plain(&joint->def.axes[i])) {
            save_axis(joint, (CnAxis)i, writer);
        }
    }
    cn_write_object_end(writer);
}

static void save_table(const CnSceneJoint* joint, CnJsonWriter* writer) {
    cn_write_flat_array(writer, "table");
    for (int i = 0; i < joint->table_count; ++i) {
        const double point[2] = {joint->table_strokes[i], joint->table_forces[i]};
        cn_write_numbers(writer, NULL, point, 2);
    }
    cn_write_array_end(writer);
}

static void save_series(const CnSceneJoint* joint, CnJsonWriter* writer) {
    cn_write_flat_array(writer, "series3");
    for (int i = 0; i < 3; ++i) {
        cn_write_text(writer, NULL, joint->series3[i]);
    }
    cn_write_array_end(writer);
}

// Whether a key has something to say. What an axis does is written in "axes", for all types alike.
static bool is_written(const CnSceneJoint* joint, const char* key) {
    const CnJointDef* def = &joint->def;
    const CnSceneJointKey* known = cn_scene_joint_key_find(key);
    if (known == NULL) {
        return strcmp(key, "body") != 0 || def->one_body; // else there is "bodies"
    }
    if (known->of_axis || !cn_scene_joint_has_key(def->type, key)) {
        return false;
    }
    if (strcmp(key, "point_b") == 0) {
        return def->two_points;
    }
    return strcmp(key, "axis_b") != 0 || cn_vec3_length(def->axis_b) > 0.0;
}

void cn_scene_save_joint(const CnSceneJoint* joint, CnJsonWriter* writer) {
    const CnFieldTable* table = &cn_scene_joint_table;
    const CnJointDef* def = &joint->def;
    CnSceneJointFields fields = {.joint = *joint};
    cn_write_flat_object(writer, NULL);
    for (int i = 0; i < table->count; ++i) {
        if (is_written(joint, table->fields[i].key)) {
            cn_field_write(&table->fields[i], &fields, writer);
        }
    }
    if (!def->one_body) {
        cn_scene_save_two_names(writer, "bodies", joint->body_a, joint->body_b);
    }
    if (def->swing_limit > 0.0) {
        cn_write_number(writer, "swing_limit", def->swing_limit);
        cn_write_number(writer, "swing_limit_y", def->swing_limit_y);
    }
    if (def->stroke_lower < 0.0 || def->stroke_upper > 0.0) {
        const double stroke[2] = {def->stroke_lower, def->stroke_upper};
        cn_write_numbers(writer, "stroke", stroke, 2);
    }
    if (joint->series3[0] != NULL) {
        save_series(joint, writer);
    }
    if (joint->table_count > 0) {
        save_table(joint, writer);
    }
    save_axes(joint, writer);
    cn_write_object_end(writer);
}
