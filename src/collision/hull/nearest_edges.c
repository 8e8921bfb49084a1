// nearest_edges.c - nearest points of the edges of two convex polyhedra.
#include "collision/hull/nearest_edges.h"

#include "geometry/hull/hull_search.h"
#include "math/order.h"

CnSegment cn_hull_edge(const CnHull* hull, int edge, const CnRelativePose* pose) {
    CnSegment segment = {hull->vertices[hull->edges[edge].from],
                         hull->vertices[hull->edges[edge].to]};
    if (pose != NULL) {
        segment.start = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, segment.start));
        segment.end = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, segment.end));
    }
    return segment;
}

static double highest(CnSegment segment, CnVec3 normal) {
    return cn_larger(cn_vec3_dot(normal, segment.start), cn_vec3_dot(normal, segment.end));
}

static double lowest(CnSegment segment, CnVec3 normal) {
    return cn_smaller(cn_vec3_dot(normal, segment.start), cn_vec3_dot(normal, segment.end));
}

// Between numbers of a and b along one axis, or less than 0.
static double gap_along(double a0, double a1, double b0, double b1) {
    return cn_larger(cn_smaller(b0, b1) - cn_larger(a0, a1),
                     cn_smaller(a0, a1) - cn_larger(b0, b1));
}

// The square of the distance between the boxes around two segments.
static double square_between(CnSegment a, CnSegment b) {
    double x = cn_larger(gap_along(a.start.x, a.end.x, b.start.x, b.end.x), 0.0);
    double y = cn_larger(gap_along(a.start.y, a.end.y, b.start.y, b.end.y), 0.0);
    double z = cn_larger(gap_along(a.start.z, a.end.z, b.start.z, b.end.z), 0.0);
    return x * x + y * y + z * z;
}

// Edges that share the nearest corner are as near but for round-off; what is nearer by less than
// this fraction of the reach does not take turns with it.
#define AS_NEAR 1e-13

// No coordinate of either hull is larger, and so is no round-off of a distance than some units of
// this, however near the edges come [m].
static double reach_of(const CnHull* a, const CnHull* b, const CnRelativePose* pose) {
    return a->reach + cn_vec3_length(pose->offset) + b->reach;
}

CnNearest cn_nearest_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                           const CnSatAxis* axis, double within, int edges[2]) {
    double least = HUGE_VAL; // distance so far
    int highest_vertex;
    double top = -cn_hull_lowest(a, cn_vec3_negate(axis->normal), &highest_vertex);
    double round_off = AS_NEAR * reach_of(a, b, pose);
    double limit = within + 2.0 * round_off; // what is as near as `within` may seem to be farther

    edges[0] = edges[1] = -1;
    for (int j = 0; j < b->edge_count; ++j) {
        CnSegment edge_b = cn_hull_edge(b, j, pose);
        double bottom = lowest(edge_b, axis->normal);
        if (bottom - top >= limit) {
            continue;
        }
        for (int i = 0; i < a->edge_count; ++i) {
            CnSegment edge_a = cn_hull_edge(a, i, NULL);
            if (bottom - highest(edge_a, axis->normal) >= limit ||
                square_between(edge_a, edge_b) > least * least) {
                continue;
            }
            double distance = cn_segment_distance(edge_a, edge_b);
            if (distance < least - round_off) {
                least = distance;
                limit = cn_smaller(limit, least);
                edges[0] = i;
                edges[1] = j;
            }
        }
    }
    if (edges[0] < 0) {
        return (CnNearest){.distance = HUGE_VAL};
    }
    return cn_closest_segments(cn_hull_edge(a, edges[0], NULL), cn_hull_edge(b, edges[1], pose));
}
