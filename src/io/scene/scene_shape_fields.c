// scene_shape_fields.c - the keys of a shape, and which type of shape has which.
#include "io/scene/scene_fields.h"

#include <string.h>

const char* cn_scene_shape_type_name(int type) {
    static const char* const names[CN_SHAPE_TYPE_COUNT] = {
        [CN_SHAPE_SPHERE] = "sphere",     [CN_SHAPE_PLANE] = "plane",
        [CN_SHAPE_BOX] = "box",           [CN_SHAPE_CAPSULE] = "capsule",
        [CN_SHAPE_CYLINDER] = "cylinder", [CN_SHAPE_CONVEX] = "convex",
        [CN_SHAPE_MESH] = "mesh",         [CN_SHAPE_HEIGHT_FIELD] = "height_field",
    };
    return names[type];
}

#define AT(member) CN_FIELD_AT(CnSceneShapeFields, member)

static const CnJsonField shape_fields[] = {
    {"type", CN_FIELD_CHOICE, AT(def.type), .required = true, .count = CN_SHAPE_TYPE_COUNT,
     .choice_name = cn_scene_shape_type_name},
    {"position", CN_FIELD_NUMBERS, AT(def.position), .count = 3, .unit = "m"},
    {"rotation", CN_FIELD_VALUE, AT(rotation)},
    {"radius", CN_FIELD_NUMBER, AT(def.radius), .unit = "m"},
    {"length", CN_FIELD_NUMBER, AT(def.length), .unit = "m"},
    {"size", CN_FIELD_VALUE, AT(size)},
    {"normal", CN_FIELD_NUMBERS, AT(def.normal), .count = 3},
    {"points", CN_FIELD_VALUE, AT(points)},
    {"triangles", CN_FIELD_VALUE, AT(triangles)},
    {"heights", CN_FIELD_VALUE, AT(heights)},
    {"file", CN_FIELD_VALUE, AT(file)},
    {"scale", CN_FIELD_VALUE, AT(scale)},
    {"hull", CN_FIELD_VALUE, AT(hull)},
    {"material", CN_FIELD_TEXT, AT(material)},
    {"category", CN_FIELD_BITS, AT(def.category)},
    {"mask", CN_FIELD_BITS, AT(def.mask)},
    {"group", CN_FIELD_INTEGER, AT(def.group)},
    {"sensor", CN_FIELD_BOOLEAN, AT(def.sensor)},
};

const CnFieldTable cn_scene_shape_table = CN_FIELD_TABLE("a shape", shape_fields);

#define IF_SHAPE(type) (1u << CN_SHAPE_##type)

const CnSceneShapeKey cn_scene_shape_keys[] = {
    {"radius", IF_SHAPE(SPHERE) | IF_SHAPE(CAPSULE) | IF_SHAPE(CYLINDER), true, CN_KEY_ALWAYS},
    {"length", IF_SHAPE(CAPSULE) | IF_SHAPE(CYLINDER), true, CN_KEY_ALWAYS},
    {"size", IF_SHAPE(BOX) | IF_SHAPE(HEIGHT_FIELD), true, CN_KEY_ALWAYS},
    {"normal", IF_SHAPE(PLANE), false, CN_KEY_ALWAYS},
    {"points", IF_SHAPE(CONVEX) | IF_SHAPE(MESH), true, CN_KEY_IN_PLACE_OF_FILE},
    {"triangles", IF_SHAPE(MESH), true, CN_KEY_IN_PLACE_OF_FILE},
    {"heights", IF_SHAPE(HEIGHT_FIELD), true, CN_KEY_IN_PLACE_OF_FILE},
    {"file", IF_SHAPE(CONVEX) | IF_SHAPE(MESH) | IF_SHAPE(HEIGHT_FIELD), false, CN_KEY_ALWAYS},
    {"scale", IF_SHAPE(CONVEX) | IF_SHAPE(MESH), false, CN_KEY_WITH_FILE},
    {"hull", IF_SHAPE(CONVEX), false, CN_KEY_WITH_FILE},
};
const int cn_scene_shape_key_count =
    (int)(sizeof cn_scene_shape_keys / sizeof cn_scene_shape_keys[0]);

const CnSceneShapeKey* cn_scene_shape_key_find(const char* key) {
    for (int i = 0; i < cn_scene_shape_key_count; ++i) {
        if (strcmp(cn_scene_shape_keys[i].key, key) == 0) {
            return &cn_scene_shape_keys[i];
        }
    }
    return NULL;
}

bool cn_scene_shape_has_key(CnShapeType type, const char* key) {
    const CnSceneShapeKey* found = cn_scene_shape_key_find(key);
    return found == NULL || (found->types >> type & 1u) != 0;
}
