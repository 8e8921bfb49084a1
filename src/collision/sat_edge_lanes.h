// sat_edge_lanes.h - the pair of edges whose cross product parts two convex polyhedra best.
//
// The file that includes it says how many faces are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_side_lanes.h"

typedef struct EdgeSearch {
    const CnHull *a, *b;
    const CnRelativePose* pose;
    double margin, tie; // [m]
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

// docs/theory/sat.md (3): each arc's ends lie on either side of the other's plane, in the same half
// of the sphere. Normals of -B are those of B turned round.
CN_LANE_FUNCTION bool arcs_cross(const EdgeSearch* search, EdgePair* pair) {
    ArcEnds of_b = arc_ends(search->b, pair->b, pair->seen_a);
    if (!(of_b.left * of_b.right < 0.0)) {
        return false;
    }
    pair->along_b = cn_mat3_apply(&search->pose->turn, along(search->b, pair->b));
    ArcEnds of_a = arc_ends(search->a, pair->a, pair->along_b);
    pair->out = of_a.left; // (20)
    return of_a.left * of_a.right < 0.0 && of_b.left * of_a.right < 0.0;
}

CN_LANE_FUNCTION CnSatAxis edge_axis(const EdgeSearch* search, const EdgePair* pair) {
    CnVec3 a = pair->along_a, b = pair->along_b, across = cn_vec3_cross(a, b);
    double square = cn_vec3_dot(across, across);
    double lengths = cn_vec3_dot(a, a) * cn_vec3_dot(b, b);
    if (!(square > CN_PARALLEL * CN_PARALLEL * lengths)) {
        return cn_sat_no_axis;
    }
    CnVec3 start_a = search->a->vertices[search->a->edges[pair->a].from];
    CnVec3 start_b = search->b->vertices[search->b->edges[pair->b].from];
    CnVec3 apart = cn_vec3_sub(cn_relative_pose_place(search->pose, start_b), start_a);
    CnVec3 normal = cn_vec3_scale(copysign(1.0 / sqrt(square), pair->out), across);
    return (CnSatAxis){
        .normal = normal,
        .separation = cn_vec3_dot(normal, apart),
        .a = pair->a,
        .b = pair->b,
    };
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

// False as soon as edges show more than margin.
CN_LANE_FUNCTION bool try_rounds(EdgeSearch* search, const EdgeSource* of_a,
                                 const EdgeSource* of_b) {
    for (int i = 0; i < of_a->count; ++i) {
        EdgePair pair;
        pair.a = of_a->edges[i];
        pair.along_a = along(search->a, pair.a);
        pair.seen_a = cn_mat3_apply_transposed(&search->pose->turn, pair.along_a);
        for (int k = 0; k < of_b->count; ++k) {
            pair.b = of_b->edges[k];
            if (arcs_cross(search, &pair)) {
                CnSatAxis axis = edge_axis(search, &pair);
                if (axis.separation > search->margin) {
                    return false;
                }
                offer_axis(search, &axis);
            }
        }
    }
    return true;
}

static CN_LANE_TARGET bool best_edges(const CnFaceSearch* of_a, const CnFaceSearch* of_b,
                                      CnSatAxes* axes) {
    double a = axes->face_a.separation, b = axes->face_b.separation, tie = of_a->tie;
    double faces = b > a ? b : a, limit = faces + tie < 0.0 ? faces + tie : 0.0;
    EdgeSearch search = {
        .a = of_a->hull,
        .b = of_b->hull,
        .pose = of_a->pose,
        .margin = of_a->margin,
        .tie = tie,
        .best = &axes->edges,
        .most = faces, // only what is better counts
    };
    EdgeSource from_a, from_b;
    axes->edges = cn_sat_no_axis;
    first_round(&from_a, search.a, &of_a->witnesses, limit);
    for (; from_a.count > 0; next_round(&from_a)) {
        first_round(&from_b, search.b, &of_b->witnesses, limit);
        for (; from_b.count > 0; next_round(&from_b)) {
            if (!try_rounds(&search, &from_a, &from_b)) {
                return false;
            }
        }
    }
    return true;
}
