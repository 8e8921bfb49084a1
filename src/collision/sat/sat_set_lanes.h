// sat_set_lanes.h - edges of a convex polyhedron with at most 64 of them, as sets of bits.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_bound_lanes.h"

CN_LANE_FUNCTION bool has_one_set(const CnHull* hull) {
    return hull->edge_sets != NULL && cn_hull_edge_sets(hull->edge_count) == 1;
}

// The edges of those of several faces that a question is true of. The union over all faces has the
// edges with such a face, the sum (a bit twice is none) those with exactly one.
CN_LANE_FUNCTION CnLaneBits sets_of(const CnHull* hull, int first, CnLaneBits faces) {
    CnLaneBits sets;
    memcpy(&sets, hull->edge_sets + first, sizeof sets);
    return faces & sets;
}

CN_LANE_FUNCTION uint64_t union_of(CnLaneBits sets) {
#if CN_LANES == 4
    sets |= __builtin_shufflevector(sets, sets, 2, 3, 0, 1);
#endif
    return (uint64_t)(sets[0] | sets[1]);
}

CN_LANE_FUNCTION uint64_t sum_of(CnLaneBits sets) {
#if CN_LANES == 4
    sets ^= __builtin_shufflevector(sets, sets, 2, 3, 0, 1);
#endif
    return (uint64_t)(sets[0] ^ sets[1]);
}

CN_LANE_FUNCTION uint64_t edges_of_high_faces(const CnHull* hull, EdgeBound bound) {
    Products along = normals(hull, 0, bound.point);
    CnLaneBits found = {0};
    for (int i = 0; i < hull->face_count; i += CN_LANES) {
        found |= sets_of(hull, i, are_high(hull, &along, i, bound.high));
    }
    return union_of(found);
}

// By two bounds at once.
CN_LANE_FUNCTION uint64_t edges_of_high_faces_by_both(const CnHull* hull, EdgeBound one,
                                                      EdgeBound two) {
    Products along = normals(hull, 0, one.point), also = normals(hull, 0, two.point);
    CnLaneBits found = {0}, too = {0};
    for (int i = 0; i < hull->face_count; i += CN_LANES) {
        found |= sets_of(hull, i, are_high(hull, &along, i, one.high));
        too |= sets_of(hull, i, are_high(hull, &also, i, two.high));
    }
    return union_of(found) & union_of(too);
}

// Mostly there is one witness.
CN_LANE_FUNCTION uint64_t counting_edges(EdgeBounds bounds) {
    uint64_t counting =
        edges_of_high_faces_by_both(bounds.hull, ball_bound(&bounds), witness_bound(&bounds, 0));
    for (int k = 1; k < bounds.witnesses->count; ++k) {
        counting &= edges_of_high_faces(bounds.hull, witness_bound(&bounds, k));
    }
    return counting;
}

// Edges whose arcs have one end below the plane square to a direction.
CN_LANE_FUNCTION uint64_t straddling_edges(const CnHull* hull, CnVec3 direction) {
    Products along = normals(hull, 0, direction);
    CnLaneBits found = {0};
    for (int i = 0; i < hull->face_count; i += CN_LANES) {
        found ^= sets_of(hull, i, product(&along, i) < 0.0);
    }
    return sum_of(found);
}
