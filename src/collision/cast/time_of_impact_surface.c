// time_of_impact_surface.c - impacts on meshes and height fields, triangle by triangle.
//
// A ball that rolls on the floor of a mesh touches the mesh all the time. Only a test of each
// triangle tells that it runs into a wall of the same mesh.
#include "collision/broad/bounds.h"
#include "collision/cast/time_of_impact.h"
#include "collision/mesh/surface_search.h"
#include "collision/mesh/surface_triangle.h"

typedef struct ImpactSearch {
    const CnSweptShape *surface, *convex;
    CnPlacedShape start; // of the convex shape, in the surface's frame
    CnBounds way;        // bounds of its whole motion, in the surface's frame
    CnImpactLevels levels;
    CnImpactVisit* visit;
    void* data;
} ImpactSearch;

static double measure_overlap(const CnBounds* box, const void* query) {
    const ImpactSearch* search = query;
    return cn_bounds_overlap(box, &search->way) ? 0.0 : HUGE_VAL;
}

// A surface is hit from the front: a shape that starts behind a triangle may come out.
static double visit_triangle(const CnTriangle* triangle, double limit, void* query) {
    const ImpactSearch* search = query;
    if (cn_triangle_reach(triangle, search->start, 1.0) <= 0.0) {
        return limit;
    }
    CnTriangleShape storage;
    CnTransform own = cn_triangle_place(triangle, &storage).pose;
    CnTransform local = search->surface->shape->local;
    storage.shape.local = (CnTransform){cn_transform_point(local, own.position),
                                        cn_quat_multiply(local.rotation, own.rotation)};
    CnSweptShape swept = {&storage.shape, search->surface->sweep};
    CnImpactTime impact = cn_time_of_impact(&swept, search->convex, search->levels);
    if (impact.end != CN_IMPACT_NONE) {
        search->visit(&impact, search->data);
    }
    return limit;
}

static double arm_of(const CnShape* shape) {
    return cn_vec3_length(shape->local.position) + shape->extent;
}

// How far any point of the surface can move.
static double wandering(const CnSweptShape* surface) {
    double sum = 0.0;
    for (int i = 0; i < CN_SWEEP_LEGS; ++i) {
        const CnLeg* leg = &surface->sweep->legs[i];
        sum += cn_vec3_length(leg->move) + arm_of(surface->shape) * cn_vec3_length(leg->turn);
    }
    return sum;
}

// The balls about the body's centre at the ends of all legs; their box contains the positions in
// between.
static CnBounds way_of(const CnSweptShape* surface, const CnSweptShape* convex) {
    CnTransform frame = cn_shape_place(surface->shape, surface->sweep->legs[0].start).pose;
    double radius = arm_of(convex->shape) + wandering(surface);
    CnVec3 infinity = cn_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    CnBounds way = {infinity, cn_vec3_negate(infinity)};
    for (int i = 0; i <= 2 * CN_SWEEP_LEGS - 1; ++i) {
        const CnLeg* leg = &convex->sweep->legs[i / 2];
        CnVec3 p = cn_vec3_add_scaled(leg->start.position, i % 2, leg->move);
        p = cn_quat_unrotate(frame.rotation, cn_vec3_sub(p, frame.position));
        way.low = cn_vec3(fmin(way.low.x, p.x - radius), fmin(way.low.y, p.y - radius),
                          fmin(way.low.z, p.z - radius));
        way.high = cn_vec3(fmax(way.high.x, p.x + radius), fmax(way.high.y, p.y + radius),
                           fmax(way.high.z, p.z + radius));
    }
    return way;
}

static void visit_surface(const CnSweptShape* surface, const CnSweptShape* convex,
                          CnImpactLevels levels, CnImpactVisit* visit, void* data) {
    CnTransform frame = cn_shape_place(surface->shape, surface->sweep->legs[0].start).pose;
    ImpactSearch search = {
        .surface = surface,
        .convex = convex,
        .start =
            cn_surface_view(frame, cn_shape_place(convex->shape, convex->sweep->legs[0].start)),
        .way = way_of(surface, convex),
        .levels = levels,
        .visit = visit,
        .data = data,
    };
    cn_surface_search(surface->shape, measure_overlap, visit_triangle, 0.0, &search);
}

void cn_visit_impacts(const CnSweptShape* a, const CnSweptShape* b, CnImpactLevels levels,
                      CnImpactVisit* visit, void* data) {
    if (cn_shape_is_surface(a->shape)) {
        visit_surface(a, b, levels, visit, data);
        return;
    }
    if (cn_shape_is_surface(b->shape)) {
        visit_surface(b, a, levels, visit, data);
        return;
    }
    CnImpactTime impact = cn_time_of_impact(a, b, levels);
    if (impact.end != CN_IMPACT_NONE) {
        visit(&impact, data);
    }
}
