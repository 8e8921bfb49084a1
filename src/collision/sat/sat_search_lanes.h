// sat_search_lanes.h - separating axes of two convex polyhedra: faces, then edges.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_edge_lanes.h"
#include "collision/sat/sat_face_lanes.h"

// Some ten products and sums on the way to a height, by either of two ways, and corners of a hull
// that are off its faces by some tens of units of round-off.
#define HEIGHT_ROUND_OFF (128.0 * DBL_EPSILON)

CN_LANE_FUNCTION double height_round_off(const CnHull* a, const CnHull* b, CnVec3 offset) {
    double between = fabs(offset.x) + fabs(offset.y) + fabs(offset.z);
    return HEIGHT_ROUND_OFF * (between + a->reach + b->reach);
}

// `most`: faces of no larger separation are not searched for [m].
CN_LANE_FUNCTION void start_search(CnFaceSearch* search, const CnHull* hull, const CnHull* other,
                                   const Placement* placement, double most) {
    search->hull = hull;
    search->other = other;
    search->best = -1;
    search->separation = -HUGE_VAL;
    search->most = most;
    search->witnesses.center = place(placement, other->center);
    search->witnesses.radius = other->inner;
    search->witnesses.count = 0;
}

CN_LANE_FUNCTION bool search_axes(const CnHull* a, const CnHull* b, const CnRelativePose seen[2],
                                  double margin, double tie, CnSatAxes* axes) {
    CnFaceSearch of_a, of_b;
    of_a.pose = of_b.back = &seen[0];
    of_b.pose = of_a.back = &seen[1];
    Placement b_in_a = placement_of(&of_a), a_in_b = placement_of(&of_b);
    of_a.margin = of_b.margin = margin;
    of_a.tie = of_b.tie = tie;
    of_a.round_off = of_b.round_off = height_round_off(a, b, seen[0].offset);
    start_search(&of_a, a, b, &b_in_a, -HUGE_VAL);
    if (!best_face(&of_a, &b_in_a)) {
        return false;
    }
    start_search(&of_b, b, a, &a_in_b, of_a.most);
    if (!best_face(&of_b, &a_in_b)) {
        return false;
    }
    axes->face_a = axes->face_b = cn_sat_no_axis;
    if (of_a.best >= 0) {
        CnVec3 normal = a->faces[of_a.best].normal;
        axes->face_a = (CnSatAxis){normal, of_a.separation, of_a.best, of_b.likely};
    }
    if (of_b.best >= 0) {
        CnVec3 normal = cn_vec3_negate(b->faces[of_b.best].normal);
        CnVec3 towards_b = vector_of(turned(&b_in_a.turn, normal));
        axes->face_b = (CnSatAxis){towards_b, of_b.separation, of_a.likely, of_b.best};
    }
    return best_edges(&of_a, &of_b, &b_in_a, axes);
}
