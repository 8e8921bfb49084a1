// scene_save.c - scenes as files that load to the same world, bit by bit.
#include "io/scene/scene_save.h"

#include <string.h>

static void save_settings(const CnScene* scene, CnJsonWriter* writer) {
    CnSceneFileFields file = {
        .version = CN_SCENE_FORMAT_VERSION, .name = scene->name, .settings = scene->settings};
    cn_fields_write(&cn_scene_file_table, &file, writer);
    cn_write_object(writer, "step");
    cn_fields_write(&cn_scene_step_table, &scene->settings, writer);
    cn_write_object_end(writer);
    cn_write_object(writer, "solver");
    cn_fields_write(&cn_scene_solver_table, &scene->settings, writer);
    cn_write_object_end(writer);
}

void cn_scene_save_two_names(CnJsonWriter* json, const char* key, const char* a, const char* b) {
    cn_write_flat_array(json, key);
    cn_write_text_or_null(json, NULL, a);
    cn_write_text_or_null(json, NULL, b);
    cn_write_array_end(json);
}

static void save_materials(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    CnJsonWriter* json = &writer->json;
    cn_write_object(json, "materials");
    for (int i = 0; i < scene->materials.count; ++i) {
        if (writer->materials[i] != NULL) {
            cn_write_flat_object(json, writer->materials[i]);
            cn_fields_write(&cn_scene_material_table, &scene->materials.data[i], json);
            cn_write_object_end(json);
        }
    }
    cn_write_object_end(json);
    cn_write_array(json, "material_pairs");
    for (int i = 0; i < scene->pairs.count; ++i) {
        CnScenePairFields fields = {.pair = scene->pairs.data[i]};
        cn_write_flat_object(json, NULL);
        cn_scene_save_two_names(json, "materials", cn_scene_material_name(writer, fields.pair.a),
                                cn_scene_material_name(writer, fields.pair.b));
        cn_fields_write(&cn_scene_pair_table, &fields, json);
        cn_write_object_end(json);
    }
    cn_write_array_end(json);
}

static void save_one_series(const CnSeriesDef* series, CnJsonWriter* json) {
    static const struct {
        const char* key;
        const CnFieldTable* table;
    } formulas[CN_SERIES_KIND_COUNT] = {
        [CN_SERIES_SINE] = {"sine", &cn_scene_sine_table},
        [CN_SERIES_RAMP] = {"ramp", &cn_scene_ramp_table},
        [CN_SERIES_PULSE] = {"pulse", &cn_scene_pulse_table},
    };
    if (series->kind == CN_SERIES_TABLE) {
        cn_write_numbers(json, "times", series->times, series->count);
        cn_write_numbers(json, "values", series->values, series->count);
        return;
    }
    cn_write_flat_object(json, formulas[series->kind].key);
    cn_fields_write(formulas[series->kind].table, series, json);
    cn_write_object_end(json);
}

static void save_series(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    CnJsonWriter* json = &writer->json;
    cn_write_object(json, "series");
    for (int i = 0; i < scene->series.count; ++i) {
        const CnSeriesDef* series = &scene->series.data[i];
        if (writer->series[i] != NULL) {
            cn_write_object(json, writer->series[i]);
            save_one_series(series, json);
            cn_write_object_end(json);
        }
    }
    cn_write_object_end(json);
}

static void save_rotation(CnQuat q, CnJsonWriter* writer) {
    const double numbers[4] = {q.w, q.x, q.y, q.z};
    cn_write_numbers(writer, "rotation", numbers, 4);
}

static void save_points(const CnShapeDef* def, CnJsonWriter* writer) {
    cn_write_flat_array(writer, "points");
    for (int i = 0; i < def->point_count; ++i) {
        const double point[3] = {def->points[i].x, def->points[i].y, def->points[i].z};
        cn_write_numbers(writer, NULL, point, 3);
    }
    cn_write_array_end(writer);
}

static void save_triangles(const CnShapeDef* def, CnJsonWriter* writer) {
    cn_write_flat_array(writer, "triangles");
    for (int i = 0; i < def->triangle_count; ++i) {
        const int* triangle = def->triangles[i];
        cn_write_flat_array(writer, NULL);
        for (int k = 0; k < 3; ++k) {
            cn_write_integer(writer, NULL, triangle[k]);
        }
        cn_write_array_end(writer);
    }
    cn_write_array_end(writer);
}

static void save_heights(const CnShapeDef* def, CnJsonWriter* writer) {
    cn_write_flat_array(writer, "heights");
    for (int row = 0; row < def->rows; ++row) {
        const double* first = &def->heights[(size_t)row * (size_t)def->columns];
        cn_write_numbers(writer, NULL, first, def->columns);
    }
    cn_write_array_end(writer);
}

static void save_geometry(const CnShapeDef* def, CnJsonWriter* writer) {
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    if (cn_scene_shape_has_key(def->type, "size")) {
        cn_write_numbers(writer, "size", size, def->type == CN_SHAPE_HEIGHT_FIELD ? 2 : 3);
    }
    if (cn_scene_shape_has_key(def->type, "points")) {
        save_points(def, writer);
    }
    if (cn_scene_shape_has_key(def->type, "triangles")) {
        save_triangles(def, writer);
    }
    if (cn_scene_shape_has_key(def->type, "heights")) {
        save_heights(def, writer);
    }
}

static void save_shape(CnSceneWriter* writer, const CnShapeDef* def) {
    CnSceneShapeFields fields = {.def = *def,
                                 .material = cn_scene_material_name(writer, def->material)};
    cn_write_flat_object(&writer->json, NULL);
    for (int i = 0; i < cn_scene_shape_table.count; ++i) {
        const CnJsonField* field = &cn_scene_shape_table.fields[i];
        if (cn_scene_shape_has_key(def->type, field->key)) {
            cn_field_write(field, &fields, &writer->json);
        }
    }
    save_rotation(def->rotation, &writer->json);
    save_geometry(def, &writer->json);
    cn_write_object_end(&writer->json);
}

static void save_motion(CnSceneWriter* writer, const CnBodyMotion* motion) {
    CnJsonWriter* json = &writer->json;
    const double axes[4] = {motion->axes.w, motion->axes.x, motion->axes.y, motion->axes.z};
    const double axis[3] = {motion->axis.x, motion->axis.y, motion->axis.z};
    bool has_position = motion->position[0].index != 0 || motion->position[1].index != 0 ||
                        motion->position[2].index != 0;
    if (!has_position && motion->angle.index == 0) {
        return;
    }
    cn_write_flat_object(json, "motion");
    if (has_position) {
        cn_write_flat_array(json, "position");
        for (int i = 0; i < 3; ++i) {
            cn_write_text_or_null(json, NULL, cn_scene_series_name(writer, motion->position[i]));
        }
        cn_write_array_end(json);
        cn_write_numbers(json, "axes", axes, 4);
    }
    if (motion->angle.index != 0) {
        cn_write_numbers(json, "axis", axis, 3);
        cn_write_text(json, "angle", cn_scene_series_name(writer, motion->angle));
    }
    cn_write_object_end(json);
}

static void save_start(CnSceneWriter* writer, CnBodyId body) {
    const CnSceneStart* start = cn_scene_find_start(writer->scene, body);
    if (start != NULL) {
        CnSceneStartFields fields = {.start = *start};
        cn_write_flat_object(&writer->json, "start");
        cn_fields_write(&cn_scene_start_table, &fields, &writer->json);
        save_rotation(start->state.rotation, &writer->json);
        cn_write_object_end(&writer->json);
    }
}

static void save_body(CnSceneWriter* writer, int place) {
    const CnBodyDef* def = &writer->scene->bodies.data[place];
    CnJsonWriter* json = &writer->json;
    const double center[3] = {def->center.x, def->center.y, def->center.z};
    CnSceneBodyFields fields = {.def = *def,
                                .material = cn_scene_material_name(writer, def->material)};
    fields.def.name = writer->bodies[place];
    cn_write_object(json, NULL);
    cn_fields_write(&cn_scene_body_table, &fields, json);
    save_rotation(def->rotation, json);
    cn_write_array(json, "shapes");
    for (int i = 0; i < def->shape_count; ++i) {
        save_shape(writer, &def->shapes[i]);
    }
    cn_write_array_end(json);
    if (def->has_mass) {
        cn_write_number(json, "mass", def->mass);
        cn_write_numbers(json, "center", center, 3);
        cn_write_numbers(json, "inertia", def->inertia, 6);
    }
    save_motion(writer, &def->motion);
    save_start(writer, CN_SCENE_ID(CnBodyId, place));
    cn_write_object_end(json);
}

static void save_contact(CnSceneWriter* writer, const CnContactDef* def) {
    CnJsonWriter* json = &writer->json;
    CnSceneContactFields fields = {.def = *def};
    cn_write_flat_object(json, NULL);
    cn_scene_save_two_names(json, "bodies", cn_scene_body_name(writer, def->body_a),
                            cn_scene_body_name(writer, def->body_b));
    cn_fields_write(&cn_scene_contact_table, &fields, json);
    if (def->material_a.index != 0 || def->material_b.index != 0) {
        cn_scene_save_two_names(json, "materials", cn_scene_material_name(writer, def->material_a),
                                cn_scene_material_name(writer, def->material_b));
    }
    cn_write_object_end(json);
}

static void save_constraint(CnSceneWriter* writer, const CnPointConstraint* constraint) {
    const CnPointKind* kind = constraint->kind;
    const CnFieldTable* table = &cn_scene_constraint_table;
    CnJsonWriter* json = &writer->json;
    CnSceneConstraintFields fields = {.constraint = *constraint,
                                      .kind = kind->name,
                                      .body = cn_scene_body_name(writer, constraint->body_a)};
    const struct {
        const char* key;
        bool is_used;
    } keys[] = {{"name", true},
                {"kind", true},
                {"body", kind->body_count == 1},
                {"bodies", kind->body_count == 2},
                {"point_a", kind->has_point_a},
                {"point_b", kind->has_point_b},
                {"length", kind->has_length},
                {"collide", kind->body_count == 2},
                {"compliance", kind->has_point_a},
                {"alpha", kind->has_point_a},
                {"beta", kind->has_point_a}};
    cn_write_flat_object(json, NULL);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (keys[i].is_used && strcmp(keys[i].key, "bodies") == 0) {
            cn_scene_save_two_names(json, "bodies", fields.body,
                                    cn_scene_body_name(writer, constraint->body_b));
        } else if (keys[i].is_used) {
            cn_field_write(cn_field_find(table, keys[i].key), &fields, json);
        }
    }
    cn_write_object_end(json);
}

static void save_force(CnSceneWriter* writer, const CnForceDef* def) {
    CnSceneForceFields fields = {.def = *def,
                                 .body = cn_scene_body_name(writer, def->body),
                                 .series = cn_scene_series_name(writer, def->series)};
    cn_write_flat_object(&writer->json, NULL);
    cn_fields_write(&cn_scene_force_table, &fields, &writer->json);
    cn_write_object_end(&writer->json);
}

static void save_links(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    CnJsonWriter* json = &writer->json;
    cn_write_array(json, "contacts");
    for (int i = 0; i < scene->contacts.count; ++i) {
        save_contact(writer, &scene->contacts.data[i]);
    }
    cn_write_array_end(json);
    cn_write_array(json, "constraints");
    for (int i = 0; i < scene->constraints.count; ++i) {
        save_constraint(writer, &scene->constraints.data[i]);
    }
    cn_write_array_end(json);
    cn_write_array(json, "joints");
    for (int i = 0; i < scene->joints.count; ++i) {
        cn_scene_save_joint(writer, &scene->joints.data[i]);
    }
    cn_write_array_end(json);
    cn_write_array(json, "forces");
    for (int i = 0; i < scene->forces.count; ++i) {
        save_force(writer, &scene->forces.data[i]);
    }
    cn_write_array_end(json);
}

static void save_collide(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    CnJsonWriter* json = &writer->json;
    cn_write_object(json, "collide");
    cn_write_array(json, "exclude");
    for (int i = 0; i < scene->exclusions.count; ++i) {
        const CnExcludedPair* pair = &scene->exclusions.data[i];
        cn_scene_save_two_names(json, NULL, cn_scene_body_name(writer, pair->a),
                                cn_scene_body_name(writer, pair->b));
    }
    cn_write_array_end(json);
    cn_write_object_end(json);
}

static CnStatus write_scene(CnSceneWriter* writer, CnError* error) {
    const CnScene* scene = writer->scene;
    CnJsonWriter* json = &writer->json;
    if (!cn_scene_name_all(writer)) {
        return cn_scene_no_memory(error);
    }
    cn_write_object(json, NULL);
    save_settings(scene, json);
    save_materials(writer);
    save_series(writer);
    cn_write_array(json, "bodies");
    for (int i = 0; i < scene->bodies.count; ++i) {
        save_body(writer, i);
    }
    cn_write_array_end(json);
    save_links(writer);
    save_collide(writer);
    cn_write_object_end(json);
    return CN_OK;
}

CnStatus cn_scene_write(const CnScene* scene, CnJsonWriter* json, CnError* error) {
    CnSceneWriter writer = {.scene = scene};
    cn_arena_init(&writer.arena, &scene->arena.allocator);
    cn_json_writer_init(&writer.json, &scene->arena.allocator);
    CnStatus status = write_scene(&writer, error);
    cn_arena_destroy(&writer.arena);
    *json = writer.json;
    return status;
}

CnStatus cn_scene_save(const CnScene* scene, const char* path, CnError* error) {
    CnJsonWriter json;
    CnStatus status = cn_scene_write(scene, &json, error);
    if (status == CN_OK) {
        status = cn_json_writer_save(&json, path, error);
    }
    cn_json_writer_destroy(&json);
    return status;
}
