// sat_edge_lanes.h - the cross product of edges of the largest separation.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_edge_choice_lanes.h"
#include "collision/sat/sat_face_lanes.h"

typedef struct EdgeSearch {
    const CnHull *a, *b;
    const Placement* placement; // of B, as A sees it
    double margin, tie;         // [m]
    CnSatAxis* best;
    double most; // the largest separation of all: by less than tie more than that of best [m]
} EdgeSearch;

// An edge of A and one of B.
typedef struct EdgePair {
    int a, b;
    CnVec3 along_a; // from end to end, in A's axes [m]
    CnVec3 seen_a;  // the same in B's axes
    CnVec3 along_b; // in A's axes [m]
    double out;     // has the sign with which along_a x along_b leads out of A
} EdgePair;

CN_LANE_FUNCTION CnVec3 along(const CnHull* hull, int edge) {
    const CnHullEdge* ends = &hull->edges[edge];
    return cn_vec3_sub(hull->vertices[ends->to], hull->vertices[ends->from]);
}

// The arc of an edge on the Gauss map, from normal to normal of its faces: where its ends lie along
// a direction.
typedef struct ArcEnds {
    double left, right;
} ArcEnds;

CN_LANE_FUNCTION ArcEnds arc_ends(const CnHull* hull, int edge, CnVec3 direction) {
    const CnHullEdge* between = &hull->edges[edge];
    return (ArcEnds){cn_vec3_dot(hull->faces[between->left].normal, direction),
                     cn_vec3_dot(hull->faces[between->right].normal, direction)};
}

// As straddling_edges() has it.
CN_LANE_FUNCTION bool is_straddling(const CnHull* hull, int edge, CnVec3 direction) {
    ArcEnds ends = arc_ends(hull, edge, direction);
    return (ends.left < 0.0) != (ends.right < 0.0);
}

// docs/theory/collision/sat.md (3): each arc's ends lie on either side of the other's plane, in the
// same half of the sphere. Normals of -B are those of B turned round.
CN_LANE_FUNCTION bool arcs_cross(const EdgeSearch* search, EdgePair* pair) {
    pair->along_b = vector_of(turned(&search->placement->turn, along(search->b, pair->b)));
    ArcEnds of_b = arc_ends(search->b, pair->b, pair->seen_a);
    ArcEnds of_a = arc_ends(search->a, pair->a, pair->along_b);
    pair->out = of_a.left; // (20)
    return (of_b.left * of_b.right < 0.0) & (of_a.left * of_a.right < 0.0) &
           (of_b.left * of_a.right < 0.0);
}

// False if the edges are too near to parallel.
CN_LANE_FUNCTION bool find_axis(const EdgeSearch* search, const EdgePair* pair, CnSatAxis* axis) {
    CnVec3 a = pair->along_a, b = pair->along_b, across = cn_vec3_cross(a, b);
    double square = cn_vec3_dot(across, across);
    double lengths = cn_vec3_dot(a, a) * cn_vec3_dot(b, b);
    if (!(square > CN_PARALLEL_TOLERANCE * CN_PARALLEL_TOLERANCE * lengths)) {
        return false;
    }
    CnVec3 start_a = search->a->vertices[search->a->edges[pair->a].from];
    CnVec3 start_b = search->b->vertices[search->b->edges[pair->b].from];
    CnVec3 apart = cn_vec3_sub(place(search->placement, start_b), start_a);
    axis->normal = cn_vec3_scale(copysign(1.0 / sqrt(square), pair->out), across);
    axis->separation = cn_vec3_dot(axis->normal, apart);
    axis->a = pair->a;
    axis->b = pair->b;
    return true;
}

// Of equals the first is kept, by B's edge and then by A's, whatever the rounds.
CN_LANE_FUNCTION void offer_axis(EdgeSearch* search, const CnSatAxis* axis) {
    const CnSatAxis* best = search->best;
    bool is_first = axis->b < best->b || (axis->b == best->b && axis->a < best->a);
    if (axis->separation > search->most + search->tie ||
        (is_first && axis->separation >= search->most - search->tie)) {
        *search->best = *axis;
    }
    if (search->best->a >= 0) {
        search->most = axis->separation > search->most ? axis->separation : search->most;
    }
}

CN_LANE_FUNCTION void take_edge_of_a(const EdgeSearch* search, int edge, EdgePair* pair) {
    pair->a = edge;
    pair->along_a = along(search->a, edge);
    pair->seen_a = vector_of(turned(&search->placement->back, pair->along_a));
}

// False if the pair shows more than margin.
CN_LANE_FUNCTION bool try_edge_of_b(EdgeSearch* search, int edge, EdgePair* pair) {
    pair->b = edge;
    CnSatAxis axis;
    if (!arcs_cross(search, pair) || !find_axis(search, pair, &axis)) {
        return true;
    }
    offer_axis(search, &axis);
    return !(axis.separation > search->margin);
}

CN_LANE_FUNCTION bool try_sets(EdgeSearch* search, uint64_t of_a, uint64_t of_b) {
    EdgePair pair;
    for (; of_a != 0; of_a &= of_a - 1) {
        take_edge_of_a(search, __builtin_ctzll(of_a), &pair);
        uint64_t left = of_b;
        if ((left & (left - 1)) != 0) { // more than one
            left &= straddling_edges(search->b, pair.seen_a);
        }
        for (; left != 0; left &= left - 1) {
            if (!try_edge_of_b(search, __builtin_ctzll(left), &pair)) {
                return false;
            }
        }
    }
    return true;
}

CN_LANE_FUNCTION bool try_rounds(EdgeSearch* search, const EdgeSource* of_a,
                                 const EdgeSource* of_b) {
    EdgePair pair;
    for (int i = 0; i < of_a->count; ++i) {
        take_edge_of_a(search, of_a->edges[i], &pair);
        for (int k = 0; k < of_b->count; ++k) {
            if (is_straddling(search->b, of_b->edges[k], pair.seen_a) &&
                !try_edge_of_b(search, of_b->edges[k], &pair)) {
                return false;
            }
        }
    }
    return true;
}

// What edges have to beat: the best faces.
CN_LANE_FUNCTION EdgeSearch start_edges(const CnFaceSearch* of_a, const CnFaceSearch* of_b,
                                        const Placement* placement, CnSatAxes* axes) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    axes->edges = cn_sat_no_axis;
    return (EdgeSearch){
        .a = of_a->hull,
        .b = of_b->hull,
        .placement = placement,
        .margin = of_a->margin,
        .tie = of_a->tie,
        .best = &axes->edges,
        .most = b > a ? b : a,
    };
}

CN_LANE_FUNCTION double limit_of(const EdgeSearch* search) {
    double least = search->most + search->tie;
    return least < 0.0 ? least : 0.0;
}

static CN_LANE_TARGET bool best_in_rounds(const CnFaceSearch* of_a, const CnFaceSearch* of_b,
                                          const Placement* placement, CnSatAxes* axes) {
    EdgeSearch search = start_edges(of_a, of_b, placement, axes);
    double limit = limit_of(&search);
    EdgeSource from_a, from_b;
    for (first_round(&from_a, of_a, limit); from_a.count > 0; next_round(&from_a)) {
        for (first_round(&from_b, of_b, limit); from_b.count > 0; next_round(&from_b)) {
            if (!try_rounds(&search, &from_a, &from_b)) {
                return false;
            }
        }
    }
    return true;
}

static CN_LANE_TARGET bool best_edges(const CnFaceSearch* of_a, const CnFaceSearch* of_b,
                                      const Placement* placement, CnSatAxes* axes) {
    if (!has_one_set(of_a->hull) || !has_one_set(of_b->hull)) {
        return best_in_rounds(of_a, of_b, placement, axes);
    }
    EdgeSearch search = start_edges(of_a, of_b, placement, axes);
    double limit = limit_of(&search);
    uint64_t set = counting_edges(edge_bounds(of_a, limit));
    return set == 0 || try_sets(&search, set, counting_edges(edge_bounds(of_b, limit)));
}
