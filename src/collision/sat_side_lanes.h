// sat_side_lanes.h - which edges of a convex polyhedron may part it from another.
//
// The file that includes it says how many faces are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_functions.h"
#include "geometry/hull_lanes.h"

// What a point of the other hull says of edges, docs/theory/sat.md (8), or the ball about its
// centre, (13): those count that have a high face, one that the point is more than this above.
typedef struct EdgeBound {
    CnVec3 point; // [m]
    double high;  // [m]
} EdgeBound;

#define ROUND (64 * CN_HULL_EDGE_SETS) // as many edges as sets hold

// A search for edges of one hull that may part the two by more than limit <= 0: all bounds must say
// so. They come in rounds; hulls with sets of edges have one.
typedef struct EdgeSource {
    const CnHull* hull;
    const CnWitnesses* witnesses;
    double limit;     // [m]
    int face, corner; // where the next round begins
    int count;        // of this round, 0: there are no more
    int edges[ROUND];
} EdgeSource;

CN_LANE_FUNCTION EdgeBound ball_bound(const EdgeSource* source) {
    double most = source->limit + source->witnesses->radius;
    return (EdgeBound){source->witnesses->center,
                       most > 0.0 ? most * source->hull->sharpest : most};
}

CN_LANE_FUNCTION EdgeBound witness_bound(const EdgeSource* source, int k) {
    return (EdgeBound){source->witnesses->points[k], source->limit};
}

// Faces that are looked at together, a bit each.
#define FACES 64

CN_LANE_FUNCTION uint64_t high_faces(const CnHull* hull, int first, int count, EdgeBound bound) {
    const CnHullColumns* columns = &hull->columns;
    const double* offsets = columns->offset + first;
    Products along = products(columns->normal_x + first, columns->normal_y + first,
                              columns->normal_z + first, bound.point);
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        CnLanes height = product(&along, i) - cn_lanes_load(offsets + i);
        found |= (uint64_t)bits(height > cn_lanes(bound.high)) << i;
    }
    return found;
}

CN_LANE_FUNCTION uint64_t high_faces_from(const CnHull* hull, int first, EdgeBound bound) {
    int left = hull->face_count - first;
    return high_faces(hull, first, left < FACES ? left : FACES, bound);
}

// With the bits of high_faces().
CN_LANE_FUNCTION bool is_high(const CnHullFace* face, EdgeBound bound) {
    return cn_vec3_dot(bound.point, face->normal) - face->offset > bound.high;
}

CN_LANE_FUNCTION void add_set(EdgeSource* source, int first, uint64_t set) {
    for (; set != 0; set &= set - 1) {
        source->edges[source->count++] = first + __builtin_ctzll(set);
    }
}

// Edges with a high face, of a hull with one set of them: it has fewer than FACES.
CN_LANE_FUNCTION uint64_t edges_of_high_faces(const CnHull* hull, EdgeBound bound) {
    uint64_t high = high_faces(hull, 0, hull->face_count, bound), found = 0;
    for (; high != 0; high &= high - 1) {
        found |= hull->edge_sets[__builtin_ctzll(high)];
    }
    return found;
}

CN_LANE_FUNCTION void add_edges_of_one_set(EdgeSource* source) {
    uint64_t counting = edges_of_high_faces(source->hull, ball_bound(source));
    for (int k = 0; k < source->witnesses->count; ++k) {
        counting &= edges_of_high_faces(source->hull, witness_bound(source, k));
    }
    add_set(source, 0, counting);
}

// Leaves those edges in the sets that have a high face.
CN_LANE_FUNCTION void keep_edges_of_high_faces(const CnHull* hull, EdgeBound bound,
                                               uint64_t counting[CN_HULL_EDGE_SETS]) {
    uint64_t found[CN_HULL_EDGE_SETS] = {0};
    for (int first = 0; first < hull->face_count; first += FACES) {
        uint64_t high = high_faces_from(hull, first, bound);
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

static CN_LANE_TARGET void add_edges_of_sets(EdgeSource* source) {
    uint64_t counting[CN_HULL_EDGE_SETS];
    memset(counting, 0xff, sizeof counting);
    keep_edges_of_high_faces(source->hull, ball_bound(source), counting);
    for (int k = 0; k < source->witnesses->count; ++k) {
        keep_edges_of_high_faces(source->hull, witness_bound(source, k), counting);
    }
    for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
        add_set(source, 64 * i, counting[i]);
    }
}

// Whether an edge of a face that is high by the ball counts. One between two such faces is seen
// from the first of them.
CN_LANE_FUNCTION bool side_counts(const EdgeSource* source, int face, const CnHullEdge* edge) {
    const CnHullFace* faces = source->hull->faces;
    int beyond = edge->left == face ? edge->right : edge->left;
    bool counts = beyond > face || !is_high(&faces[beyond], ball_bound(source));
    for (int k = 0; k < source->witnesses->count && counts; ++k) {
        EdgeBound bound = witness_bound(source, k);
        counts = is_high(&faces[edge->left], bound) || is_high(&faces[edge->right], bound);
    }
    return counts;
}

// False when the round is full; the next goes on there.
CN_LANE_FUNCTION bool add_sides(EdgeSource* source, int index) {
    const CnHull* hull = source->hull;
    const CnHullFace* face = &hull->faces[index];
    for (; source->corner < face->count; ++source->corner) {
        int side = hull->side[face->first + source->corner];
        if (source->count == ROUND) {
            source->face = index;
            return false;
        }
        if (side_counts(source, index, &hull->edges[side])) {
            source->edges[source->count++] = side;
        }
    }
    source->corner = 0;
    return true;
}

// Hulls without sets, of more edges than those are kept for, are searched face by face.
static CN_LANE_TARGET void add_edges_of_faces(EdgeSource* source) {
    while (source->face < source->hull->face_count) {
        int first = source->face / FACES * FACES;
        uint64_t high = high_faces_from(source->hull, first, ball_bound(source));
        high &= ~UINT64_C(0) << (source->face - first);
        for (; high != 0; high &= high - 1) {
            if (!add_sides(source, first + __builtin_ctzll(high))) {
                return;
            }
        }
        source->face = first + FACES;
    }
}

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them: all edges count.
#define THIN 0.05

CN_LANE_FUNCTION void first_round(EdgeSource* source, const CnHull* hull,
                                  const CnWitnesses* witnesses, double limit) {
    source->hull = hull;
    source->witnesses = witnesses;
    source->limit = hull->sharpest < THIN ? -HUGE_VAL : limit;
    source->face = source->corner = source->count = 0;
    if (hull->edge_sets == NULL) {
        add_edges_of_faces(source);
    } else if (cn_hull_edge_sets(hull->edge_count) == 1) {
        add_edges_of_one_set(source);
    } else {
        add_edges_of_sets(source);
    }
}

CN_LANE_FUNCTION void next_round(EdgeSource* source) {
    source->count = 0;
    if (source->hull->edge_sets == NULL) {
        add_edges_of_faces(source);
    }
}
