// recording_world.c - what a recording says its world is made of: HEAD and MESH.
#include "io/recording/recording.h"

#include "io/scene/scene_fields.h"
#include "io/text/json.h"

#include <math.h>
#include <string.h>

// ---- values of a JSON object ----

static bool refuse(const CnJson* object, const char* key, const char* what, CnErrorList* errors) {
    char path[120];
    cn_json_path(object, path, sizeof path);
    return cn_report_error(errors, CN_INVALID, object->line, path, "HEAD: \"%s\" must be %s", key,
                           what);
}

static bool read_number(const CnJson* object, const char* key, double* out, CnErrorList* errors) {
    const CnJson* value = cn_json_member(object, key);
    if (value == NULL || value->type != CN_JSON_NUMBER) {
        return refuse(object, key, "a number", errors);
    }
    *out = value->number;
    return true;
}

static bool is_whole(const CnJson* value, double least, double limit) {
    return value != NULL && value->type == CN_JSON_NUMBER && value->number >= least &&
           value->number < limit && value->number == floor(value->number);
}

// A whole number from least to below limit.
static bool read_count(const CnJson* object, const char* key, int least, int limit, int* out,
                       CnErrorList* errors) {
    const CnJson* value = cn_json_member(object, key);
    if (!is_whole(value, least, limit)) {
        return refuse(object, key, "a whole number in range", errors);
    }
    *out = (int)value->number;
    return true;
}

static bool read_text(const CnJson* object, const char* key, const char** out,
                      CnErrorList* errors) {
    const CnJson* value = cn_json_member(object, key);
    if (value == NULL || value->type != CN_JSON_STRING) {
        return refuse(object, key, "a text", errors);
    }
    *out = value->string;
    return true;
}

static bool read_numbers(const CnJson* object, const char* key, double* out, int count,
                         CnErrorList* errors) {
    const CnJson* value = cn_json_member(object, key);
    bool ok = value != NULL && value->type == CN_JSON_ARRAY && value->count == count;
    const CnJson* item = ok ? value->first : NULL;
    for (int i = 0; ok && i < count; ++i, item = item->next) {
        ok = item->type == CN_JSON_NUMBER;
        out[i] = ok ? item->number : 0.0;
    }
    return ok || refuse(object, key, count == 3 ? "three numbers" : "four numbers", errors);
}

static bool read_vec3(const CnJson* object, const char* key, CnVec3* out, CnErrorList* errors) {
    double numbers[3] = {0.0};
    bool ok = read_numbers(object, key, numbers, 3, errors);
    *out = cn_vec3(numbers[0], numbers[1], numbers[2]);
    return ok;
}

// A quaternion that is not zero, as one of unit length.
static bool read_rotation(const CnJson* object, const char* key, CnQuat* out, CnErrorList* errors) {
    double numbers[4] = {0.0};
    bool ok = read_numbers(object, key, numbers, 4, errors);
    CnQuat q = cn_quat(numbers[0], numbers[1], numbers[2], numbers[3]);
    double length = cn_quat_length(q);
    if (ok && !(length > 0.0 && isfinite(length))) {
        return refuse(object, key, "a rotation", errors);
    }
    *out = ok ? cn_quat_normalize(q) : cn_quat_identity();
    return ok;
}

// The index of a name, by the function that tells names.
static bool read_choice(const CnJson* object, const char* key, const char* (*name_of)(int),
                        int count, int* out, CnErrorList* errors) {
    const char* word = "";
    if (!read_text(object, key, &word, errors)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (strcmp(name_of(i), word) == 0) {
            *out = i;
            return true;
        }
    }
    return refuse(object, key, "a known type", errors);
}

// ---- lists ----

typedef bool ItemReader(CnRecording* recording, const CnJson* item, void* out, CnErrorList* errors);

// An array of objects, in the arena.
static void* read_list(CnRecording* recording, const CnJson* head, const char* key,
                       size_t item_size, ItemReader* reader, int* count, CnErrorList* errors) {
    const CnJson* list = cn_json_member(head, key);
    if (list == NULL || list->type != CN_JSON_ARRAY) {
        refuse(head, key, "a list", errors);
        return NULL;
    }
    unsigned char* items = cn_arena_allocate(&recording->arena, (size_t)list->count, item_size);
    if (items == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    int i = 0;
    for (const CnJson* item = list->first; item != NULL; item = item->next, ++i) {
        if (item->type != CN_JSON_OBJECT) {
            refuse(head, key, "a list of objects", errors);
            return NULL;
        }
        if (!reader(recording, item, items + (size_t)i * item_size, errors)) {
            return NULL;
        }
    }
    *count = list->count;
    return items;
}

static bool read_scalar(CnRecording* recording, const CnJson* item, void* out,
                        CnErrorList* errors) {
    CnQuantityInfo* scalar = out;
    (void)recording;
    return read_text(item, "name", &scalar->name, errors) &&
           read_text(item, "unit", &scalar->unit, errors);
}

static bool read_body(CnRecording* recording, const CnJson* item, void* out, CnErrorList* errors) {
    CnRecordedBody* body = out;
    const CnJson* shapes = cn_json_member(item, "shapes");
    int type = 0;
    if (!read_text(item, "name", &body->name, errors) ||
        !read_choice(item, "type", cn_scene_body_type_name, CN_BODY_KINEMATIC + 1, &type, errors) ||
        !read_number(item, "mass", &body->mass, errors) ||
        !read_vec3(item, "center", &body->center, errors)) {
        return false;
    }
    body->type = (CnBodyType)type;
    if (shapes == NULL || shapes->type != CN_JSON_ARRAY) {
        return refuse(item, "shapes", "a list", errors);
    }
    int* numbers = CN_ARENA_NEW(&recording->arena, int, shapes->count);
    if (numbers == NULL) {
        return cn_report_no_memory(errors);
    }
    for (const CnJson* shape = shapes->first; shape != NULL; shape = shape->next) {
        if (!is_whole(shape, 0.0, 2147483647.0)) {
            return refuse(item, "shapes", "a list of numbers", errors);
        }
        numbers[body->shape_count++] = (int)shape->number;
    }
    body->shapes = numbers;
    return true;
}

static bool has_key(const CnJson* item, const char* key) {
    return cn_json_member(item, key) != NULL;
}

// null: -1.
static bool read_index(const CnJson* item, const char* key, int* out, CnErrorList* errors) {
    const CnJson* value = cn_json_member(item, key);
    *out = -1;
    return (value != NULL && value->type == CN_JSON_NULL) ||
           read_count(item, key, 0, INT32_MAX, out, errors);
}

static bool read_shape(CnRecording* recording, const CnJson* item, void* out, CnErrorList* errors) {
    CnRecordedShape* shape = out;
    const CnJson* sensor = cn_json_member(item, "sensor");
    int type = 0;
    (void)recording;
    if (!read_choice(item, "type", cn_scene_shape_type_name, CN_SHAPE_TYPE_COUNT, &type, errors) ||
        !read_count(item, "body", 0, INT32_MAX, &shape->body, errors) ||
        !read_vec3(item, "position", &shape->pose.position, errors) ||
        !read_rotation(item, "rotation", &shape->pose.rotation, errors) ||
        !read_index(item, "mesh", &shape->mesh, errors) ||
        !read_index(item, "material", &shape->material, errors)) {
        return false;
    }
    shape->type = (CnShapeType)type;
    shape->sensor = sensor != NULL && sensor->type == CN_JSON_BOOLEAN && sensor->boolean;
    return (!has_key(item, "radius") || read_number(item, "radius", &shape->radius, errors)) &&
           (!has_key(item, "length") || read_number(item, "length", &shape->length, errors)) &&
           (!has_key(item, "size") || read_vec3(item, "size", &shape->size, errors)) &&
           (!has_key(item, "normal") || read_vec3(item, "normal", &shape->normal, errors));
}

// The numbers come with MESH.
static bool read_mesh(CnRecording* recording, const CnJson* item, void* out, CnErrorList* errors) {
    CnRecordedMesh* mesh = out;
    (void)recording;
    return read_count(item, "vertices", 0, INT32_MAX, &mesh->point_count, errors) &&
           read_count(item, "triangles", 0, INT32_MAX, &mesh->triangle_count, errors);
}

static bool read_joint(CnRecording* recording, const CnJson* item, void* out, CnErrorList* errors) {
    CnRecordedJoint* joint = out;
    const CnJson* bodies = cn_json_member(item, "bodies");
    (void)recording;
    if (bodies == NULL || bodies->type != CN_JSON_ARRAY || bodies->count != 2 ||
        !is_whole(bodies->first, -1.0, 2147483647.0) ||
        !is_whole(bodies->first->next, -1.0, 2147483647.0)) {
        return refuse(item, "bodies", "two numbers of bodies", errors);
    }
    joint->body_a = (int)bodies->first->number;
    joint->body_b = (int)bodies->first->next->number;
    return read_text(item, "name", &joint->name, errors) &&
           read_text(item, "type", &joint->type, errors) &&
           read_number(item, "length", &joint->length, errors) &&
           read_vec3(item, "point_a", &joint->point_a, errors) &&
           read_vec3(item, "axis_a", &joint->axis_a, errors) &&
           read_vec3(item, "point_b", &joint->point_b, errors) &&
           read_vec3(item, "axis_b", &joint->axis_b, errors);
}

// ---- the whole ----

static bool read_kinds(CnRecording* recording, const CnJson* head, CnErrorList* errors) {
    const CnJson* list = cn_json_member(head, "event_kinds");
    if (list == NULL || list->type != CN_JSON_ARRAY) {
        return refuse(head, "event_kinds", "a list", errors);
    }
    recording->kinds = CN_ARENA_NEW(&recording->arena, const char*, list->count);
    if (recording->kinds == NULL) {
        return cn_report_no_memory(errors);
    }
    for (const CnJson* item = list->first; item != NULL; item = item->next) {
        if (item->type != CN_JSON_STRING) {
            return refuse(head, "event_kinds", "a list of names", errors);
        }
        recording->kinds[recording->kind_count++] = item->string;
    }
    return true;
}

// Numbers that refer to other lists, once all are there.
static bool check_numbers(const CnRecordingInfo* info, const CnJson* head, CnErrorList* errors) {
    bool ok = true;
    for (int i = 0; i < info->shape_count; ++i) {
        ok = ok && info->shapes[i].body < info->body_count &&
             info->shapes[i].mesh < info->mesh_count;
    }
    for (int i = 0; i < info->body_count; ++i) {
        for (int k = 0; k < info->bodies[i].shape_count; ++k) {
            ok = ok && info->bodies[i].shapes[k] < info->shape_count;
        }
    }
    for (int i = 0; i < info->joint_count; ++i) {
        ok = ok && info->joints[i].body_a < info->body_count &&
             info->joints[i].body_b < info->body_count;
    }
    return ok || refuse(head, "bodies", "in agreement with shapes, meshes and joints", errors);
}

bool cn_recording_read_head(CnRecording* recording, char* text, size_t size, CnErrorList* errors) {
    CnRecordingInfo* info = &recording->info;
    const CnJson* head = cn_json_parse(text, size, &recording->arena, errors);
    if (head == NULL) {
        return false;
    }
    if (head->type != CN_JSON_OBJECT) {
        return cn_report_error(errors, CN_INVALID, 0, "", "HEAD must be an object");
    }
    if (!read_text(head, "scene", &info->scene_name, errors) ||
        !read_number(head, "tolerance", &info->tolerance, errors) ||
        !read_number(head, "dt", &info->dt, errors) ||
        !read_number(head, "duration", &info->duration, errors) ||
        !read_number(head, "frame_rate", &info->frame_rate, errors) ||
        !read_kinds(recording, head, errors)) {
        return false;
    }
    info->scalars = read_list(recording, head, "scalars", sizeof(CnQuantityInfo), read_scalar,
                              &info->scalar_count, errors);
    info->bodies = read_list(recording, head, "bodies", sizeof(CnRecordedBody), read_body,
                             &info->body_count, errors);
    info->shapes = read_list(recording, head, "shapes", sizeof(CnRecordedShape), read_shape,
                             &info->shape_count, errors);
    info->meshes = read_list(recording, head, "meshes", sizeof(CnRecordedMesh), read_mesh,
                             &info->mesh_count, errors);
    info->joints = read_list(recording, head, "joints", sizeof(CnRecordedJoint), read_joint,
                             &info->joint_count, errors);
    return errors->error_count == 0 && check_numbers(info, head, errors);
}

// Meshes lie one behind the other, in the order of their list.
bool cn_recording_read_meshes(CnRecording* recording, const unsigned char* mesh, size_t size,
                              CnErrorList* errors) {
    CnRecordingInfo* info = &recording->info;
    CnRecordedMesh* meshes = (CnRecordedMesh*)(uintptr_t)info->meshes; // of the arena, ours
    size_t at = 0;
    for (int i = 0; i < info->mesh_count; ++i) {
        size_t points = (size_t)meshes[i].point_count * sizeof *meshes[i].points;
        size_t triangles = (size_t)meshes[i].triangle_count * sizeof *meshes[i].triangles;
        if (points > size - at || triangles > size - at - points) {
            return cn_report_error(errors, CN_INVALID, 0, "", "MESH is smaller than HEAD says");
        }
        meshes[i].points = (const float(*)[3])(const void*)(mesh + at);
        meshes[i].triangles = (const uint32_t(*)[3])(const void*)(mesh + at + points);
        for (int k = 0; k < 3 * meshes[i].triangle_count; ++k) {
            if (meshes[i].triangles[k / 3][k % 3] >= (uint32_t)meshes[i].point_count) {
                return cn_report_error(errors, CN_INVALID, 0, "",
                                       "MESH has a triangle of a point that does not exist");
            }
        }
        at += points + triangles;
    }
    return at == size ||
           cn_report_error(errors, CN_INVALID, 0, "", "MESH is larger than HEAD says");
}
