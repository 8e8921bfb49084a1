// shape.c - shapes that are added, changed, read and removed while their body is in the world.
#include "base/error.h"
#include "geometry/triangulate.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/geometries.h"
#include "world/bodies/mass.h"
#include "world/contacts/contacts.h"
#include "world/events/events.h"
#include "world/soft/soft_pack.h"
#include "world/validate.h"

#define MOST_SIDES 4096 // of a circle that is drawn

static CnWorldShape* shape_of(const CnWorld* world, CnShapeId id) {
    return cn_pool_get(&world->shapes, CN_POOL_ID(id));
}

static int slot_of(CnShapeId id) {
    return (int)id.index - 1;
}

// For calls that change a shape.
static CnStatus check_change(const CnWorld* world, CnShapeId id, CnError* error) {
    return shape_of(world, id) == NULL ? cn_error_set(error, CN_STALE, "the shape does not exist")
                                       : cn_world_check_idle(world, error);
}

// The mass that the body would have, with one more user, and whether it may.
static CnStatus check_mass(CnWorld* world, int body, int without, const CnMass** mass,
                           CnError* error) {
    CnStatus status = cn_body_find_mass(world, body, without, mass, error);
    if (status != CN_OK) {
        return status;
    }
    status = cn_body_check_center(world, body, (*mass)->properties.center, error);
    if (status != CN_OK) {
        cn_mass_drop(&world->masses, *mass);
    }
    return status;
}

static CnStatus check_new_shape(const CnWorld* world, CnBodyId id, const CnShapeDef* def,
                                CnError* error) {
    int body = cn_world_body_index(world, id);
    if (body < 0) {
        return cn_error_set(error, CN_STALE, "the body does not exist");
    }
    CnStatus status = cn_validate_shape(def, NULL, NULL, error);
    if (status == CN_OK) {
        status = cn_validate_carrier(def, world->details.data[body].type, "the shape", error);
    }
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK && !cn_world_knows_material(world, def->material)) {
        status = cn_error_set(error, CN_STALE, "the material of the shape does not exist");
    }
    return status == CN_OK ? cn_world_check_geometry(world, def, error) : status;
}

CnShapeId cn_body_add_shape(CnWorld* world, CnBodyId id, const CnShapeDef* def, CnError* error) {
    const CnMass* mass;
    int slot, body = cn_world_body_index(world, id);
    if (check_new_shape(world, id, def, error) != CN_OK ||
        cn_body_make_shape(world, body, def, &slot, error) != CN_OK) {
        return (CnShapeId){0};
    }
    if (check_mass(world, body, -1, &mass, error) != CN_OK) {
        cn_body_unmake_shape(world, slot);
        return (CnShapeId){0};
    }
    cn_sleep_disturb(world, body);
    cn_body_take_mass(world, body, mass);
    cn_body_set_center(world, body, mass->properties.center); // of the new shape too
    cn_body_place(world, body);
    return cn_world_shape_id(world, slot);
}

CnStatus cn_shape_remove(CnWorld* world, CnShapeId id, CnError* error) {
    CnStatus status = check_change(world, id, error);
    if (status != CN_OK) {
        return status;
    }
    const CnMass* mass;
    int body = shape_of(world, id)->body;
    if (!cn_events_reserve_ends_of_shape(world, slot_of(id)) || !cn_soft_reserve_flush(world)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the events of a shape that goes");
    }
    status = check_mass(world, body, slot_of(id), &mass, error);
    if (status == CN_OK) {
        cn_sleep_disturb(world, body);
        cn_body_drop_shape(world, slot_of(id));
        cn_body_take_mass(world, body, mass);
        cn_body_place(world, body);
        cn_world_forget_step(world);
    }
    return status;
}

CnStatus cn_shape_set_filter(CnWorld* world, CnShapeId id, uint32_t category, uint32_t mask,
                             int32_t group, CnError* error) {
    CnStatus status = check_change(world, id, error);
    if (status != CN_OK) {
        return status;
    }
    CnShape like = *shape_of(world, id)->shape;
    like.category = category;
    like.mask = mask;
    like.group = group;
    const CnShape* taken = cn_shape_take(world, &like);
    if (taken == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the filter of a shape");
    }
    int body = shape_of(world, id)->body;
    cn_sleep_disturb(world, body);
    cn_shape_change(world, slot_of(id), taken);
    if (!world->bodies.data[body].disabled) {
        cn_broad_phase_filter_again(&world->broad_phase, slot_of(id));
    }
    return CN_OK;
}

CnStatus cn_shape_set_material(CnWorld* world, CnShapeId id, CnMaterialId material,
                               CnError* error) {
    CnStatus status = check_change(world, id, error);
    if (status == CN_OK && !cn_world_knows_material(world, material)) {
        status = cn_error_set(error, CN_STALE, "the material does not exist");
    }
    if (status != CN_OK) {
        return status;
    }
    const CnMass* mass;
    CnWorldShape* shape = shape_of(world, id);
    const CnShape* before = shape->shape;
    CnShape like = *before;
    like.material = material;
    const CnShape* taken = cn_shape_take(world, &like);
    if (taken == NULL || !cn_soft_reserve_flush(world)) {
        cn_shape_drop(world, taken, false);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the material of a shape");
    }
    shape->shape = taken; // the mass is that of the new material
    status = check_mass(world, shape->body, -1, &mass, error);
    shape->shape = before;
    if (status != CN_OK) {
        cn_shape_drop(world, taken, false);
        return status;
    }
    cn_shape_change(world, slot_of(id), taken);
    ++world->surfaces;
    cn_sleep_disturb(world, shape->body);
    cn_body_take_mass(world, shape->body, mass);
    cn_world_forget_tiles(world, slot_of(id)); // contacts learn of it
    return CN_OK;
}

CnStatus cn_shape_read(const CnWorld* world, CnShapeId id, CnShapeInfo* info) {
    const CnWorldShape* kept = shape_of(world, id);
    *info = (CnShapeInfo){0};
    if (kept == NULL) {
        return CN_STALE;
    }
    const CnShape* shape = kept->shape;
    info->body = world->order.data[kept->body];
    info->number = kept->number;
    info->def = cn_shape_def_default(shape->type);
    info->def.position = shape->local.position;
    info->def.rotation = shape->local.rotation;
    info->def.radius = shape->radius;
    info->def.length = 2.0 * shape->half_length;
    info->def.size = shape->field != NULL ? cn_vec3(shape->field->size_x, shape->field->size_y, 0.0)
                                          : cn_vec3_scale(2.0, shape->half_size);
    info->def.normal = shape->type == CN_SHAPE_PLANE ? shape->normal : info->def.normal;
    info->def.geometry = cn_world_geometry_id(world, shape);
    info->def.material = shape->material;
    info->def.sensor = shape->sensor;
    info->def.category = shape->category;
    info->def.mask = shape->mask;
    info->def.group = shape->group;
    return CN_OK;
}

int cn_body_shapes(const CnWorld* world, CnBodyId id, CnShapeId* shapes, int capacity) {
    int body = cn_world_body_index(world, id), count = 0;
    if (body < 0) {
        return -1;
    }
    for (int s = world->details.data[body].first_shape; s >= 0 && count < capacity;
         s = cn_world_shape_at(world, s)->next) {
        shapes[count++] = cn_world_shape_id(world, s);
    }
    return world->details.data[body].shape_count;
}

CnStatus cn_shape_triangles(const CnWorld* world, CnShapeId id, int resolution,
                            double plane_half_size, CnTriangles* triangles, CnError* error) {
    const CnWorldShape* shape = shape_of(world, id);
    if (shape == NULL) {
        return cn_error_set(error, CN_STALE, "the shape does not exist");
    }
    if (resolution < 3 || resolution > MOST_SIDES) {
        return cn_error_set(error, CN_INVALID, "resolution is %d; it must be from 3 to %d",
                            resolution, MOST_SIDES);
    }
    if (!(plane_half_size > 0.0 && isfinite(plane_half_size))) {
        return cn_error_set(error, CN_INVALID,
                            "plane_half_size is %g m; it must be positive and finite",
                            plane_half_size);
    }
    if ((triangles->point_capacity > 0 && triangles->points == NULL) ||
        (triangles->triangle_capacity > 0 && triangles->triangles == NULL)) {
        return cn_error_set(error, CN_INVALID,
                            "point_capacity is %d and triangle_capacity is %d, but points or "
                            "triangles is NULL",
                            triangles->point_capacity, triangles->triangle_capacity);
    }
    cn_shape_triangulate(shape->shape, shape->shape->local, resolution, plane_half_size, triangles);
    return CN_OK;
}
