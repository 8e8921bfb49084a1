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

static void make_convex(const CnShapeDef* def, CnShape* shape) {
    (void)def; // its points are in the hull
    for (int i = 0; i < shape->hull->vertex_count; ++i) {
        shape->extent = fmax(shape->extent, cn_vec3_length(shape->hull->vertices[i]));
    }
}

static void make_mesh(const CnShapeDef* def, CnShape* shape) {
    (void)def;
    shape->extent = shape->mesh->extent;
}

static void make_height_field(const CnShapeDef* def, CnShape* shape) {
    (void)def;
    shape->extent = shape->field->extent;
}

typedef void MakeFunction(const CnShapeDef* def, CnShape* shape);
static MakeFunction* const make_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = make_sphere,     [CN_SHAPE_PLANE] = make_plane,
    [CN_SHAPE_BOX] = make_box,           [CN_SHAPE_CAPSULE] = make_capsule,
    [CN_SHAPE_CYLINDER] = make_cylinder, [CN_SHAPE_CONVEX] = make_convex,
    [CN_SHAPE_MESH] = make_mesh,         [CN_SHAPE_HEIGHT_FIELD] = make_height_field,
};

// What of the def is copied and prepared in memory of its own.
static CnStatus build_parts(const CnShapeDef* def, const CnAllocator* allocator, CnShape* shape,
                            CnError* error) {
    switch (def->type) {
    case CN_SHAPE_CONVEX:
        return cn_hull_build(def->points, def->point_count, allocator, &shape->hull, error);
    case CN_SHAPE_MESH:
        return cn_triangle_mesh_build(def->points, def->point_count, def->triangles,
                                      def->triangle_count, allocator, &shape->mesh, error);
    case CN_SHAPE_HEIGHT_FIELD:
        return cn_height_field_build(def->heights, def->columns, def->rows, def->size.x,
                                     def->size.y, allocator, &shape->field, error);
    default:
        return CN_OK;
    }
}

CnStatus cn_shape_make(const CnShapeDef* def, const CnAllocator* allocator, CnShape* shape,
                       CnError* error) {
    *shape = (CnShape){
        .type = def->type,
        .local = {def->position, cn_quat_normalize(def->rotation)},
        .material = def->material,
        .sensor = def->sensor,
        .category = def->category,
        .mask = def->mask,
        .group = def->group,
    };
    CnStatus status = build_parts(def, allocator, shape, error);
    if (status != CN_OK) {
        return status;
    }
    make_table[def->type](def, shape);
    return CN_OK;
}

void cn_shape_free(CnShape* shape, const CnAllocator* allocator) {
    cn_hull_free(shape->hull, allocator);
    cn_triangle_mesh_free(shape->mesh, allocator);
    cn_height_field_free(shape->field, allocator);
    shape->hull = NULL;
    shape->mesh = NULL;
    shape->field = NULL;
}
