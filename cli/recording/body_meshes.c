// body_meshes.c - the bodies of a recording as triangles, for files of other programs.
#include "recording/body_meshes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDES 32             // of the polygon that stands for a circle
#define PLANE_HALF_SIZE 20.0 // of the square that stands for a plane [m]

static bool fail_memory(CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for the shapes of the recording");
    return false;
}

// Room for more points and triangles at the end of a mesh.
static bool grow(BodyMesh* mesh, int points, int triangles) {
    size_t point_count = (size_t)mesh->point_count + (size_t)points;
    size_t triangle_count = (size_t)mesh->triangle_count + (size_t)triangles;
    float(*more)[3] = realloc(mesh->points, (point_count + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    mesh->points = more;
    uint32_t(*corners)[3] = realloc(mesh->triangles, (triangle_count + 1) * sizeof *corners);
    if (corners == NULL) {
        return false;
    }
    mesh->triangles = corners;
    return true;
}

static void put_point(BodyMesh* mesh, CnVec3 point) {
    float* to = mesh->points[mesh->point_count++];
    to[0] = (float)point.x;
    to[1] = (float)point.y;
    to[2] = (float)point.z;
}

// Hulls, meshes and height fields: as they were recorded, in their place.
static bool add_recorded(BodyMesh* mesh, const CnRecordedShape* shape, const CnRecordedMesh* from) {
    uint32_t first = (uint32_t)mesh->point_count;
    if (!grow(mesh, from->point_count, from->triangle_count)) {
        return false;
    }
    for (int i = 0; i < from->point_count; ++i) {
        CnVec3 point = cn_vec3((double)from->points[i][0], (double)from->points[i][1],
                               (double)from->points[i][2]);
        put_point(mesh, cn_transform_point(shape->pose, point));
    }
    for (int i = 0; i < from->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[mesh->triangle_count][k] = first + from->triangles[i][k];
        }
        mesh->triangle_count += 1;
    }
    return true;
}

static bool add_triangles(BodyMesh* mesh, const CnTriangles* from) {
    uint32_t first = (uint32_t)mesh->point_count;
    if (!grow(mesh, from->point_count, from->triangle_count)) {
        return false;
    }
    for (int i = 0; i < from->point_count; ++i) {
        put_point(mesh, from->points[i]);
    }
    for (int i = 0; i < from->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[mesh->triangle_count][k] = first + (uint32_t)from->triangles[i][k];
        }
        mesh->triangle_count += 1;
    }
    return true;
}

// Spheres, boxes and the like: the library triangulates a shape of a world, so the shape gets one.
static bool add_simple(BodyMesh* mesh, const CnRecordedShape* shape, CnError* error) {
    CnWorldDef world_def = cn_world_def_default();
    CnShapeDef def = cn_shape_def_default(shape->type);
    CnBodyDef body = cn_body_def_default();
    def.position = shape->pose.position;
    def.rotation = shape->pose.rotation;
    def.radius = shape->radius;
    def.length = shape->length;
    def.size = shape->size;
    if (shape->type == CN_SHAPE_PLANE) {
        def.normal = shape->normal;
    }
    body.type = CN_BODY_STATIC;
    body.shapes = &def;
    body.shape_count = 1;
    CnWorld* world = cn_world_create(&world_def, error);
    CnBodyId id = world == NULL ? (CnBodyId){0} : cn_world_add_body(world, &body, error);
    CnShapeId own = {0};
    CnTriangles all = {0};
    bool ok = id.index != 0 && cn_body_shapes(world, id, &own, 1) == 1 &&
              cn_shape_triangles(world, own, SIDES, PLANE_HALF_SIZE, &all, error) == CN_OK;
    if (ok) {
        all.points = malloc((size_t)all.point_count * sizeof *all.points + 1);
        all.triangles = malloc((size_t)all.triangle_count * sizeof *all.triangles + 1);
        all.point_capacity = all.point_count;
        all.triangle_capacity = all.triangle_count;
        ok = all.points != NULL && all.triangles != NULL;
        ok = (ok && cn_shape_triangles(world, own, SIDES, PLANE_HALF_SIZE, &all, error) == CN_OK &&
              add_triangles(mesh, &all)) ||
             fail_memory(error);
    }
    free(all.points);
    free(all.triangles);
    cn_world_destroy(world);
    return ok;
}

static bool make_mesh(BodyMesh* mesh, const CnRecordingInfo* info, const CnRecordedBody* body,
                      CnError* error) {
    bool ok = true;
    for (int i = 0; i < body->shape_count && ok; ++i) {
        const CnRecordedShape* shape = &info->shapes[body->shapes[i]];
        if (shape->sensor) {
            continue;
        }
        if (shape->mesh >= 0) {
            ok = add_recorded(mesh, shape, &info->meshes[shape->mesh]) || fail_memory(error);
        } else {
            ok = add_simple(mesh, shape, error);
        }
    }
    return ok;
}

static bool are_shapes_alike(const CnRecordedShape* a, const CnRecordedShape* b) {
    return a->type == b->type && a->mesh == b->mesh && a->sensor == b->sensor &&
           a->radius == b->radius && a->length == b->length &&
           memcmp(&a->size, &b->size, sizeof a->size) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->pose, &b->pose, sizeof a->pose) == 0;
}

static bool are_bodies_alike(const CnRecordingInfo* info, int a, int b) {
    const CnRecordedBody *first = &info->bodies[a], *second = &info->bodies[b];
    bool alike = first->shape_count == second->shape_count;
    for (int i = 0; alike && i < first->shape_count; ++i) {
        alike = are_shapes_alike(&info->shapes[first->shapes[i]], &info->shapes[second->shapes[i]]);
    }
    return alike;
}

// An earlier body that looks the same, -1: none. Scenes have few kinds of bodies: one body of each
// mesh is compared.
static int find_alike(const BodyMeshes* all, const CnRecordingInfo* info, const int* first_of,
                      int body) {
    for (int i = 0; i < all->count; ++i) {
        if (are_bodies_alike(info, first_of[i], body)) {
            return i;
        }
    }
    return -1;
}

static bool make_all(BodyMeshes* all, const CnRecordingInfo* info, int* first_of, CnError* error) {
    for (int i = 0; i < info->body_count; ++i) {
        int alike = find_alike(all, info, first_of, i);
        if (alike < 0) {
            alike = all->count++;
            first_of[alike] = i;
            if (!make_mesh(&all->meshes[alike], info, &info->bodies[i], error)) {
                return false;
            }
        }
        all->of_body[i] = all->meshes[alike].triangle_count > 0 ? alike : -1;
    }
    return true;
}

bool body_meshes_make(BodyMeshes* all, const CnRecordingInfo* info, CnError* error) {
    size_t count = (size_t)info->body_count;
    *all = (BodyMeshes){.meshes = calloc(count + 1, sizeof *all->meshes),
                        .of_body = calloc(count + 1, sizeof *all->of_body)};
    int* first_of = calloc(count + 1, sizeof *first_of);
    bool ok = all->meshes != NULL && all->of_body != NULL && first_of != NULL;
    ok = ok ? make_all(all, info, first_of, error) : fail_memory(error);
    free(first_of);
    return ok;
}

void body_meshes_free(BodyMeshes* all) {
    for (int i = 0; i < all->count; ++i) {
        free(all->meshes[i].points);
        free(all->meshes[i].triangles);
    }
    free(all->meshes);
    free(all->of_body);
    *all = (BodyMeshes){0};
}
