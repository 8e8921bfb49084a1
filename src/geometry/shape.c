// shape.c - a shape as the library keeps it: ready to be measured and met.
#include "geometry/shape.h"

static void make_sphere(const CnShapeDef* def, CnShape* shape) {
    shape->radius = def->radius;
    shape->extent = def->radius;
}

static void make_plane(const CnShapeDef* def, CnShape* shape) {
    shape->normal = cn_vec3_normalize(def->normal);
}

static void make_box(const CnShapeDef* def, CnShape* shape) {
    shape->half_size = cn_vec3_scale(0.5, def->size);
    shape->extent = cn_vec3_length(shape->half_size);
}

static void make_capsule(const CnShapeDef* def, CnShape* shape) {
    shape->radius = def->radius;
    shape->half_length = 0.5 * def->length;
    shape->extent = shape->half_length + shape->radius;
}

static void make_cylinder(const CnShapeDef* def, CnShape* shape) {
    shape->radius = def->radius;
    shape->half_length = 0.5 * def->length;
    shape->extent = cn_vec3_length(cn_vec3(shape->radius, 0.0, shape->half_length));
}

static void take_geometry(const CnShapeDef* def, CnShape* shape) {
    (void)def; // all is in the geometry
    shape->hull = shape->geometry->hull;
    shape->mesh = shape->geometry->mesh;
    shape->field = shape->geometry->field;
    shape->extent = shape->geometry->extent;
}

typedef void MakeFunction(const CnShapeDef* def, CnShape* shape);
static MakeFunction* const make_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = make_sphere,     [CN_SHAPE_PLANE] = make_plane,
    [CN_SHAPE_BOX] = make_box,           [CN_SHAPE_CAPSULE] = make_capsule,
    [CN_SHAPE_CYLINDER] = make_cylinder, [CN_SHAPE_CONVEX] = take_geometry,
    [CN_SHAPE_MESH] = take_geometry,     [CN_SHAPE_HEIGHT_FIELD] = take_geometry,
};

static void begin(const CnShapeDef* def, CnShape* shape) {
    *shape = (CnShape){
        .type = def->type,
        .local = {def->position, cn_quat_normalize(def->rotation)},
        .material = def->material,
        .sensor = def->sensor,
        .category = def->category,
        .mask = def->mask,
        .group = def->group,
    };
}

void cn_shape_make_of(const CnShapeDef* def, CnGeometry* geometry, CnShape* shape) {
    begin(def, shape);
    shape->geometry = geometry;
    ++geometry->references;
    make_table[def->type](def, shape);
}

CnStatus cn_shape_make(const CnShapeDef* def, const CnAllocator* allocator, CnShape* shape,
                       CnError* error) {
    begin(def, shape);
    if (cn_geometry_is_for(def->type)) {
        CnStatus status = cn_geometry_build(def, allocator, &shape->geometry, error);
        if (status != CN_OK) {
            return status;
        }
    }
    make_table[def->type](def, shape);
    return CN_OK;
}

void cn_shape_free(CnShape* shape, const CnAllocator* allocator) {
    cn_geometry_drop(shape->geometry, allocator);
    shape->geometry = NULL;
    shape->hull = NULL;
    shape->mesh = NULL;
    shape->field = NULL;
}
