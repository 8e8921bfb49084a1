// sat_round_lanes.h - edges of any convex polyhedron that may part it from another, in rounds.
//
// The file that includes it says how many faces are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_set_lanes.h"

// Edges of a round: hulls that have sets of them have one.
#define ROUND (64 * CN_HULL_EDGE_SETS)

typedef struct EdgeSource {
    EdgeBounds bounds;
    int face, corner; // where the next round begins
    int count;        // of this round, 0: there are no more
    int edges[ROUND];
} EdgeSource;

CN_LANE_FUNCTION void add_set(EdgeSource* source, int first, uint64_t set) {
    for (; set != 0; set &= set - 1) {
        source->edges[source->count++] = first + __builtin_ctzll(set);
    }
}

// Faces that are looked at together, a bit each.
#define FACES 64

CN_LANE_FUNCTION uint64_t high_faces(const CnHull* hull, int first, EdgeBound bound) {
    Products along = all_normals(hull, bound.point);
    int left = hull->face_count - first, count = left < FACES ? left : FACES;
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        found |= (uint64_t)bits(are_high(hull, &along, first + i, bound.high)) << i;
    }
    return found;
}

// With the bits of high_faces().
CN_LANE_FUNCTION bool is_high(const CnHullFace* face, EdgeBound bound) {
    return cn_vec3_dot(bound.point, face->normal) - face->offset > bound.high;
}

// Leaves those edges in the sets that have a high face.
CN_LANE_FUNCTION void keep_edges_of_high_faces(const CnHull* hull, EdgeBound bound,
                                               uint64_t counting[CN_HULL_EDGE_SETS]) {
    uint64_t found[CN_HULL_EDGE_SETS] = {0};
    for (int first = 0; first < hull->face_count; first += FACES) {
        uint64_t high = high_faces(hull, first, bound);
        for (; high != 0; high &= high - 1) {
            int at = CN_HULL_EDGE_SETS * (first + __builtin_ctzll(high));
            for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
                found[i] |= hull->edge_sets[at + i];
            }
        }
    }
    for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
        counting[i] &= found[i];
    }
}

CN_LANE_FUNCTION void add_edges_of_sets(EdgeSource* source) {
    const EdgeBounds* bounds = &source->bounds;
    uint64_t counting[CN_HULL_EDGE_SETS];
    memset(counting, 0xff, sizeof counting);
    keep_edges_of_high_faces(bounds->hull, ball_bound(bounds), counting);
    for (int k = 0; k < bounds->witnesses->count; ++k) {
        keep_edges_of_high_faces(bounds->hull, witness_bound(bounds, k), counting);
    }
    for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
        add_set(source, 64 * i, counting[i]);
    }
}

// Whether an edge of a face that is high by the ball counts. One between two such faces is seen
// from the first of them.
CN_LANE_FUNCTION bool side_counts(const EdgeBounds* bounds, int face, const CnHullEdge* edge) {
    const CnHullFace* faces = bounds->hull->faces;
    int beyond = edge->left == face ? edge->right : edge->left;
    bool counts = beyond > face || !is_high(&faces[beyond], ball_bound(bounds));
    for (int k = 0; k < bounds->witnesses->count && counts; ++k) {
        EdgeBound bound = witness_bound(bounds, k);
        counts = is_high(&faces[edge->left], bound) || is_high(&faces[edge->right], bound);
    }
    return counts;
}

// False when the round is full; the next goes on there.
CN_LANE_FUNCTION bool add_sides(EdgeSource* source, int index) {
    const CnHull* hull = source->bounds.hull;
    const CnHullFace* face = &hull->faces[index];
    for (; source->corner < face->count; ++source->corner) {
        int side = hull->side[face->first + source->corner];
        if (source->count == ROUND) {
            source->face = index;
            return false;
        }
        if (side_counts(&source->bounds, index, &hull->edges[side])) {
            source->edges[source->count++] = side;
        }
    }
    source->corner = 0;
    return true;
}

// Hulls without sets, of more edges than those are kept for, are searched face by face.
static CN_LANE_TARGET void add_edges_of_faces(EdgeSource* source) {
    const CnHull* hull = source->bounds.hull;
    while (source->face < hull->face_count) {
        int first = source->face / FACES * FACES;
        uint64_t high = high_faces(hull, first, ball_bound(&source->bounds));
        high &= ~UINT64_C(0) << (source->face - first);
        for (; high != 0; high &= high - 1) {
            if (!add_sides(source, first + __builtin_ctzll(high))) {
                return;
            }
        }
        source->face = first + FACES;
    }
}

static CN_LANE_TARGET void first_round(EdgeSource* source, const CnFaceSearch* of, double limit) {
    source->bounds = edge_bounds(of, limit);
    source->face = source->corner = source->count = 0;
    if (of->hull->edge_sets == NULL) {
        add_edges_of_faces(source);
    } else if (has_one_set(of->hull)) {
        add_set(source, 0, counting_edges(source->bounds));
    } else {
        add_edges_of_sets(source);
    }
}

CN_LANE_FUNCTION void next_round(EdgeSource* source) {
    source->count = 0;
    if (source->bounds.hull->edge_sets == NULL) {
        add_edges_of_faces(source);
    }
}
