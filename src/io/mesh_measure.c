// mesh_measure.c - whether a surface is closed, and how much is inside.
#include "base/error.h"
#include "base/hash.h"
#include "io/mesh_file.h"

static uint64_t edge_key(int from, int to) {
    return (uint64_t)(uint32_t)from << 32u | (uint32_t)to;
}

// Maps each directed edge to its triangle.
static CnStatus map_edges(const CnTriangleSoup* soup, CnMap* edges, CnError* error) {
    for (int i = 0; i < soup->triangle_count; ++i) {
        const int* corner = soup->triangles[i].corner;
        for (int k = 0; k < 3; ++k) {
            int from = corner[k], to = corner[(k + 1) % 3];
            int other = cn_map_get(edges, edge_key(from, to));
            if (other >= 0) {
                CnVec3 a = soup->vertices[from], b = soup->vertices[to];
                return cn_error_set(error, CN_INVALID,
                                    "triangles %d and %d both run from (%g, %g, %g) to (%g, %g, "
                                    "%g); one of them is turned over, or more than two meet there",
                                    other, i, a.x, a.y, a.z, b.x, b.y, b.z);
            }
            if (!cn_map_set(edges, edge_key(from, to), i)) {
                return cn_error_set(error, CN_NO_MEMORY, "memory ran out for the edges of a mesh");
            }
        }
    }
    return CN_OK;
}

static CnStatus find_holes(const CnTriangleSoup* soup, const CnMap* edges, CnError* error) {
    for (int i = 0; i < soup->triangle_count; ++i) {
        const int* corner = soup->triangles[i].corner;
        for (int k = 0; k < 3; ++k) {
            int from = corner[k], to = corner[(k + 1) % 3];
            if (cn_map_get(edges, edge_key(to, from)) < 0) {
                CnVec3 a = soup->vertices[from], b = soup->vertices[to];
                return cn_error_set(error, CN_INVALID,
                                    "the surface has a hole: triangle %d has no neighbour along "
                                    "its edge from (%g, %g, %g) to (%g, %g, %g)",
                                    i, a.x, a.y, a.z, b.x, b.y, b.z);
            }
        }
    }
    return CN_OK;
}

CnStatus cn_mesh_check_closed(const CnTriangleSoup* soup, const CnAllocator* allocator,
                              CnError* error) {
    CnMap edges;
    cn_map_init(&edges, allocator);
    CnStatus status = map_edges(soup, &edges, error);
    if (status == CN_OK) {
        status = find_holes(soup, &edges, error);
    }
    cn_map_destroy(&edges);
    return status;
}

// Signed tetrahedra from one vertex to every triangle. Any point would do for a closed surface; one
// of its own keeps the terms as small as the surface, wherever the origin is.
static double signed_volume(const CnTriangleSoup* soup) {
    double volume = 0.0;
    for (int i = 0; i < soup->triangle_count; ++i) {
        const int* corner = soup->triangles[i].corner;
        CnVec3 a = cn_vec3_sub(soup->vertices[corner[0]], soup->vertices[0]);
        CnVec3 b = cn_vec3_sub(soup->vertices[corner[1]], soup->vertices[0]);
        CnVec3 c = cn_vec3_sub(soup->vertices[corner[2]], soup->vertices[0]);
        volume += cn_vec3_dot(a, cn_vec3_cross(b, c)) / 6.0;
    }
    return volume;
}

CnStatus cn_mesh_volume(const CnTriangleSoup* soup, const CnAllocator* allocator, double* volume,
                        CnError* error) {
    CnStatus status = cn_mesh_check_closed(soup, allocator, error);
    if (status != CN_OK) {
        return status;
    }
    *volume = signed_volume(soup);
    if (!(*volume > 0.0)) {
        return cn_error_set(error, CN_INVALID,
                            "the volume inside the surface is %g m^3; it must be positive: corners "
                            "run counter-clockwise seen from outside",
                            *volume);
    }
    return CN_OK;
}
