// geometries.c - the hulls, meshes and height fields of a world, by id.
#include "world/bodies/geometries.h"

#include "base/error.h"
#include "world/validate.h"

static CnGeometry* geometry_of(const CnWorld* world, CnGeometryId id) {
    const CnWorldGeometry* geometry = cn_pool_get(&world->geometries, CN_POOL_ID(id));
    return geometry == NULL ? NULL : geometry->geometry;
}

CnStatus cn_world_check_geometry(const CnWorld* world, const CnShapeDef* def, CnError* error) {
    if (def->geometry.index == 0) {
        return CN_OK;
    }
    const CnGeometry* geometry = geometry_of(world, def->geometry);
    if (geometry == NULL) {
        return cn_error_set(error, CN_STALE, "the geometry of a shape does not exist");
    }
    if (geometry->type != def->type) {
        return cn_error_set(error, CN_INVALID,
                            "geometry is of shape type %d, but the shape has type %d",
                            (int)geometry->type, (int)def->type);
    }
    return CN_OK;
}

CnStatus cn_world_make_shape(const CnWorld* world, const CnShapeDef* def, CnShape* shape,
                             CnError* error) {
    if (def->geometry.index != 0) {
        cn_shape_make_of(def, geometry_of(world, def->geometry), shape);
        return CN_OK;
    }
    return cn_shape_make(def, &world->allocator, shape, error);
}

static bool enlist(CnWorld* world, CnGeometry* geometry, bool is_held) {
    CnWorldGeometry* entry;
    CnPoolId id = cn_pool_add(&world->geometries, (void**)&entry);
    if (entry == NULL) {
        return false;
    }
    *entry = (CnWorldGeometry){.geometry = geometry, .is_held = is_held};
    geometry->slot = (int)id.index - 1;
    return true;
}

bool cn_world_enlist_geometry(CnWorld* world, const CnShape* shape) {
    return shape->geometry == NULL || shape->geometry->slot >= 0 ||
           enlist(world, shape->geometry, false);
}

static void forget_if_last(CnWorld* world, const CnGeometry* geometry, bool undo) {
    if (geometry->references > 1 || geometry->slot < 0) {
        return;
    }
    CnPoolId id = cn_pool_id_at(&world->geometries, geometry->slot);
    if (undo) {
        cn_pool_undo_add(&world->geometries, id);
    } else {
        cn_pool_remove(&world->geometries, id);
    }
}

void cn_world_free_shape(CnWorld* world, CnShape* shape, bool undo) {
    if (shape->geometry != NULL) {
        forget_if_last(world, shape->geometry, undo);
    }
    cn_shape_free(shape, &world->allocator);
}

CnGeometryId cn_world_geometry_id(const CnWorld* world, const CnShape* shape) {
    if (shape->geometry == NULL) {
        return (CnGeometryId){0};
    }
    CnPoolId id = cn_pool_id_at(&world->geometries, shape->geometry->slot);
    return (CnGeometryId){id.index, id.generation};
}

static CnGeometryId create(CnWorld* world, const CnShapeDef* def, CnError* error) {
    CnGeometry* geometry;
    if (cn_validate_shape(def, NULL, NULL, error) != CN_OK ||
        cn_world_check_idle(world, error) != CN_OK ||
        cn_geometry_build(def, &world->allocator, &geometry, error) != CN_OK) {
        return (CnGeometryId){0};
    }
    if (!enlist(world, geometry, true)) {
        cn_geometry_drop(geometry, &world->allocator);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a geometry");
        return (CnGeometryId){0};
    }
    CnPoolId id = cn_pool_id_at(&world->geometries, geometry->slot);
    return (CnGeometryId){id.index, id.generation};
}

CnGeometryId cn_geometry_create_hull(CnWorld* world, const CnVec3* points, int point_count,
                                     CnError* error) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    def.points = points;
    def.point_count = point_count;
    return create(world, &def, error);
}

CnGeometryId cn_geometry_create_mesh(CnWorld* world, const CnVec3* points, int point_count,
                                     const int (*triangles)[3], int triangle_count,
                                     CnError* error) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_MESH);
    def.points = points;
    def.point_count = point_count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    return create(world, &def, error);
}

CnGeometryId cn_geometry_create_height_field(CnWorld* world, const double* heights, int columns,
                                             int rows, double size_x, double size_y,
                                             CnError* error) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD);
    def.heights = heights;
    def.columns = columns;
    def.rows = rows;
    def.size = cn_vec3(size_x, size_y, 0.0);
    return create(world, &def, error);
}

CnStatus cn_geometry_release(CnWorld* world, CnGeometryId id, CnError* error) {
    CnWorldGeometry* entry = cn_pool_get(&world->geometries, CN_POOL_ID(id));
    if (entry == NULL) {
        return cn_error_set(error, CN_STALE, "the geometry does not exist");
    }
    CnStatus status = cn_world_check_idle(world, error);
    if (status == CN_OK && !entry->is_held) {
        status = cn_error_set(error, CN_INVALID,
                              "the geometry is not held: it was released, or made for a shape");
    }
    if (status == CN_OK) {
        CnGeometry* geometry = entry->geometry;
        entry->is_held = false;
        forget_if_last(world, geometry, false);
        cn_geometry_drop(geometry, &world->allocator);
    }
    return status;
}
