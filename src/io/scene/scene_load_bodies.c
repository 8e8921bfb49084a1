// scene_load_bodies.c - bodies from a scene file.
#include "base/error.h"
#include "io/scene/scene_loader.h"
#include "io/text/text.h"

#include <stdio.h>
#include <string.h>

#define DEGREE (CN_PI / 180.0) // [rad]

bool cn_scene_read_rotation(const CnSceneLoader* loader, const CnJson* value, CnQuat* rotation) {
    CnSceneRotationFields fields = {0};
    double q[4];
    if (value->type == CN_JSON_ARRAY) {
        if (!cn_read_numbers(value, NULL, 4, q, loader->errors)) {
            return false;
        }
        *rotation = cn_quat(q[0], q[1], q[2], q[3]);
        return true;
    }
    if (value->type != CN_JSON_OBJECT) {
        return cn_report_error_at(loader->errors, value,
                                  "rotation is %s; it must be {\"axis\", \"degrees\"}, {\"axis\", "
                                  "\"radians\"} or a quaternion [w, x, y, z]",
                                  cn_json_type_name(value->type));
    }
    if (!cn_fields_read(&cn_scene_rotation_table, value, &fields, loader->errors)) {
        return false;
    }
    bool in_degrees = cn_json_member(value, "degrees") != NULL;
    if (in_degrees == (cn_json_member(value, "radians") != NULL)) {
        return cn_report_error_at(loader->errors, value,
                                  "a rotation needs one of \"degrees\" and \"radians\"");
    }
    if (!(cn_vec3_length(fields.axis) > 0.0)) {
        return cn_report_error_at(loader->errors, cn_json_member(value, "axis"),
                                  "axis has no direction; its length must be positive");
    }
    double angle = in_degrees ? fields.degrees * DEGREE : fields.radians;
    *rotation = cn_quat_from_axis_angle(fields.axis, angle);
    return true;
}

// Fills body->shapes from the array; if a shape fails, so does the body.
static bool read_shapes(CnSceneLoader* loader, const CnJson* value, CnBodyDef* body) {
    if (!cn_read_type(value, CN_JSON_ARRAY, "an array of shapes", loader->errors)) {
        return false;
    }
    CnShapeDef* shapes = CN_ARENA_NEW(&loader->scratch, CnShapeDef, value->count);
    if (shapes == NULL) {
        return cn_report_no_memory(loader->errors);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        ok = cn_scene_read_shape(loader, element, &shapes[element->index]) && ok;
    }
    body->shapes = shapes;
    body->shape_count = value->count;
    return ok;
}

// 3 principal moments along the body's axes, or xx yy zz xy xz yz.
static bool read_inertia(const CnSceneLoader* loader, const CnJson* value, double inertia[6]) {
    if (value->type != CN_JSON_ARRAY || (value->count != 3 && value->count != 6)) {
        return cn_report_error_at(
            loader->errors, value,
            "inertia must be an array of 3 principal moments or of 6 numbers (xx "
            "yy zz xy xz yz), in kg m^2");
    }
    return cn_read_numbers(value, "kg m^2", value->count, inertia, loader->errors);
}

// A mass without an inertia scales the inertia of the shapes. Planes, meshes and height fields have
// no mass; a dynamic body with one is refused with a better message when it is placed.
static bool spread_mass(const CnSceneLoader* loader, const CnJson* value,
                        CnSceneBodyFields* fields) {
    CnBodyDef* def = &fields->def;
    if (def->type != CN_BODY_DYNAMIC || !(def->mass > 0.0) ||
        cn_scene_mass_from_shapes(loader->scene, def, def->mass)) {
        return true;
    }
    for (int i = 0; i < def->shape_count; ++i) {
        CnShapeType type = def->shapes[i].type;
        if (type == CN_SHAPE_PLANE || type == CN_SHAPE_MESH || type == CN_SHAPE_HEIGHT_FIELD) {
            return true;
        }
    }
    return cn_report_error_at(
        loader->errors, value,
        "mass is given without inertia, and there is no shape to take it from");
}

// Uses mass and inertia as given.
static bool read_mass(const CnSceneLoader* loader, const CnJson* value, CnSceneBodyFields* fields) {
    CnBodyDef* def = &fields->def;
    if (fields->mass == NULL) {
        const CnJson* alone = fields->inertia != NULL ? fields->inertia : fields->center;
        return alone == NULL ||
               cn_report_error_at(loader->errors, alone, "%s is given without mass", alone->key);
    }
    def->has_mass = true;
    if (!cn_read_number(fields->mass, "kg", &def->mass, loader->errors)) {
        return false;
    }
    if (fields->inertia != NULL) {
        double center[3] = {0};
        bool ok = read_inertia(loader, fields->inertia, def->inertia);
        if (fields->center != NULL) {
            ok = cn_read_numbers(fields->center, "m", 3, center, loader->errors) && ok;
        }
        def->center = cn_vec3(center[0], center[1], center[2]);
        return ok;
    }
    if (fields->center != NULL) {
        return cn_report_error_at(loader->errors, fields->center,
                                  "center is given without inertia");
    }
    return spread_mass(loader, value, fields);
}

static bool read_courses(const CnSceneLoader* loader, const CnJson* motion, const CnJson* value,
                         CnSeriesId courses[3]) {
    if (value->type != CN_JSON_ARRAY || value->count != 3) {
        return cn_report_error_at(loader->errors, value,
                                  "position must be an array of three names of series; null where "
                                  "the body stays");
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        const char* name = NULL;
        char key[16];
        snprintf(key, sizeof key, "position[%d]", element->index);
        ok = (element->type == CN_JSON_NULL || cn_read_text(element, &name, loader->errors)) && ok;
        ok = ok && cn_scene_read_series(loader, motion, key, name, &courses[element->index]);
    }
    return ok;
}

static bool read_motion(const CnSceneLoader* loader, const CnJson* value, CnBodyMotion* motion) {
    CnSceneMotionFields fields = {.axis = motion->axis};
    if (!cn_fields_read(&cn_scene_motion_table, value, &fields, loader->errors)) {
        return false;
    }
    if (fields.position == NULL && fields.angle == NULL) {
        return cn_report_error_at(loader->errors, value,
                                  "a motion needs \"position\", \"angle\" or both");
    }
    if ((fields.angle == NULL) != (cn_json_member(value, "axis") == NULL)) {
        return cn_report_error_at(loader->errors, value,
                                  "\"axis\" and \"angle\" of a motion go together");
    }
    bool ok = fields.axes == NULL || cn_scene_read_rotation(loader, fields.axes, &motion->axes);
    if (fields.position != NULL) {
        ok = read_courses(loader, value, fields.position, motion->position) && ok;
    }
    motion->axis = fields.axis;
    return cn_scene_read_series(loader, value, "angle", fields.angle, &motion->angle) && ok;
}

static bool read_body(CnSceneLoader* loader, const CnJson* value, CnSceneBodyFields* fields) {
    if (!cn_fields_read(&cn_scene_body_table, value, fields, loader->errors)) {
        return false;
    }
    bool ok = true;
    if (fields->rotation != NULL) {
        ok = cn_scene_read_rotation(loader, fields->rotation, &fields->def.rotation);
    }
    if (fields->shapes != NULL) {
        ok = read_shapes(loader, fields->shapes, &fields->def) && ok;
    }
    ok = cn_scene_read_material(loader, value, "material", fields->material,
                                &fields->def.material) &&
         ok;
    if (fields->motion != NULL) {
        ok = read_motion(loader, fields->motion, &fields->def.motion) && ok;
    }
    return ok && read_mass(loader, value, fields);
}

// Errors about points from a file are reported at the key "file", with the file's name.
static void aim_at_file(const CnJson* body, CnFieldPath* field, CnError* error) {
    char sentence[sizeof error->message], shown[CN_SHOWN_SIZE];
    char* dot = strrchr(field->text, '.');
    const CnSceneShapeKey* key = dot != NULL ? cn_scene_shape_key_find(dot + 1) : NULL;
    if (key == NULL || key->use != CN_KEY_IN_PLACE_OF_FILE) {
        return;
    }
    const CnJson* shape = cn_json_follow(body, field->text); // there is nothing below it to find
    const CnJson* file = cn_json_member(shape, "file");
    if (file != NULL) {
        size_t room = sizeof field->text - (size_t)(dot + 1 - field->text);
        snprintf(dot + 1, room, "file");
        snprintf(sentence, sizeof sentence, "%s", error->message);
        cn_error_set(error, error->status, "%s: %s", cn_text_show(file->string, shown), sentence);
    }
}

// Of the body that was placed last.
static bool load_start(const CnSceneLoader* loader, const CnJson* value) {
    CnSceneStartFields fields = {.start.body =
                                     CN_SCENE_ID(CnBodyId, loader->scene->bodies.count - 1)};
    CnFieldPath field = {""};
    CnError error;
    if (!cn_fields_read(&cn_scene_start_table, value, &fields, loader->errors) ||
        !cn_scene_read_rotation(loader, fields.rotation, &fields.start.state.rotation)) {
        return false;
    }
    if (cn_scene_place_start(loader->scene, &fields.start, &field, &error) != CN_OK) {
        cn_scene_report_refused(loader, value, &field, &error);
        return false;
    }
    return true;
}

void cn_scene_load_body(CnSceneLoader* loader, const CnJson* value) {
    CnSceneBodyFields fields = {.def = cn_body_def_default()};
    CnFieldPath field = {""};
    CnError error;
    CnArenaMark mark = cn_arena_mark(&loader->scratch);
    bool ok = read_body(loader, value, &fields);
    if (ok && cn_scene_place_body(loader->scene, &fields.def, &field, &error) != CN_OK) {
        aim_at_file(value, &field, &error);
        cn_scene_report_refused(loader, value, &field, &error);
        ok = false;
    }
    if (ok && fields.start != NULL) {
        load_start(loader, fields.start);
    }
    cn_arena_release(&loader->scratch, mark);
    const CnJson* name = cn_json_member(value, "name");
    if (!ok && name != NULL && name->type == CN_JSON_STRING) {
        cn_scene_remember_failed(loader, CN_NAME_BODY, name->string);
    }
}
