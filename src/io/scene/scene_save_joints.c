// scene_save_joints.c - joints in scene files that load to the same joints, bit by bit.
#include "constraints/joints/joint_types.h"
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

static void save_axis(CnSceneWriter* writer, const CnJointDef* def, CnAxis which) {
    CnJsonWriter* json = &writer->json;
    const CnJointAxis* axis = &def->axes[which];
    CnSceneAxisFields fields = {.axis = *axis,
                                .series = cn_scene_series_name(writer, axis->series)};
    cn_write_flat_object(json, cn_axis_name(which));
    if ((cn_joint_type_info(def->type)->uses & CN_USES_AXIS_MOTION) != 0) {
        cn_field_write(cn_field_find(&cn_scene_axis_table, "motion"), &fields, json);
    }
    if (axis->limited) {
        save_limits(axis, json);
    }
    if (axis->motor != CN_MOTOR_NONE) {
        save_motor(&fields, json);
    }
    if (has_spring(axis)) {
        save_spring(axis, json);
    }
    cn_write_number(json, "friction", axis->friction);
    cn_write_object_end(json);
}

static void save_axes(CnSceneWriter* writer, const CnJointDef* def) {
    cn_write_flat_object(&writer->json, "axes");
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        if (!is_plain(&def->axes[i])) {
            save_axis(writer, def, (CnAxis)i);
        }
    }
    cn_write_object_end(&writer->json);
}

static void save_table(CnSceneWriter* writer, const CnJointDef* def) {
    const CnScene* scene = writer->scene;
    const CnSeriesDef* table =
        &scene->series.data[CN_SCENE_PLACE(def->spring_table, scene->series.count)];
    cn_write_flat_array(&writer->json, "table");
    for (int i = 0; i < table->count; ++i) {
        const double point[2] = {table->times[i], table->values[i]};
        cn_write_numbers(&writer->json, NULL, point, 2);
    }
    cn_write_array_end(&writer->json);
}

static void save_three_series(CnSceneWriter* writer, const CnJointDef* def) {
    cn_write_flat_array(&writer->json, "series3");
    for (int i = 0; i < 3; ++i) {
        cn_write_text(&writer->json, NULL, cn_scene_series_name(writer, def->series3[i]));
    }
    cn_write_array_end(&writer->json);
}

// Whether a key is written. The settings of an axis are written in "axes", for all types.
static bool is_written(const CnJointDef* def, const char* key) {
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

void cn_scene_save_joint(CnSceneWriter* writer, const CnJointDef* def) {
    const CnFieldTable* table = &cn_scene_joint_table;
    CnJsonWriter* json = &writer->json;
    const char* body_b = cn_scene_body_name(writer, def->body_b);
    CnSceneJointFields fields = {
        .def = *def,
        .body = body_b,
        .series = cn_scene_series_name(writer, def->series),
        .leader = cn_scene_joint_name(writer, def->leader),
        .follower = cn_scene_joint_name(writer, def->follower),
    };
    fields.def.name = writer->joints[def - writer->scene->joints.data];
    cn_write_flat_object(json, NULL);
    for (int i = 0; i < table->count; ++i) {
        if (is_written(def, table->fields[i].key)) {
            cn_field_write(&table->fields[i], &fields, json);
        }
    }
    if (def->type == CN_JOINT_MIMIC) {
        cn_write_number(json, "offset", def->offset);
    } else if (!def->one_body) {
        cn_scene_save_two_names(json, "bodies", cn_scene_body_name(writer, def->body_a), body_b);
    }
    if (def->swing_limit > 0.0) {
        cn_write_number(json, "swing_limit", def->swing_limit);
        cn_write_number(json, "swing_limit_y", def->swing_limit_y);
    }
    if (def->stroke_lower < 0.0 || def->stroke_upper > 0.0) {
        const double stroke[2] = {def->stroke_lower, def->stroke_upper};
        cn_write_numbers(json, "stroke", stroke, 2);
    }
    if (def->series3[0].index != 0) {
        save_three_series(writer, def);
    }
    if (def->spring_table.index != 0) {
        save_table(writer, def);
    }
    save_axes(writer, def);
    cn_write_object_end(json);
}
