// scene_bodies.c - adding bodies to a scene.
#include "base/error.h"
#include "geometry/mass_properties.h"
#include "io/scene/scene.h"
#include "world/validate.h"
#include <stdio.h>
#include <string.h>

static CnStatus refuse_shape(CnFieldPath* field, int shape, const char* member) {
    if (field != NULL) {
        snprintf(field->text, sizeof field->text, "shapes[%d]%s%s", shape,
                 member[0] != 0 ? "." : "", member);
    }
    return CN_INVALID;
}

static CnStatus refuse_triangle(CnFieldPath* field, int shape, int triangle) {
    if (field != NULL) {
        snprintf(field->text, sizeof field->text, "shapes[%d].triangles[%d]", shape, triangle);
    }
    return CN_INVALID;
}

// Whether points span a solid is known only once their hull has been built.
static CnStatus check_making(const CnShapeDef* def, CnError* error) {
    CnAllocator heap = {0};
    CnShape shape;
    CnStatus status = cn_shape_make(def, &heap, &shape, error);
    if (status == CN_OK) {
        cn_shape_free(&shape, &heap);
    }
    return status;
}

// A surface has no mass, and bodies that forces move need one. Sensors have none to need.
static CnStatus check_surface(const CnSceneBody* body, int shape, CnFieldPath* field,
                              CnError* error) {
    static const char* const reasons[CN_SHAPE_TYPE_COUNT] = {
        [CN_SHAPE_PLANE] = "a plane is boundless, has no mass and cannot be on a dynamic body: "
                           "make the body static or kinematic",
        [CN_SHAPE_MESH] = "a mesh has no mass and cannot be on a dynamic body: use \"convex\" with "
                          "\"hull\": true, or make the body static or kinematic",
        [CN_SHAPE_HEIGHT_FIELD] = "a height field has no mass and cannot be on a dynamic body: "
                                  "make the body static or kinematic",
    };
    int type = (int)body->shapes[shape].def.type;
    bool exists = type >= 0 && type < CN_SHAPE_TYPE_COUNT;
    if (body->def.type != CN_BODY_DYNAMIC || !exists || reasons[type] == NULL) {
        return CN_OK;
    }
    refuse_shape(field, shape, "type");
    return cn_error_set(error, CN_INVALID, "%s", reasons[type]);
}

static CnStatus check_shapes(CnScene* scene, const CnSceneBody* body, CnFieldPath* field,
                             CnError* error) {
    if (body->shape_count < 0 || (body->shape_count > 0 && body->shapes == NULL)) {
        return cn_scene_refuse(field, "shapes", error, "shape_count is %d but shapes is %s",
                               body->shape_count, body->shapes == NULL ? "NULL" : "given");
    }
    for (int i = 0; i < body->shape_count; ++i) {
        const CnSceneShape* shape = &body->shapes[i];
        const char* member = "";
        int material, triangle = -1;
        if (check_surface(body, i, field, error) != CN_OK) {
            return CN_INVALID;
        }
        if (cn_validate_shape(&shape->def, &member, &triangle, error) != CN_OK) {
            return triangle >= 0 ? refuse_triangle(field, i, triangle)
                                 : refuse_shape(field, i, member);
        }
        CnStatus status = check_making(&shape->def, error);
        if (status != CN_OK) {
            refuse_shape(field, i, "points");
            return status;
        }
        if (shape->material != NULL &&
            cn_scene_resolve(scene, CN_NAME_MATERIAL, shape->material, "material", &material, NULL,
                             error) != CN_OK) {
            return refuse_shape(field, i, "material");
        }
    }
    return CN_OK;
}

// The def as the world will see it, but for materials: what can be validated before there is one.
static CnStatus check_def(CnScene* scene, const CnSceneBody* body, CnFieldPath* field,
                          CnError* error) {
    const char* member = "";
    CnArenaMark mark = cn_arena_mark(&scene->scratch);
    CnShapeDef* shapes = CN_ARENA_NEW(&scene->scratch, CnShapeDef, body->shape_count);
    if (shapes == NULL) {
        return cn_scene_no_memory(error);
    }
    for (int i = 0; i < body->shape_count; ++i) {
        shapes[i] = body->shapes[i].def;
    }
    CnBodyDef def = body->def;
    def.shapes = shapes;
    def.shape_count = body->shape_count;
    CnStatus status = cn_validate_body(&def, &member, error);
    cn_arena_release(&scene->scratch, mark);
    if (status != CN_OK && field != NULL) {
        snprintf(field->text, sizeof field->text, "%s", member);
    }
    return status;
}

// The scene's own copy of a material's name; the material is known to exist.
static const char* own_material(const CnScene* scene, const char* name) {
    return name != NULL ? scene->materials.data[cn_scene_find(scene, CN_NAME_MATERIAL, name)].name
                        : NULL;
}

// *copy is NULL for NULL. False: no memory.
static bool copy_array(CnScene* scene, const void* array, size_t count, size_t size, void** copy) {
    *copy = array != NULL ? cn_arena_allocate(&scene->arena, count, size) : NULL;
    if (*copy != NULL) {
        memcpy(*copy, array, count * size);
    }
    return array == NULL || *copy != NULL;
}

// Only what the type has: the rest may point anywhere.
static bool copy_shape(CnScene* scene, const CnSceneShape* shape, CnSceneShape* copy) {
    const CnShapeDef* def = &shape->def;
    bool has_points = def->type == CN_SHAPE_CONVEX || def->type == CN_SHAPE_MESH;
    bool has_triangles = def->type == CN_SHAPE_MESH;
    bool has_heights = def->type == CN_SHAPE_HEIGHT_FIELD;
    void *points, *triangles, *heights;
    *copy = *shape;
    copy->material = own_material(scene, shape->material);
    copy->def.point_count = has_points ? def->point_count : 0;
    copy->def.triangle_count = has_triangles ? def->triangle_count : 0;
    copy->def.columns = has_heights ? def->columns : 0;
    copy->def.rows = has_heights ? def->rows : 0;
    bool ok = copy_array(scene, has_points ? def->points : NULL, (size_t)copy->def.point_count,
                         sizeof *def->points, &points) &&
              copy_array(scene, has_triangles ? def->triangles : NULL,
                         (size_t)copy->def.triangle_count, sizeof *def->triangles, &triangles) &&
              copy_array(scene, has_heights ? def->heights : NULL,
                         (size_t)copy->def.columns * (size_t)copy->def.rows, sizeof *def->heights,
                         &heights);
    if (ok) {
        copy->def.points = points;
        copy->def.triangles = triangles;
        copy->def.heights = heights;
    }
    return ok;
}

static bool copy_body(CnScene* scene, const CnSceneBody* body, CnSceneBody* copy) {
    CnSceneShape* shapes = CN_ARENA_NEW(&scene->arena, CnSceneShape, body->shape_count);
    *copy = *body;
    if (shapes == NULL || !cn_scene_copy_text(scene, body->def.name, &copy->def.name)) {
        return false;
    }
    for (int i = 0; i < body->shape_count; ++i) {
        if (!copy_shape(scene, &body->shapes[i], &shapes[i])) {
            return false;
        }
    }
    copy->shapes = shapes;
    copy->material = own_material(scene, body->material);
    copy->def.shapes = NULL;
    copy->def.shape_count = 0;
    return true;
}

CnStatus cn_scene_place_body(CnScene* scene, const CnSceneBody* body, CnFieldPath* field,
                             CnError* error) {
    int material;
    CnStatus status =
        cn_scene_check_name(scene, CN_NAME_BODY, body->def.name, "name", field, error);
    if (status == CN_OK && body->material != NULL) {
        status = cn_scene_resolve(scene, CN_NAME_MATERIAL, body->material, "material", &material,
                                  field, error);
    }
    if (status == CN_OK) {
        status = check_shapes(scene, body, field, error);
    }
    if (status == CN_OK) {
        status = check_def(scene, body, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnSceneBody copy;
    if (!copy_body(scene, body, &copy) ||
        !cn_scene_register(scene, CN_NAME_BODY, copy.def.name, scene->bodies.count) ||
        !cn_array_push(&scene->bodies, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnStatus cn_scene_add_body(CnScene* scene, const CnSceneBody* body, CnError* error) {
    return cn_scene_place_body(scene, body, NULL, error);
}

static double density_of(const CnScene* scene, const CnSceneBody* body, const CnSceneShape* shape) {
    const char* name = shape->material != NULL ? shape->material : body->material;
    int material = name != NULL ? cn_scene_find(scene, CN_NAME_MATERIAL, name) : -1;
    return material >= 0 ? scene->materials.data[material].density
                         : cn_material_def_default().density;
}

bool cn_scene_mass_from_shapes(const CnScene* scene, CnSceneBody* body, double mass) {
    CnMassProperties total = {0}, part;
    CnAllocator heap = {0};
    for (int i = 0; i < body->shape_count; ++i) {
        const CnSceneShape* def = &body->shapes[i];
        CnShape shape;
        if (cn_validate_shape(&def->def, NULL, NULL, NULL) != CN_OK ||
            cn_shape_make(&def->def, &heap, &shape, NULL) != CN_OK) {
            return true;
        }
        if (!def->def.sensor &&
            cn_shape_mass_properties(&shape, density_of(scene, body, def), &part)) {
            cn_mass_properties_add(&total, &part);
        }
        cn_shape_free(&shape, &heap);
    }
    if (!(total.mass > 0.0)) {
        return false;
    }
    body->def.mass = mass;
    body->def.center = total.center;
    for (int i = 0; i < 6; ++i) {
        body->def.inertia[i] = total.inertia[i] * (mass / total.mass);
    }
    return true;
}
