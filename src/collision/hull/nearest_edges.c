// nearest_edges.c - nearest points of the edges of two convex polyhedra.
#include "collision/hull/nearest_edges.h"

#include "geometry/hull/hull_search.h"

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
    return fmax(cn_vec3_dot(normal, segment.start), cn_vec3_dot(normal, segment.end));
}

static double lowest(CnSegment segment, CnVec3 normal) {
    return fmin(cn_vec3_dot(normal, segment.start), cn_vec3_dot(normal, segment.end));
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
    CnNearest best = {.distance = HUGE_VAL};
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
            if (bottom - highest(edge_a, axis->normal) >= limit) {
                continue;
            }
            CnNearest nearest = cn_closest_segments(edge_a, edge_b);
            if (nearest.distance < best.distance - round_off) {
                best = nearest;
                limit = fmin(limit, best.distance);
                edges[0] = i;
                edges[1] = j;
            }
        }
    }
    return best;
}
