// recording_head.c - what a world is made of, as the first chunks of a recording say it.
#include "io/recording/recording_head.h"

#include "base/error.h"
#include "base/hash.h"
#include "geometry/triangulate.h"
#include "io/scene/scene_fields.h"
#include "world/quantities/quantities.h"
#include "world/world.h"

const char* cn_recorded_kind_name(int kind) {
    static const char* const missed[] = {"not_converged", "positions_missed", "out_of_budget"};
    if (kind < CN_EVENT_TYPE_COUNT) {
        return cn_event_type_name((CnEventType)kind);
    }
    return missed[kind - CN_EVENT_TYPE_COUNT];
}

// ---- numbers ----

typedef struct Describer {
    const CnWorld* world;
    const CnRecorderDef* def;
    CnJsonWriter* json;
    CnBytes* mesh;
    CnMap meshes; // slot of a geometry -> number of its mesh
    CN_ARRAY(CnTriangles) counts;
    CN_ARRAY(size_t) offsets; // in MESH [bytes]   [counts.count]
    bool failed;              // no memory
} Describer;

static void write_vec3(CnJsonWriter* json, const char* key, CnVec3 v) {
    const double numbers[3] = {v.x, v.y, v.z};
    cn_write_numbers(json, key, numbers, 3);
}

static void write_quat(CnJsonWriter* json, const char* key, CnQuat q) {
    const double numbers[4] = {q.w, q.x, q.y, q.z};
    cn_write_numbers(json, key, numbers, 4);
}

static void write_settings(Describer* describer) {
    CnJsonWriter* json = describer->json;
    const CnRecorderDef* def = describer->def;
    CnWorldDef settings = cn_world_read(describer->world);
    cn_write_text(json, "cairn", cn_version());
    cn_write_text(json, "scene", def->scene != NULL ? cn_scene_name(def->scene) : "");
    cn_write_text(json, "scheme", cn_scheme_name(settings.step.scheme));
    cn_write_text(json, "solver", settings.solver.name);
    cn_write_number(json, "tolerance", settings.solver.tolerance);
    cn_write_number(json, "slop", settings.step.slop);
    cn_write_number(json, "dt", def->dt);
    cn_write_number(json, "duration", def->duration);
    write_vec3(json, "gravity", settings.gravity);
    cn_write_number(json, "start_time", cn_world_time(describer->world));
    cn_write_number(json, "frame_rate", def->frame_rate);
    cn_write_number(json, "position_quantum", def->position_quantum);
    cn_write_number(json, "rotation_quantum", def->rotation_quantum);
    cn_write_number(json, "velocity_quantum", def->velocity_quantum);
    cn_write_number(json, "angular_velocity_quantum", def->angular_velocity_quantum);
}

static void write_scalar(CnJsonWriter* json, const char* name, const char* unit) {
    cn_write_flat_object(json, NULL);
    cn_write_text(json, "name", name);
    cn_write_text(json, "unit", unit);
    cn_write_object_end(json);
}

static void write_scalars(Describer* describer) {
    CnJsonWriter* json = describer->json;
    CnQuantities* extra = describer->def->quantities;
    cn_write_array(json, "scalars");
    for (int i = 0; i < cn_world_quantities.count; ++i) {
        write_scalar(json, cn_world_quantities.parts[i].name, cn_world_quantities.parts[i].unit);
    }
    for (int i = 0; extra != NULL && i < cn_quantities_count(extra); ++i) {
        CnQuantityInfo info = cn_quantities_at(extra, i);
        write_scalar(json, info.name, info.unit);
    }
    cn_write_array_end(json);
    cn_write_flat_array(json, "event_kinds");
    for (int i = 0; i < CN_RECORDED_KIND_COUNT; ++i) {
        cn_write_text(json, NULL, cn_recorded_kind_name(i));
    }
    cn_write_array_end(json);
}

// ---- materials ----

static void write_materials(Describer* describer) {
    CnJsonWriter* json = describer->json;
    const CnPool* pool = &describer->world->materials;
    cn_write_array(json, "materials");
    for (int slot = 0; slot < cn_pool_slot_count(pool); ++slot) {
        const CnMaterial* material = cn_pool_at(pool, slot); // they are never removed
        cn_write_flat_object(json, NULL);
        cn_write_text(json, "name", material->name);
        cn_write_number(json, "friction", material->friction);
        cn_write_number(json, "restitution", material->restitution);
        cn_write_number(json, "density", material->density);
        cn_write_object_end(json);
    }
    cn_write_array_end(json);
}

// ---- bodies and shapes ----

// Shapes are numbered by body, in the order of each body's list.
static void write_bodies(Describer* describer) {
    const CnWorld* world = describer->world;
    CnJsonWriter* json = describer->json;
    int shape = 0;
    cn_write_array(json, "bodies");
    for (int i = 0; i < world->order.count; ++i) {
        const CnBodyDetails* details = &world->details.data[i];
        cn_write_flat_object(json, NULL);
        cn_write_text(json, "name", details->name);
        cn_write_text(json, "type", cn_scene_body_type_name((int)details->type));
        cn_write_number(json, "mass", details->type == CN_BODY_DYNAMIC ? details->mass->mass : 0.0);
        write_vec3(json, "center", world->bodies.data[i].center);
        cn_write_flat_array(json, "shapes");
        for (int s = 0; s < details->shape_count; ++s) {
            cn_write_integer(json, NULL, shape++);
        }
        cn_write_array_end(json);
        cn_write_object_end(json);
    }
    cn_write_array_end(json);
}

// The triangles in the shape's own axes, behind those of earlier meshes.
static bool put_mesh(Describer* describer, const CnShape* shape) {
    const CnTransform own = {{0.0, 0.0, 0.0}, cn_quat_identity()};
    const CnAllocator* allocator = &describer->world->allocator;
    CnTriangles all = {0};
    cn_shape_triangulate(shape, own, 3, 1.0, &all);
    all.points = cn_allocate(allocator, (size_t)all.point_count, sizeof *all.points);
    all.triangles = cn_allocate(allocator, (size_t)all.triangle_count, sizeof *all.triangles);
    all.point_capacity = all.point_count;
    all.triangle_capacity = all.triangle_count;
    bool ok = all.points != NULL && all.triangles != NULL &&
              cn_array_push(&describer->offsets, allocator, describer->mesh->size);
    if (ok) {
        all.point_count = all.triangle_count = 0;
        cn_shape_triangulate(shape, own, 3, 1.0, &all);
        for (int i = 0; i < all.point_count; ++i) {
            const float point[3] = {(float)all.points[i].x, (float)all.points[i].y,
                                    (float)all.points[i].z};
            cn_bytes_put(describer->mesh, point, sizeof point);
        }
        cn_bytes_put(describer->mesh, all.triangles,
                     (size_t)all.triangle_count * sizeof *all.triangles);
        ok = cn_array_push(&describer->counts, allocator, all) && !describer->mesh->failed;
    }
    cn_release(allocator, all.points);
    cn_release(allocator, all.triangles);
    return ok;
}

// Number of the mesh of a shape, -1: it has none, or no memory.
static int mesh_of(Describer* describer, const CnShape* shape) {
    if (shape->geometry == NULL) {
        return -1;
    }
    uint64_t key = (uint64_t)(uintptr_t)shape->geometry; // shared geometry, shared mesh
    int number = cn_map_get(&describer->meshes, key);
    if (number < 0) {
        number = describer->counts.count;
        if (!put_mesh(describer, shape) || !cn_map_set(&describer->meshes, key, number)) {
            describer->failed = true;
            return -1;
        }
    }
    return number;
}

static void write_index(CnJsonWriter* json, const char* key, int index) {
    if (index >= 0) {
        cn_write_integer(json, key, index);
    } else {
        cn_write_text_or_null(json, key, NULL);
    }
}

static void write_dimensions(CnJsonWriter* json, const CnShape* shape) {
    CnShapeType type = shape->type;
    if (type == CN_SHAPE_SPHERE || type == CN_SHAPE_CAPSULE || type == CN_SHAPE_CYLINDER) {
        cn_write_number(json, "radius", shape->radius);
    }
    if (type == CN_SHAPE_CAPSULE || type == CN_SHAPE_CYLINDER) {
        cn_write_number(json, "length", 2.0 * shape->half_length);
    }
    if (type == CN_SHAPE_BOX) {
        write_vec3(json, "size", cn_vec3_scale(2.0, shape->half_size));
    }
    if (type == CN_SHAPE_PLANE) {
        write_vec3(json, "normal", shape->normal);
    }
}

static void write_shape(Describer* describer, const CnWorldShape* own, int body) {
    CnJsonWriter* json = describer->json;
    const CnShape* shape = own->shape;
    CnMaterialId material = shape->material.index != 0
                                ? shape->material
                                : describer->world->details.data[body].material;
    int mesh = mesh_of(describer, shape);
    cn_write_flat_object(json, NULL);
    cn_write_text(json, "type", cn_scene_shape_type_name((int)shape->type));
    cn_write_integer(json, "body", body);
    write_vec3(json, "position", shape->local.position);
    write_quat(json, "rotation", shape->local.rotation);
    write_dimensions(json, shape);
    write_index(json, "material", (int)material.index - 1);
    cn_write_boolean(json, "sensor", shape->sensor);
    write_index(json, "mesh", mesh);
    cn_write_object_end(json);
}

static void write_shapes(Describer* describer) {
    const CnWorld* world = describer->world;
    CnJsonWriter* json = describer->json;
    cn_write_array(json, "shapes");
    for (int i = 0; i < world->order.count; ++i) {
        for (int slot = world->details.data[i].first_shape; slot >= 0;
             slot = cn_world_shape_at(world, slot)->next) {
            write_shape(describer, cn_world_shape_at(world, slot), i);
        }
    }
    cn_write_array_end(json);
    cn_write_array(json, "meshes");
    for (int i = 0; i < describer->counts.count; ++i) {
        cn_write_flat_object(json, NULL);
        cn_write_integer(json, "vertices", describer->counts.data[i].point_count);
        cn_write_integer(json, "triangles", describer->counts.data[i].triangle_count);
        cn_write_number(json, "offset", (double)describer->offsets.data[i]);
        cn_write_object_end(json);
    }
    cn_write_array_end(json);
}

// ---- joints ----

// Point and axis of a joint's frame, from the body's origin and not its centre of mass.
static void write_frame(Describer* describer, CnBodyId id, CnTransform frame, const char* point,
                        const char* axis) {
    int body = cn_world_body_index(describer->world, id);
    CnVec3 position = frame.position;
    if (body >= 0) {
        position = cn_vec3_add(position, describer->world->bodies.data[body].center);
    }
    write_vec3(describer->json, point, position);
    write_vec3(describer->json, axis, cn_quat_rotate(frame.rotation, cn_vec3(0.0, 0.0, 1.0)));
}

static void write_joints(Describer* describer) {
    const CnWorld* world = describer->world;
    CnJsonWriter* json = describer->json;
    cn_write_array(json, "joints");
    for (int i = 0; i < world->joint_order.count; ++i) {
        CnJointInfo info;
        cn_joint_info(world, world->joint_order.data[i], &info);
        cn_write_flat_object(json, NULL);
        cn_write_text(json, "name", info.name);
        cn_write_text(json, "type", cn_joint_type_name(info.type));
        cn_write_flat_array(json, "bodies");
        cn_write_integer(json, NULL, cn_world_body_index(world, info.body_a));
        cn_write_integer(json, NULL, cn_world_body_index(world, info.body_b));
        cn_write_array_end(json);
        cn_write_number(json, "length", info.length);
        write_frame(describer, info.body_a, info.frame_a, "point_a", "axis_a");
        write_frame(describer, info.body_b, info.frame_b, "point_b", "axis_b");
        cn_write_object_end(json);
    }
    cn_write_array_end(json);
}

CnStatus cn_recording_describe(const CnWorld* world, const CnRecorderDef* def, CnJsonWriter* head,
                               CnBytes* mesh, CnError* error) {
    Describer describer = {.world = world, .def = def, .json = head, .mesh = mesh};
    cn_map_init(&describer.meshes, &world->allocator);
    cn_write_object(head, NULL);
    write_settings(&describer);
    write_scalars(&describer);
    write_materials(&describer);
    write_bodies(&describer);
    write_shapes(&describer);
    write_joints(&describer);
    cn_write_object_end(head);
    cn_map_destroy(&describer.meshes);
    cn_array_free(&describer.counts, &world->allocator);
    cn_array_free(&describer.offsets, &world->allocator);
    if (describer.failed || head->failed || mesh->failed) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the head of a recording");
    }
    return CN_OK;
}
