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

// Only building the hull tells whether the points span a solid.
static CnStatus check_making(const CnShapeDef* def, CnError* error) {
    CnAllocator heap = {0};
    CnShape shape;
    CnStatus status = cn_shape_make(def, &heap, &shape, error);
    if (status == CN_OK) {
        cn_shape_free(&shape, &heap);
    }
    return status;
}

// A surface has no mass, and dynamic bodies need one. Sensors need none.
static CnStatus check_surface(const CnBodyDef* body, int shape, CnFieldPath* field,
                              CnError* error) {
    static const char* const reasons[CN_SHAPE_TYPE_COUNT] = {
        [CN_SHAPE_PLANE] = "a plane is boundless, has no mass and cannot be on a dynamic body: "
                           "make the body static or kinematic",
        [CN_SHAPE_MESH] = "a mesh has no mass and cannot be on a dynamic body: use \"convex\" with "
                          "\"hull\": true, or make the body static or kinematic",
        [CN_SHAPE_HEIGHT_FIELD] = "a height field has no mass and cannot be on a dynamic body: "
                                  "make the body static or kinematic",
    };
    int type = (int)body->shapes[shape].type;
    bool exists = type >= 0 && type < CN_SHAPE_TYPE_COUNT;
    if (body->type != CN_BODY_DYNAMIC || !exists || reasons[type] == NULL) {
        return CN_OK;
    }
    refuse_shape(field, shape, "type");
    return cn_error_set(error, CN_INVALID, "%s", reasons[type]);
}

// As a world does, except for shared geometry, which a scene does not have.
static CnStatus validate_shape(const CnShapeDef* def, const char** member, int* triangle,
                               CnError* error) {
    if (def->geometry.index != 0) {
        *member = "geometry";
        return cn_error_set(error, CN_INVALID,
                            "geometry is of a world; in a scene a shape has points, triangles or "
                            "heights of its own");
    }
    return cn_validate_shape(def, member, triangle, error);
}

static CnStatus check_shapes(const CnScene* scene, const CnBodyDef* body, CnFieldPath* field,
                             CnError* error) {
    if (body->shape_count < 0 || (body->shape_count > 0 && body->shapes == NULL)) {
        return cn_scene_refuse(field, "shapes", error, "shape_count is %d but shapes is %s",
                               body->shape_count, body->shapes == NULL ? "NULL" : "given");
    }
    for (int i = 0; i < body->shape_count; ++i) {
        const CnShapeDef* shape = &body->shapes[i];
        const char* member = "";
        int triangle = -1;
        if (check_surface(body, i, field, error) != CN_OK) {
            return CN_INVALID;
        }
        if (validate_shape(shape, &member, &triangle, error) != CN_OK) {
            return triangle >= 0 ? refuse_triangle(field, i, triangle)
                                 : refuse_shape(field, i, member);
        }
        CnStatus status = check_making(shape, error);
        if (status != CN_OK) {
            refuse_shape(field, i, "points");
            return status;
        }
        status = cn_scene_check_material(scene, shape->material, "material", NULL, error);
        if (status != CN_OK) {
            refuse_shape(field, i, "material");
            return status;
        }
    }
    return CN_OK;
}

// *copy is NULL for NULL. False: no memory.
static bool copy_array(CnScene* scene, const void* array, size_t count, size_t size, void** copy) {
    *copy = array != NULL ? cn_arena_allocate(&scene->arena, count, size) : NULL;
    if (*copy != NULL) {
        memcpy(*copy, array, count * size);
    }
    return array == NULL || *copy != NULL;
}

// Only the arrays of the shape's type; other pointers may be invalid.
static bool copy_shape(CnScene* scene, const CnShapeDef* def, CnShapeDef* copy) {
    bool has_points = def->type == CN_SHAPE_CONVEX || def->type == CN_SHAPE_MESH;
    bool has_triangles = def->type == CN_SHAPE_MESH;
    bool has_heights = def->type == CN_SHAPE_HEIGHT_FIELD;
    void *points, *triangles, *heights;
    *copy = *def;
    copy->point_count = has_points ? def->point_count : 0;
    copy->triangle_count = has_triangles ? def->triangle_count : 0;
    copy->columns = has_heights ? def->columns : 0;
    copy->rows = has_heights ? def->rows : 0;
    bool ok =
        copy_array(scene, has_points ? def->points : NULL, (size_t)copy->point_count,
                   sizeof *def->points, &points) &&
        copy_array(scene, has_triangles ? def->triangles : NULL, (size_t)copy->triangle_count,
                   sizeof *def->triangles, &triangles) &&
        copy_array(scene, has_heights ? def->heights : NULL,
                   (size_t)copy->columns * (size_t)copy->rows, sizeof *def->heights, &heights);
    if (ok) {
        copy->points = points;
        copy->triangles = triangles;
        copy->heights = heights;
    }
    return ok;
}

static bool copy_body(CnScene* scene, const CnBodyDef* def, CnBodyDef* copy) {
    CnShapeDef* shapes = CN_ARENA_NEW(&scene->arena, CnShapeDef, def->shape_count);
    *copy = *def;
    if (shapes == NULL || !cn_scene_copy_text(scene, def->name, &copy->name)) {
        return false;
    }
    for (int i = 0; i < def->shape_count; ++i) {
        if (!copy_shape(scene, &def->shapes[i], &shapes[i])) {
            return false;
        }
    }
    copy->shapes = shapes;
    return true;
}

static CnStatus check_motion(const CnScene* scene, const CnBodyMotion* motion, CnFieldPath* field,
                             CnError* error) {
    CnStatus status = cn_scene_check_series_id(scene, motion->angle, "motion.angle", field, error);
    for (int i = 0; i < 3 && status == CN_OK; ++i) {
        char name[32];
        snprintf(name, sizeof name, "motion.position[%d]", i);
        status = cn_scene_check_series_id(scene, motion->position[i], name, field, error);
    }
    return status;
}

CnStatus cn_scene_place_body(CnScene* scene, const CnBodyDef* def, CnFieldPath* field,
                             CnError* error) {
    const char* member = "";
    CnStatus status = cn_scene_check_name(scene, CN_NAME_BODY, def->name, "name", field, error);
    if (status == CN_OK) {
        status = cn_scene_check_material(scene, def->material, "material", field, error);
    }
    if (status == CN_OK) {
        status = check_shapes(scene, def, field, error);
    }
    if (status == CN_OK) {
        status = check_motion(scene, &def->motion, field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    status = cn_validate_body(def, &member, error);
    if (status != CN_OK) {
        if (field != NULL) {
            snprintf(field->text, sizeof field->text, "%s", member);
        }
        return status;
    }
    CnBodyDef copy;
    if (!copy_body(scene, def, &copy) ||
        !cn_scene_register(scene, CN_NAME_BODY, copy.name, scene->bodies.count) ||
        !cn_array_push(&scene->bodies, &scene->arena.allocator, copy)) {
        return cn_scene_no_memory(error);
    }
    return CN_OK;
}

CnBodyId cn_scene_add_body(CnScene* scene, const CnBodyDef* def, CnError* error) {
    CnStatus status = cn_scene_place_body(scene, def, NULL, error);
    return status == CN_OK ? CN_SCENE_ID(CnBodyId, scene->bodies.count - 1) : (CnBodyId){0};
}

// ---- mass ----

static double density_of(const CnScene* scene, const CnBodyDef* body, const CnShapeDef* shape) {
    CnMaterialId id = shape->material.index != 0 ? shape->material : body->material;
    int material = CN_SCENE_PLACE(id, scene->materials.count);
    return material >= 0 ? scene->materials.data[material].density
                         : cn_material_def_default().density;
}

// The sum over all shapes, with the densities of their materials; no mass if they have no volume.
// CN_OK only if all shapes are valid.
static CnStatus add_up_shapes(const CnScene* scene, const CnBodyDef* body, CnMassProperties* total,
                              CnError* error) {
    const CnAllocator heap = {0};
    *total = (CnMassProperties){0};
    for (int i = 0; i < body->shape_count; ++i) {
        const CnShapeDef* def = &body->shapes[i];
        CnMassProperties part;
        CnShape shape;
        const char* member;
        CnStatus status = validate_shape(def, &member, NULL, error);
        if (status == CN_OK) {
            status = cn_shape_make(def, &heap, &shape, error);
        }
        if (status != CN_OK) {
            return status;
        }
        if (!def->sensor && cn_shape_mass_properties(&shape, density_of(scene, body, def), &part)) {
            cn_mass_properties_add(total, &part);
        }
        cn_shape_free(&shape, &heap);
    }
    return CN_OK;
}

static void set_mass(CnBodyDef* def, const CnMassProperties* total, double mass) {
    def->mass = mass;
    def->center = total->center;
    for (int i = 0; i < 6; ++i) {
        def->inertia[i] = total->inertia[i] * (mass / total->mass);
    }
}

bool cn_scene_mass_from_shapes(const CnScene* scene, CnBodyDef* def, double mass) {
    CnMassProperties total;
    if (add_up_shapes(scene, def, &total, NULL) != CN_OK) {
        return true;
    }
    if (total.mass > 0.0) {
        set_mass(def, &total, mass);
    }
    return total.mass > 0.0;
}

CnStatus cn_scene_scale_mass(const CnScene* scene, CnBodyDef* def, double mass, CnError* error) {
    CnMassProperties total;
    CnStatus status = add_up_shapes(scene, def, &total, error);
    if (status != CN_OK) {
        return status;
    }
    if (!(total.mass > 0.0)) {
        return cn_error_set(error, CN_INVALID,
                            "the shapes of the body have no volume to take a mass from");
    }
    def->has_mass = true;
    set_mass(def, &total, mass);
    return CN_OK;
}

// ---- initial poses ----

CnTransform cn_scene_body_pose(const CnScene* scene, CnBodyId body) {
    const CnBodyDef* def = &scene->bodies.data[CN_SCENE_PLACE(body, scene->bodies.count)];
    return (CnTransform){def->position, cn_quat_normalize(def->rotation)};
}

CnVec3 cn_scene_body_center(const CnScene* scene, CnBodyId body) {
    const CnBodyDef* def = &scene->bodies.data[CN_SCENE_PLACE(body, scene->bodies.count)];
    CnMassProperties total = {.center = def->center};
    if (!def->has_mass) {
        add_up_shapes(scene, def, &total, NULL); // they were made before
    }
    return cn_transform_point(cn_scene_body_pose(scene, body), total.center);
}
