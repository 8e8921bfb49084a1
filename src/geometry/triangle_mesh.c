// triangle_mesh.c - triangles that share sides, and a tree to find them.
#include "geometry/triangle_mesh.h"

#include "base/error.h"
#include "base/hash.h"
#include <float.h>
#include <string.h>

#define LEAF_TRIANGLES 4

// A side's other triangle: none so far, or more of them than a surface can have.
#define OPEN (-1)
#define TORN (-2)

static CnVec3 area_vector(CnVec3 a, CnVec3 b, CnVec3 c) {
    return cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a));
}

bool cn_triangle_is_flat(CnVec3 a, CnVec3 b, CnVec3 c) {
    CnVec3 ab = cn_vec3_sub(b, a), ac = cn_vec3_sub(c, a), bc = cn_vec3_sub(c, b);
    double longest = fmax(cn_vec3_dot(ab, ab), fmax(cn_vec3_dot(ac, ac), cn_vec3_dot(bc, bc)));
    return !(cn_vec3_length(cn_vec3_cross(ab, ac)) > 4.0 * DBL_EPSILON * longest);
}

static bool same_place(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The first point at the same place, for every point. Adding zero makes one of the two zeros.
static bool join_points(const CnTriangleMesh* mesh, CnMap* map, int* joined) {
    for (int i = 0; i < mesh->point_count; ++i) {
        CnVec3 p = mesh->points[i];
        double place[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
        uint64_t key = cn_hash_bytes(CN_HASH_SEED, place, sizeof place);
        int known = cn_map_get(map, key);
        joined[i] = known >= 0 && same_place(p, mesh->points[known]) ? known : i;
        if (known < 0 && !cn_map_set(map, key, i)) {
            return false;
        }
    }
    return true;
}

static int* other_side(CnTriangleMesh* mesh, int side) {
    return &mesh->neighbours[side / 3][side % 3];
}

static int start_of(const CnTriangleMesh* mesh, const int* joined, int side) {
    return joined[mesh->triangles[side / 3][side % 3]];
}

// The second triangle at a side is the neighbour of the first if it runs along it the other way.
static void join_side(CnTriangleMesh* mesh, const int* joined, int first, int side) {
    int* of_first = other_side(mesh, first);
    bool opposed = start_of(mesh, joined, first) != start_of(mesh, joined, side);
    if (*of_first == OPEN && opposed) {
        *of_first = side;
        *other_side(mesh, side) = first;
        return;
    }
    if (*of_first >= 0) {
        *other_side(mesh, *of_first) = TORN;
    }
    *of_first = TORN;
    *other_side(mesh, side) = TORN;
}

static bool join_triangles(CnTriangleMesh* mesh, CnMap* map, const int* joined) {
    int side_count = 3 * mesh->triangle_count;
    memset(mesh->neighbours, 0xff, (size_t)mesh->triangle_count * sizeof *mesh->neighbours);
    for (int side = 0; side < side_count; ++side) {
        int from = start_of(mesh, joined, side);
        int to = joined[mesh->triangles[side / 3][(side + 1) % 3]];
        uint64_t low = (uint64_t)(from < to ? from : to);
        uint64_t key = low << 32 | (uint64_t)(from < to ? to : from);
        int first = cn_map_get(map, key);
        if (first >= 0) {
            join_side(mesh, joined, first, side);
        } else if (!cn_map_set(map, key, side)) {
            return false;
        }
    }
    for (int side = 0; side < side_count; ++side) {
        int* other = other_side(mesh, side);
        *other = *other == TORN ? -1 : *other;
    }
    return true;
}

static bool find_neighbours(CnTriangleMesh* mesh, const CnAllocator* allocator) {
    CnMap places, sides;
    int* joined = cn_allocate(allocator, (size_t)mesh->point_count, sizeof *joined);
    cn_map_init(&places, allocator);
    cn_map_init(&sides, allocator);
    bool done = joined != NULL && join_points(mesh, &places, joined) &&
                join_triangles(mesh, &sides, joined);
    cn_map_destroy(&places);
    cn_map_destroy(&sides);
    cn_release(allocator, joined);
    return done;
}

static bool plant_tree(CnTriangleMesh* mesh, const CnAllocator* allocator) {
    CnBounds* boxes = cn_allocate(allocator, (size_t)mesh->triangle_count, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* corner = mesh->triangles[i];
        CnVec3 points[3] = {mesh->points[corner[0]], mesh->points[corner[1]],
                            mesh->points[corner[2]]};
        boxes[i] = cn_bounds_of_triangle(points);
        mesh->normals[i] = cn_vec3_normalize(area_vector(points[0], points[1], points[2]));
        for (int k = 0; k < 3; ++k) {
            mesh->extent = fmax(mesh->extent, cn_vec3_length(points[k]));
        }
    }
    bool done =
        cn_box_tree_build(&mesh->tree, boxes, mesh->triangle_count, LEAF_TRIANGLES, allocator);
    cn_release(allocator, boxes);
    return done;
}

static bool copy_input(CnTriangleMesh* mesh, const CnVec3* points, const int (*triangles)[3],
                       const CnAllocator* allocator) {
    size_t point_count = (size_t)mesh->point_count, triangle_count = (size_t)mesh->triangle_count;
    mesh->points = cn_allocate(allocator, point_count, sizeof *mesh->points);
    mesh->triangles = cn_allocate(allocator, triangle_count, sizeof *mesh->triangles);
    mesh->neighbours = cn_allocate(allocator, triangle_count, sizeof *mesh->neighbours);
    mesh->normals = cn_allocate(allocator, triangle_count, sizeof *mesh->normals);
    if (mesh->points == NULL || mesh->triangles == NULL || mesh->neighbours == NULL ||
        mesh->normals == NULL) {
        return false;
    }
    memcpy(mesh->points, points, point_count * sizeof *points);
    memcpy(mesh->triangles, triangles, triangle_count * sizeof *triangles);
    return true;
}

CnStatus cn_triangle_mesh_build(const CnVec3* points, int point_count, const int (*triangles)[3],
                                int triangle_count, const CnAllocator* allocator,
                                CnTriangleMesh** mesh, CnError* error) {
    CnTriangleMesh* built = cn_allocate(allocator, 1, sizeof *built);
    *mesh = NULL;
    if (built != NULL) {
        built->point_count = point_count;
        built->triangle_count = triangle_count;
    }
    if (built == NULL || !copy_input(built, points, triangles, allocator) ||
        !find_neighbours(built, allocator) || !plant_tree(built, allocator)) {
        cn_triangle_mesh_free(built, allocator);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a mesh of %d triangles",
                            triangle_count);
    }
    *mesh = built;
    return CN_OK;
}

void cn_triangle_mesh_free(CnTriangleMesh* mesh, const CnAllocator* allocator) {
    if (mesh == NULL) {
        return;
    }
    cn_box_tree_free(&mesh->tree, allocator);
    cn_release(allocator, mesh->points);
    cn_release(allocator, mesh->triangles);
    cn_release(allocator, mesh->neighbours);
    cn_release(allocator, mesh->normals);
    cn_release(allocator, mesh);
}
