// mesh_measure.c - tests whether a surface is closed and convex, and computes its volume.
#include "base/error.h"
#include "base/hash.h"
#include "io/mesh/mesh_file.h"
#include <math.h>

// The largest apparent dent of a convex surface, relative to its size: single precision moves a
// corner by 2^-24 of its coordinates, and the plane through three such corners misses a fourth one
// by a few times that, more if the three are close to a line [-].
#define SMALLEST_DENT 0x1p-20

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

// Signed tetrahedra from one vertex to every triangle. Any reference point works for a closed
// surface; one of its own vertices keeps the terms as small as the surface, wherever the origin is.
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

// ---- convexity ----

static CnVec3 area_vector(const CnTriangleSoup* soup, int triangle) { // twice the area, outward
    const int* corner = soup->triangles[triangle].corner;
    CnVec3 a = soup->vertices[corner[0]];
    return cn_vec3_cross(cn_vec3_sub(soup->vertices[corner[1]], a),
                         cn_vec3_sub(soup->vertices[corner[2]], a));
}

// The longest edge of the box around the surface [m].
static double size_of(const CnTriangleSoup* soup) {
    CnVec3 low = soup->vertices[0], high = low;
    for (int i = 1; i < soup->vertex_count; ++i) {
        CnVec3 v = soup->vertices[i];
        low = cn_vec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = cn_vec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

// The height above this triangle of the neighbour's corner that is not on the common edge [m]. Of
// the two heights over each other, the one over the larger triangle is used: the plane of a sliver
// has no reliable normal.
static double dent_between(const CnTriangleSoup* soup, int triangle, int neighbour, int from,
                           int to) {
    const int* other = soup->triangles[neighbour].corner;
    int tip = other[0];
    for (int k = 1; k < 3 && (tip == from || tip == to); ++k) {
        tip = other[k];
    }
    CnVec3 normal = area_vector(soup, triangle);
    double larger = fmax(cn_vec3_length(normal), cn_vec3_length(area_vector(soup, neighbour)));
    double volume = cn_vec3_dot(normal, cn_vec3_sub(soup->vertices[tip], soup->vertices[from]));
    return larger > 0.0 ? volume / larger : 0.0;
}

// Reports the deepest dent that is deeper than `smallest` [m].
static CnStatus find_dents(const CnTriangleSoup* soup, const CnMap* edges, double smallest,
                           CnError* error) {
    double deepest = smallest;
    int dented_from = -1, dented_to = -1;
    for (int i = 0; i < soup->triangle_count; ++i) {
        const int* corner = soup->triangles[i].corner;
        for (int k = 0; k < 3; ++k) {
            int from = corner[k], to = corner[(k + 1) % 3];
            int neighbour = cn_map_get(edges, edge_key(to, from));
            double depth = dent_between(soup, i, neighbour, from, to);
            if (depth > deepest) {
                deepest = depth;
                dented_from = from;
                dented_to = to;
            }
        }
    }
    if (dented_from < 0) {
        return CN_OK;
    }
    CnVec3 a = soup->vertices[dented_from], b = soup->vertices[dented_to];
    return cn_error_set(error, CN_INVALID,
                        "the surface is not convex: it is dented by %g m along the edge from (%g, "
                        "%g, %g) to (%g, %g, %g)",
                        deepest, a.x, a.y, a.z, b.x, b.y, b.z);
}

// Edges without dents are not enough: two separate bodies have none, nor has a hollow so finely
// divided that each of its edges is nearly flat. In both cases volume is missing.
static CnStatus compare_volumes(const CnTriangleSoup* soup, double volume, double hull_volume,
                                double smallest, CnError* error) {
    double area = 0.0;
    for (int i = 0; i < soup->triangle_count; ++i) {
        area += 0.5 * cn_vec3_length(area_vector(soup, i));
    }
    if (fabs(hull_volume - volume) > smallest * area) {
        return cn_error_set(error, CN_INVALID,
                            "the surface is not convex: %g m^3 are inside it and %g m^3 inside its "
                            "hull",
                            volume, hull_volume);
    }
    return CN_OK;
}

CnStatus cn_mesh_check_convex(const CnTriangleSoup* soup, double hull_volume,
                              const CnAllocator* allocator, CnError* error) {
    double volume, smallest = SMALLEST_DENT * size_of(soup);
    CnMap edges;
    CnStatus status = cn_mesh_volume(soup, allocator, &volume, error);
    if (status != CN_OK) {
        return status;
    }
    cn_map_init(&edges, allocator);
    status = map_edges(soup, &edges, error);
    if (status == CN_OK) {
        status = find_dents(soup, &edges, smallest, error);
    }
    cn_map_destroy(&edges);
    return status == CN_OK ? compare_volumes(soup, volume, hull_volume, smallest, error) : status;
}
