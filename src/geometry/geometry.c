// geometry.c - hulls, meshes and height fields: built once, never changed, shared by shapes.
#include "geometry/geometry.h"

#include "base/error.h"
#include "base/memory.h"

static double hull_extent(const CnHull* hull) {
    double extent = 0.0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        extent = fmax(extent, cn_vec3_length(hull->vertices[i]));
    }
    return extent;
}

static CnStatus build_part(const CnShapeDef* def, const CnAllocator* allocator,
                           CnGeometry* geometry, CnError* error) {
    switch (def->type) {
    case CN_SHAPE_CONVEX:
        return cn_hull_build(def->points, def->point_count, allocator, &geometry->hull, error);
    case CN_SHAPE_MESH:
        return cn_triangle_mesh_build(def->points, def->point_count, def->triangles,
                                      def->triangle_count, allocator, &geometry->mesh, error);
    default:
        return cn_height_field_build(def->heights, def->columns, def->rows, def->size.x,
                                     def->size.y, allocator, &geometry->field, error);
    }
}

CnStatus cn_geometry_build(const CnShapeDef* def, const CnAllocator* allocator,
                           CnGeometry** geometry, CnError* error) {
    CN_ASSERT(cn_geometry_is_for(def->type));
    CnGeometry* made = cn_allocate(allocator, 1, sizeof *made);
    *geometry = NULL;
    if (made == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a shape");
    }
    *made = (CnGeometry){.type = def->type, .references = 1, .slot = -1};
    CnStatus status = build_part(def, allocator, made, error);
    if (status != CN_OK) {
        cn_geometry_drop(made, allocator);
        return status;
    }
    made->extent = made->hull != NULL   ? hull_extent(made->hull)
                   : made->mesh != NULL ? made->mesh->extent
                                        : made->field->extent;
    *geometry = made;
    return CN_OK;
}

void cn_geometry_drop(CnGeometry* geometry, const CnAllocator* allocator) {
    if (geometry == NULL || --geometry->references > 0) {
        return;
    }
    cn_hull_free(geometry->hull, allocator);
    cn_triangle_mesh_free(geometry->mesh, allocator);
    cn_height_field_free(geometry->field, allocator);
    cn_release(allocator, geometry);
}

// A mesh and a field keep what they were built from, and equal input gives equal bits.
static bool copy_part(const CnGeometry* from, const CnAllocator* allocator, CnGeometry* to) {
    const CnTriangleMesh* mesh = from->mesh;
    const CnHeightField* field = from->field;
    if (from->hull != NULL) {
        to->hull = cn_hull_copy(from->hull, allocator);
        return to->hull != NULL;
    }
    if (mesh != NULL) {
        return cn_triangle_mesh_build(mesh->points, mesh->point_count,
                                      (const int(*)[3])mesh->triangles, mesh->triangle_count,
                                      allocator, &to->mesh, NULL) == CN_OK;
    }
    return cn_height_field_build(field->heights, field->columns, field->rows, field->size_x,
                                 field->size_y, allocator, &to->field, NULL) == CN_OK;
}

CnGeometry* cn_geometry_copy(const CnGeometry* geometry, const CnAllocator* allocator) {
    CnGeometry* copy = cn_allocate(allocator, 1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy =
        (CnGeometry){.type = geometry->type, .extent = geometry->extent, .slot = geometry->slot};
    if (!copy_part(geometry, allocator, copy)) {
        cn_geometry_drop(copy, allocator);
        return NULL;
    }
    return copy;
}
