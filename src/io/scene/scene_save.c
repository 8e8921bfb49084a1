// scene_save.c - scenes as files that load to the same world, bit by bit.
#include "io/scene/scene_save.h"

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

void cn_scene_save_two_names(CnJsonWriter* writer, const char* key, const char* a, const char* b) {
    cn_write_flat_array(writer, key);
    cn_write_text_or_null(writer, NULL, a);
    cn_write_text_or_null(writer, NULL, b);
    cn_write_array_end(writer);
}

static void save_materials(const CnScene* scene, CnJsonWriter* writer) {
    cn_write_object(writer, "materials");
    for (int i = 0; i < scene->materials.count; ++i) {
        const CnMaterialDef* material = &scene->materials.data[i];
        cn_write_flat_object(writer, material->name);
        cn_fields_write(&cn_scene_material_table, material, writer);
        cn_write_object_end(writer);
    }
    cn_write_object_end(writer);
    cn_write_array(writer, "material_pairs");
    for (int i = 0; i < scene->pairs.count; ++i) {
        CnScenePairFields fields = {.pair = scene->pairs.data[i]};
        cn_write_flat_object(writer, NULL);
        cn_scene_save_two_names(writer, "materials", fields.pair.a, fields.pair.b);
        cn_fields_write(&cn_scene_pair_table, &fields, writer);
        cn_write_object_end(writer);
    }
    cn_write_array_end(writer);
}

static void save_series(const CnScene* scene, CnJsonWriter* writer) {
    cn_write_object(writer, "series");
    for (int i = 0; i < scene->series.count; ++i) {
        const CnSeriesDef* series = &scene->series.data[i];
        cn_write_object(writer, series->name);
        cn_write_numbers(writer, "times", series->times, series->count);
        cn_write_numbers(writer, "values", series->values, series->count);
        cn_write_object_end(writer);
    }
    cn_write_object_end(writer);
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

static void save_shape(const CnSceneShape* shape, CnJsonWriter* writer) {
    CnSceneShapeFields fields = {.shape = *shape};
    cn_write_flat_object(writer, NULL);
    for (int i = 0; i < cn_scene_shape_table.count; ++i) {
        const CnField* field = &cn_scene_shape_table.fields[i];
        if (cn_scene_shape_has_key(shape->def.type, field->key)) {
            cn_field_write(field, &fields, writer);
        }
    }
    save_rotation(shape->def.rotation, writer);
    save_geometry(&shape->def, writer);
    cn_write_object_end(writer);
}

static void save_body(const CnSceneBody* body, CnJsonWriter* writer) {
    const CnBodyDef* def = &body->def;
    const double center[3] = {def->center.x, def->center.y, def->center.z};
    CnSceneBodyFields fields = {.body = *body};
    cn_write_object(writer, NULL);
    cn_fields_write(&cn_scene_body_table, &fields, writer);
    save_rotation(def->rotation, writer);
    cn_write_array(writer, "shapes");
    for (int i = 0; i < body->shape_count; ++i) {
        save_shape(&body->shapes[i], writer);
    }
    cn_write_array_end(writer);
    if (def->has_mass) {
        cn_write_number(writer, "mass", def->mass);
        cn_write_numbers(writer, "center", center, 3);
        cn_write_numbers(writer, "inertia", def->inertia, 6);
    }
    cn_write_object_end(writer);
}

static void save_contact(const CnSceneContact* contact, CnJsonWriter* writer) {
    CnSceneContactFields fields = {.contact = *contact};
    cn_write_flat_object(writer, NULL);
    cn_scene_save_two_names(writer, "bodies", contact->body_a, contact->body_b);
    cn_fields_write(&cn_scene_contact_table, &fields, writer);
    if (contact->material_a != NULL || contact->material_b != NULL) {
        cn_scene_save_two_names(writer, "materials", contact->material_a, contact->material_b);
    }
    cn_write_object_end(writer);
}

static void save_constraint(const CnSceneConstraint* constraint, CnJsonWriter* writer) {
    const CnSceneKind* kind = cn_scene_kind_find(constraint->kind);
    const CnFieldTable* table = &cn_scene_constraint_table;
    CnSceneConstraintFields fields = {.constraint = *constraint};
    cn_write_flat_object(writer, NULL);
    cn_field_write(cn_field_find(table, "name"), &fields, writer);
    cn_field_write(cn_field_find(table, "kind"), &fields, writer);
    if (kind->body_count == 2) {
        cn_scene_save_two_names(writer, "bodies", constraint->body_a, constraint->body_b);
    } else {
        cn_field_write(cn_field_find(table, "body"), &fields, writer);
    }
    if (kind->has_point_a) {
        cn_field_write(cn_field_find(table, "point_a"), &fields, writer);
    }
    if (kind->has_point_b) {
        cn_field_write(cn_field_find(table, "point_b"), &fields, writer);
    }
    if (kind->has_length) {
        cn_field_write(cn_field_find(table, "length"), &fields, writer);
    }
    if (kind->body_count == 2) {
        cn_field_write(cn_field_find(table, "collide"), &fields, writer);
    }
    cn_write_object_end(writer);
}

static void save_links(const CnScene* scene, CnJsonWriter* writer) {
    cn_write_array(writer, "contacts");
    for (int i = 0; i < scene->contacts.count; ++i) {
        save_contact(&scene->contacts.data[i], writer);
    }
    cn_write_array_end(writer);
    cn_write_array(writer, "constraints");
    for (int i = 0; i < scene->constraints.count; ++i) {
        save_constraint(&scene->constraints.data[i], writer);
    }
    cn_write_array_end(writer);
    cn_write_array(writer, "joints");
    for (int i = 0; i < scene->joints.count; ++i) {
        cn_scene_save_joint(&scene->joints.data[i], writer);
    }
    cn_write_array_end(writer);
    cn_write_array(writer, "forces");
    for (int i = 0; i < scene->forces.count; ++i) {
        cn_write_flat_object(writer, NULL);
        cn_fields_write(&cn_scene_force_table, &scene->forces.data[i], writer);
        cn_write_object_end(writer);
    }
    cn_write_array_end(writer);
}

static void save_collide(const CnScene* scene, CnJsonWriter* writer) {
    cn_write_object(writer, "collide");
    cn_write_array(writer, "exclude");
    for (int i = 0; i < scene->exclusions.count; ++i) {
        const CnSceneExclusion* pair = &scene->exclusions.data[i];
        cn_scene_save_two_names(writer, NULL, pair->a, pair->b);
    }
    cn_write_array_end(writer);
    cn_write_object_end(writer);
}

CnStatus cn_scene_save(const CnScene* scene, const char* path, CnError* error) {
    CnJsonWriter writer;
    cn_json_writer_init(&writer, &scene->arena.allocator);
    cn_write_object(&writer, NULL);
    save_settings(scene, &writer);
    save_materials(scene, &writer);
    save_series(scene, &writer);
    cn_write_array(&writer, "bodies");
    for (int i = 0; i < scene->bodies.count; ++i) {
        save_body(&scene->bodies.data[i], &writer);
    }
    cn_write_array_end(&writer);
    save_links(scene, &writer);
    save_collide(scene, &writer);
    cn_write_object_end(&writer);
    CnStatus status = cn_json_writer_save(&writer, path, error);
    cn_json_writer_destroy(&writer);
    return status;
}
