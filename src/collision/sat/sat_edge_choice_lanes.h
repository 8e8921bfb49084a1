// sat_edge_choice_lanes.h - the edges of a hull that may separate it from another the most.
//
// Most edges are ruled out by what is known of the other hull: the ball inside it and its deepest
// vertices so far (witnesses). docs/theory/collision/sat.md (8), (13).
#pragma once

#include "collision/sat/sat_functions.h"
#include "geometry/hull/hull_search_lanes.h"

// Bounds.

// The bound from a point of the other hull, docs/theory/collision/sat.md (8), or from the ball
// about its centre, (13): an edge counts if the point is higher than `high` above one of its faces.
typedef struct EdgeBound {
    CnVec3 point; // [m]
    double high;  // [m]
} EdgeBound;

// All bounds of the edges of a hull: edges count that may have a separation of more than limit.
typedef struct EdgeBounds {
    const CnHull* hull;
    const CnWitnesses* witnesses; // at least one
    double limit;                 // at most 0 [m]
} EdgeBounds;

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them: all edges count.
#define THIN 0.05

CN_LANE_FUNCTION EdgeBounds edge_bounds(const CnFaceSearch* of, double limit) {
    return (EdgeBounds){of->hull, &of->witnesses, of->hull->sharpest < THIN ? -HUGE_VAL : limit};
}

// The bound of the sharpest edge holds for all.
CN_LANE_FUNCTION EdgeBound ball_bound(const EdgeBounds* bounds) {
    double most = bounds->limit + bounds->witnesses->radius;
    return (EdgeBound){bounds->witnesses->center,
                       most > 0.0 ? most * bounds->hull->sharpest : most};
}

CN_LANE_FUNCTION EdgeBound witness_bound(const EdgeBounds* bounds, int k) {
    return (EdgeBound){bounds->witnesses->points[k], bounds->limit};
}

// Whether a point is higher than this above several faces, given its products with all normals.
CN_LANE_FUNCTION CnLaneBits are_high(const CnHull* hull, const Products* along, int first,
                                     double high) {
    return product(along, first) - cn_lanes_load(hull->columns.offset + first) > cn_lanes(high);
}

// Hulls with sets of edges for each face.

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

// Larger hulls: some edges after the other.

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

// After the ball so few edges are left that the witnesses are tested edge by edge.
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
