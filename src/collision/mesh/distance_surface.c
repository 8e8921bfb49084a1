// distance_surface.c - the signed distance of a surface and a convex shape.
#include "collision/broad/bounds.h"
#include "collision/convex/distance.h"
#include "collision/mesh/surface_search.h"
#include "collision/mesh/surface_triangle.h"

// The least distance of two boxes is rounded. It may be too large by this, relative to itself.
#define SLACK 1e-12

typedef struct NearestTriangleSearch {
    const CnShape* surface;
    CnPlacedShape convex; // in the surface's frame
    CnBounds box;         // around it
    CnNearest nearest;    // of triangles that are apart or are touched from the front
    CnNearest hidden;     // of overlaps that a neighbour covers: the least deep
} NearestTriangleSearch;

static double apart(double low, double high, double other_low, double other_high) {
    return fmax(0.0, fmax(other_low - high, low - other_high));
}

static double measure_distance(const CnBounds* box, const void* query) {
    const NearestTriangleSearch* search = query;
    const CnBounds* own = &search->box;
    CnVec3 across = cn_vec3(apart(box->low.x, box->high.x, own->low.x, own->high.x),
                            apart(box->low.y, box->high.y, own->low.y, own->high.y),
                            apart(box->low.z, box->high.z, own->low.z, own->high.z));
    return (1.0 - SLACK) * cn_vec3_length(across);
}

// The distance from the lowest point of the shape down to the triangle's plane.
static CnNearest nearest_of_face(const CnTriangle* triangle, CnPlacedShape convex,
                                 const CnNearest* nearest) {
    double depth = cn_triangle_reach(triangle, convex, -1.0);
    CnVec3 on_b = cn_vec3_add_scaled(nearest->point_a, depth, triangle->normal);
    return (CnNearest){nearest->point_a, on_b, triangle->normal, depth};
}

static double visit(const CnTriangle* triangle, double limit, void* query) {
    NearestTriangleSearch* search = query;
    CnTriangleShape storage;
    CnNearest nearest = cn_nearest(cn_triangle_place(triangle, &storage), search->convex);
    bool is_hidden =
        nearest.distance <= 0.0 &&
        cn_triangle_normal_region(search->surface, triangle, nearest.normal) == CN_NORMAL_HIDDEN;
    if (!is_hidden && nearest.distance < search->nearest.distance) {
        search->nearest = nearest;
    } else if (is_hidden && cn_triangle_reach(triangle, search->convex, 1.0) > 0.0) {
        CnNearest face = nearest_of_face(triangle, search->convex, &nearest);
        search->hidden = face.distance > search->hidden.distance ? face : search->hidden;
        return 0.0;
    }
    return fmin(limit, fmax(0.0, search->nearest.distance));
}

CnNearest cn_nearest_of_surface(CnPlacedShape surface, CnPlacedShape convex) {
    CnTransform pose = surface.pose;
    NearestTriangleSearch search = {
        .surface = surface.shape,
        .convex = cn_surface_view(pose, convex),
        .nearest.distance = HUGE_VAL,
        .hidden.distance = -HUGE_VAL,
    };
    search.box = cn_shape_bounds(search.convex, 0.0);
    cn_surface_search(surface.shape, measure_distance, visit, HUGE_VAL, &search);
    bool is_hidden = search.nearest.distance > 0.0 && search.hidden.distance > -HUGE_VAL;
    CnNearest nearest = is_hidden ? search.hidden : search.nearest;
    return (CnNearest){
        cn_transform_point(pose, nearest.point_a),
        cn_transform_point(pose, nearest.point_b),
        cn_quat_rotate(pose.rotation, nearest.normal),
        nearest.distance,
    };
}
