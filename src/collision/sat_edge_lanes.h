// sat_edge_lanes.h - the pair of edges whose cross product parts two convex polyhedra best.
//
// The file that includes it says how many sides are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_side_lanes.h"

// An edge and the arc between the normals of its faces on the Gauss map.
typedef struct Arc {
    CnVec3 start;       // [m]
    CnVec3 along;       // the edge, from end to end [m]
    CnVec3 left, right; // unit
    int edge;
} Arc;

CN_LANE_FUNCTION Arc arc_of(const CnHull* hull, int index) {
    const CnHullEdge* edge = &hull->edges[index];
    CnVec3 start = hull->vertices[edge->from];
    return (Arc){
        .start = start,
        .along = cn_vec3_sub(hull->vertices[edge->to], start),
        .left = hull->faces[edge->left].normal,
        .right = hull->faces[edge->right].normal,
        .edge = index,
    };
}

// Of -B, given that of B in its own frame: its normals are turned round, its edges are not.
CN_LANE_FUNCTION Arc arc_of_difference(const Arc* arc, const CnRelativePose* pose) {
    return (Arc){
        .start = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, arc->start)),
        .along = cn_mat3_apply(&pose->turn, arc->along),
        .left = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc->left)),
        .right = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc->right)),
        .edge = arc->edge,
    };
}

// docs/theory/sat.md (3): each arc's ends lie on either side of the other's plane, in the same half
// of the sphere.
CN_LANE_FUNCTION bool arcs_cross(const Arc* a, const Arc* b) {
    double left = cn_vec3_dot(b->left, a->along), right = cn_vec3_dot(b->right, a->along);
    if (!(left * right < 0.0)) {
        return false;
    }
    double other_left = cn_vec3_dot(a->left, b->along);
    double other_right = cn_vec3_dot(a->right, b->along);
    return other_left * other_right < 0.0 && left * other_right > 0.0;
}

CN_LANE_FUNCTION CnSatAxis edge_axis(const Arc* a, const Arc* b) {
    CnVec3 across = cn_vec3_cross(a->along, b->along);
    double square = cn_vec3_dot(across, across);
    double lengths = cn_vec3_dot(a->along, a->along) * cn_vec3_dot(b->along, b->along);
    if (!(square > CN_PARALLEL * CN_PARALLEL * lengths)) {
        return cn_sat_no_axis;
    }
    // The axis lies on both arcs; their four ends say which way is out.
    CnVec3 out = cn_vec3_add(cn_vec3_add(a->left, a->right), cn_vec3_add(b->left, b->right));
    double sign = copysign(1.0 / sqrt(square), cn_vec3_dot(across, out));
    CnVec3 normal = cn_vec3_scale(sign, across);
    return (CnSatAxis){
        .normal = normal,
        .separation = cn_vec3_dot(normal, cn_vec3_sub(b->start, a->start)),
        .a = a->edge,
        .b = b->edge,
    };
}

// Edges of one hull that may part the two, one by one.
typedef struct EdgeSource {
    SideSearch search;
    bool is_thin;     // all edges count
    int face, corner; // where the next round begins; of all edges, face is the edge
} EdgeSource;

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them.
#define THIN 0.05

// By (13) the point is the centre of the ball if the hulls overlap by less than its radius, by (8)
// the first witness otherwise.
CN_LANE_FUNCTION EdgeSource edge_source(const CnHull* hull, const CnWitnesses* witnesses,
                                        double limit) {
    double most = limit + witnesses->radius;
    return (EdgeSource){
        .search = {.hull = hull,
                   .witnesses = witnesses,
                   .limit = limit,
                   .high = most > 0.0 ? most * hull->sharpest : limit,
                   .point = most > 0.0 ? witnesses->center : witnesses->points[0]},
        .is_thin = hull->sharpest < THIN || hull->columns.beyond_x == NULL,
    };
}

// Edges that are looked at together: enough that few hulls need more than one round.
#define ROUND SIDES_AT_ONCE

typedef struct Round {
    Arc arcs[ROUND];
    int count;
} Round;

// An edge between two high faces is seen from the first of them.
CN_LANE_FUNCTION bool is_seen_before(const SideSearch* search, const CnHullEdge* edge, int index) {
    int beyond = edge->left == index ? edge->right : edge->left;
    const CnHullFace* face = &search->hull->faces[beyond];
    return beyond < index && cn_vec3_dot(search->point, face->normal) - face->offset > search->high;
}

// Adds the edges of a high face, from a corner on. False when the round is full; the next goes on
// there.
CN_LANE_FUNCTION bool add_edges_of_face(EdgeSource* source, int index, Round* round) {
    const CnHull* hull = source->search.hull;
    const CnHullFace* face = &hull->faces[index];
    for (; source->corner < face->count; source->corner += ROUND) {
        uint64_t sides = counting_sides(&source->search, index, source->corner);
        if (round->count + __builtin_popcountll(sides) > ROUND) {
            source->face = index;
            return false;
        }
        for (; sides != 0; sides &= sides - 1) {
            int side = hull->side[face->first + source->corner + __builtin_ctzll(sides)];
            if (!is_seen_before(&source->search, &hull->edges[side], index)) {
                round->arcs[round->count++] = arc_of(hull, side);
            }
        }
    }
    source->corner = 0;
    return true;
}

CN_LANE_FUNCTION void add_all_edges(EdgeSource* source, Round* round) {
    const CnHull* hull = source->search.hull;
    while (source->face < hull->edge_count && round->count < ROUND) {
        round->arcs[round->count++] = arc_of(hull, source->face++);
    }
}

// The next round; empty when there are no more edges.
static CN_LANE_TARGET void gather(EdgeSource* source, Round* round) {
    const CnHull* hull = source->search.hull;
    round->count = 0;
    if (source->is_thin) {
        add_all_edges(source, round);
        return;
    }
    while (source->face < hull->face_count) {
        int first = source->face / SIDES_AT_ONCE * SIDES_AT_ONCE;
        uint64_t high = high_faces(&source->search, first);
        high &= ~UINT64_C(0) << (source->face - first);
        for (; high != 0; high &= high - 1) {
            if (!add_edges_of_face(source, first + __builtin_ctzll(high), round)) {
                return;
            }
        }
        source->face = first + SIDES_AT_ONCE;
    }
}

typedef struct EdgeSearch {
    double margin, tie; // [m]
    CnSatAxis best;
    double most; // the largest separation of all: by less than tie more than that of best [m]
} EdgeSearch;

// Of equals the first is kept, by B's edge and then by A's, whatever the rounds.
CN_LANE_FUNCTION void offer_axis(EdgeSearch* search, const CnSatAxis* axis) {
    const CnSatAxis* best = &search->best;
    bool is_first = axis->b < best->b || (axis->b == best->b && axis->a < best->a);
    if (axis->separation > search->most + search->tie ||
        (is_first && axis->separation >= search->most - search->tie)) {
        search->best = *axis;
    }
    if (search->best.a >= 0) {
        search->most = axis->separation > search->most ? axis->separation : search->most;
    }
}

CN_LANE_FUNCTION bool try_edge_of_b(const Round* round, const Arc* b, EdgeSearch* search) {
    for (int i = 0; i < round->count; ++i) {
        const Arc* a = &round->arcs[i];
        if (arcs_cross(a, b)) {
            CnSatAxis axis = edge_axis(a, b);
            if (axis.separation > search->margin) {
                return false;
            }
            offer_axis(search, &axis);
        }
    }
    return true;
}

// One round of A's edges with all of B's.
CN_LANE_FUNCTION bool try_round(const Round* round, EdgeSource of_b, const CnRelativePose* pose,
                                EdgeSearch* search) {
    Round other;
    for (gather(&of_b, &other); other.count > 0; gather(&of_b, &other)) {
        for (int i = 0; i < other.count; ++i) {
            Arc arc = arc_of_difference(&other.arcs[i], pose);
            if (!try_edge_of_b(round, &arc, search)) {
                return false;
            }
        }
    }
    return true;
}

static CN_LANE_TARGET bool best_edges(const CnFaceSearch* of_a, const CnFaceSearch* of_b,
                                      CnSatAxes* axes) {
    double a = axes->face_a.separation, b = axes->face_b.separation, tie = of_a->tie;
    double faces = b > a ? b : a, limit = faces + tie < 0.0 ? faces + tie : 0.0;
    EdgeSearch search = {of_a->margin, tie, cn_sat_no_axis, faces}; // only what is better counts
    EdgeSource from_a = edge_source(of_a->hull, &of_a->witnesses, limit);
    EdgeSource from_b = edge_source(of_b->hull, &of_b->witnesses, limit);
    Round round;
    for (gather(&from_a, &round); round.count > 0; gather(&from_a, &round)) {
        if (!try_round(&round, from_b, of_a->pose, &search)) {
            return false;
        }
    }
    axes->edges = search.best;
    return true;
}
