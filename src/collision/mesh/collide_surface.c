// collide_surface.c - contact points of a mesh or height field with a convex shape.
#include "collision/mesh/collide_surface.h"

#include "collision/broad/bounds.h"
#include "collision/mesh/surface_points.h"
#include "collision/mesh/surface_search.h"

// A hidden contact this many times deeper than the shortest way out is real, not an artefact of a
// side. The corner of a cube that sinks in beside an edge is 1.7 times as deep as its shallowest
// direction.
#define AS_DEEP 2.0

typedef struct SurfaceContact {
    const CnShape* surface;
    CnPlacedShape convex;      // in the surface's frame
    CnBounds box;              // around it, grown by the margin
    CnCollideFunction* kernel; // contact points of one triangle alone with the convex
                               // shape; the caller drops those met from behind
    double margin;             // [m]
    const CnAllocator* allocator;
    CnSurfaceScratch* scratch;
    bool no_memory;
} SurfaceContact;

static double measure_overlap(const CnBounds* box, const void* query) {
    const SurfaceContact* meeting = query;
    return cn_bounds_overlap(box, &meeting->box) ? 0.0 : HUGE_VAL;
}

static double deepest(const CnManifoldPoint* points, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, points[i].gap);
    }
    return least;
}

static void add_points(SurfaceContact* meeting, const CnManifoldPoint* points, int count,
                       bool hidden, bool confirmed) {
    for (int i = 0; i < count && !meeting->no_memory; ++i) {
        CnSurfacePoint point = {points[i], hidden, confirmed, false};
        meeting->no_memory =
            !cn_array_push(&meeting->scratch->candidates, meeting->allocator, point);
    }
}

static void add_face_points(SurfaceContact* meeting, const CnTriangle* triangle, bool hidden,
                            double shortest) {
    CnManifoldPoint points[CN_TRIANGLE_POINTS];
    int count = cn_points_over_triangle(meeting->surface, triangle, meeting->convex,
                                        meeting->margin, points);
    bool confirmed = !hidden || deepest(points, count) >= AS_DEEP * fmin(shortest, 0.0);
    add_points(meeting, points, count, hidden, confirmed);
}

// Tests one triangle: whether the shape touches it, and in an allowed direction.
static double meet_triangle(const CnTriangle* triangle, double limit, void* query) {
    SurfaceContact* meeting = query;
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnTriangleShape storage;
    ++meeting->scratch->triangles;
    if (cn_triangle_reach(triangle, meeting->convex, 1.0) <= 0.0 ||
        cn_triangle_reach(triangle, meeting->convex, -1.0) > meeting->margin) {
        return limit; // all behind, or out of reach
    }
    CnPlacedShape placed = cn_triangle_place(triangle, &storage);
    int count = meeting->kernel(placed, meeting->convex, meeting->margin, points);
    if (count == 0) {
        return limit;
    }
    CnNormalRegion region = cn_triangle_normal_region(meeting->surface, triangle, points[0].normal);
    if (region == CN_NORMAL_RIDGE) {
        cn_points_name(triangle, points, count);
        add_points(meeting, points, count, false, true);
    } else {
        add_face_points(meeting, triangle, region == CN_NORMAL_HIDDEN, deepest(points, count));
    }
    return meeting->no_memory ? -HUGE_VAL : limit;
}

bool cn_collide_surface(CnPlacedShape surface, CnPlacedShape convex, CnCollideFunction* kernel,
                        double margin, const CnAllocator* allocator, CnSurfaceScratch* scratch,
                        CnManifoldPointArray* points) {
    SurfaceContact meeting = {
        .surface = surface.shape,
        .convex = cn_surface_view(surface.pose, convex),
        .kernel = kernel,
        .margin = margin,
        .allocator = allocator,
        .scratch = scratch,
    };
    scratch->candidates.count = 0;
    scratch->triangles = 0;
    meeting.box = cn_shape_bounds(meeting.convex, margin);
    cn_surface_search(surface.shape, measure_overlap, meet_triangle, 0.0, &meeting);
    return !meeting.no_memory && cn_surface_merge(surface.pose, convex.shape->extent,
                                                  &scratch->candidates, allocator, points);
}
