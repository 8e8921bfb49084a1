// sat_round_lanes.h - edges of any convex polyhedron that may part it from another, in rounds.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_set_lanes.h"

// Edges of a round: hulls that have sets of them have one.
#define ROUND (64 * CN_HULL_EDGE_SETS)

typedef struct EdgeSource {
    EdgeBounds bounds;
    int face, corner; // where the next round begins
    int count;        // of this round, 0: there are no more
    int edges[ROUND];
} EdgeSource;

CN_LANE_FUNCTION void add_set(EdgeSource* source, uint64_t set) {
    for (; set != 0; set &= set - 1) {
        source->edges[source->count++] = __builtin_ctzll(set);
    }
}

CN_LANE_FUNCTION uint64_t high_faces(const CnHull* hull, int first, EdgeBound bound) {
    Products along = normals(hull, 0, bound.point);
    int left = hull->face_count - first, count = left < WORD_BITS ? left : WORD_BITS;
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        found |= (uint64_t)cn_mask_bits(are_high(hull, &along, first + i, bound.high)) << i;
    }
    return found;
}

// With the bits of high_faces().
CN_LANE_FUNCTION bool is_high(const CnHullFace* face, EdgeBound bound) {
    return cn_vec3_dot(bound.point, face->normal) - face->offset > bound.high;
}

#define WITNESS_LANES (CN_WITNESSES / CN_LANES) // registers that hold all of them

// Witnesses side by side; in place of those that there are not the first is there again.
typedef struct WitnessColumns {
    CnLanes x[WITNESS_LANES], y[WITNESS_LANES], z[WITNESS_LANES]; // [m]
    CnLanes high;                                                 // [m]
} WitnessColumns;

CN_LANE_FUNCTION WitnessColumns witness_columns(const EdgeBounds* bounds) {
    WitnessColumns columns = {.high = cn_lanes(bounds->limit)};
    for (int k = 0; k < CN_WITNESSES; ++k) {
        CnVec3 point = bounds->witnesses->points[k < bounds->witnesses->count ? k : 0];
        columns.x[k / CN_LANES][k % CN_LANES] = point.x;
        columns.y[k / CN_LANES][k % CN_LANES] = point.y;
        columns.z[k / CN_LANES][k % CN_LANES] = point.z;
    }
    return columns;
}

// Which witnesses of one register a face is high by, with the bits of high_faces().
CN_LANE_FUNCTION CnLaneBits is_high_by(const CnHullFace* face, const WitnessColumns* columns,
                                       int i) {
    CnVec3 n = face->normal;
    CnLanes along = columns->x[i] * n.x + columns->y[i] * n.y + columns->z[i] * n.z;
    return along - face->offset > columns->high;
}

// Whether an edge counts by all witnesses: each has a high face among its two.
CN_LANE_FUNCTION bool counts_by_witnesses(const CnHull* hull, const CnHullEdge* edge,
                                          const WitnessColumns* columns) {
    const CnHullFace *left = &hull->faces[edge->left], *right = &hull->faces[edge->right];
    CnLaneBits found = ~(CnLaneBits){0};
    for (int i = 0; i < WITNESS_LANES; ++i) {
        found &= is_high_by(left, columns, i) | is_high_by(right, columns, i);
    }
    return cn_mask_bits(found) == (1U << CN_LANES) - 1;
}

// The edges of the faces that are high by the ball.
CN_LANE_FUNCTION void unite_sets(const CnHull* hull, EdgeBound ball,
                                 uint64_t found[CN_HULL_EDGE_SETS]) {
    for (int first = 0; first < hull->face_count; first += WORD_BITS) {
        uint64_t high = high_faces(hull, first, ball);
        for (; high != 0; high &= high - 1) {
            int at = CN_HULL_EDGE_SETS * (first + __builtin_ctzll(high));
            for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
                found[i] |= hull->edge_sets[at + i];
            }
        }
    }
}

// The ball leaves so few edges that the witnesses are asked edge by edge.
CN_LANE_FUNCTION void add_edges_of_sets(EdgeSource* source) {
    const CnHull* hull = source->bounds.hull;
    WitnessColumns columns = witness_columns(&source->bounds);
    uint64_t left[CN_HULL_EDGE_SETS] = {0};
    unite_sets(hull, ball_bound(&source->bounds), left);
    for (int i = 0; i < CN_HULL_EDGE_SETS; ++i) {
        for (uint64_t set = left[i]; set != 0; set &= set - 1) {
            int edge = 64 * i + __builtin_ctzll(set);
            source->edges[source->count] = edge; // stays if it counts
            source->count += counts_by_witnesses(hull, &hull->edges[edge], &columns);
        }
    }
}

// Whether an edge of a face that is high by the ball counts. One between two such faces is seen
// from the first of them.
CN_LANE_FUNCTION bool side_counts(const EdgeBounds* bounds, const WitnessColumns* columns, int face,
                                  const CnHullEdge* edge) {
    const CnHull* hull = bounds->hull;
    int beyond = edge->left == face ? edge->right : edge->left;
    return (beyond > face || !is_high(&hull->faces[beyond], ball_bound(bounds))) &&
           counts_by_witnesses(hull, edge, columns);
}

// False when the round is full; the next goes on there.
CN_LANE_FUNCTION bool add_sides(EdgeSource* source, const WitnessColumns* columns, int index) {
    const CnHull* hull = source->bounds.hull;
    const CnHullFace* face = &hull->faces[index];
    for (; source->corner < face->count; ++source->corner) {
        int side = hull->side[face->first + source->corner];
        if (source->count == ROUND) {
            source->face = index;
            return false;
        }
        if (side_counts(&source->bounds, columns, index, &hull->edges[side])) {
            source->edges[source->count++] = side;
        }
    }
    source->corner = 0;
    return true;
}

// Hulls without sets, of more edges than those are kept for, are searched face by face.
static CN_LANE_TARGET void add_edges_of_faces(EdgeSource* source) {
    const CnHull* hull = source->bounds.hull;
    WitnessColumns columns = witness_columns(&source->bounds);
    while (source->face < hull->face_count) {
        int first = source->face / WORD_BITS * WORD_BITS;
        uint64_t high = high_faces(hull, first, ball_bound(&source->bounds));
        high &= ~UINT64_C(0) << (source->face - first);
        for (; high != 0; high &= high - 1) {
            if (!add_sides(source, &columns, first + __builtin_ctzll(high))) {
                return;
            }
        }
        source->face = first + WORD_BITS;
    }
}

static CN_LANE_TARGET void first_round(EdgeSource* source, const CnFaceSearch* of, double limit) {
    source->bounds = edge_bounds(of, limit);
    source->face = source->corner = source->count = 0;
    if (of->hull->edge_sets == NULL) {
        add_edges_of_faces(source);
    } else if (has_one_set(of->hull)) {
        add_set(source, counting_edges(source->bounds));
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
