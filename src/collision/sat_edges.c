// sat_edges.c - the pair of edges whose cross product parts two convex polyhedra best.
#include "collision/sat_edges.h"

// An edge and the arc between the normals of its faces on the Gauss map.
typedef struct Arc {
    CnVec3 start;       // [m]
    CnVec3 along;       // the edge, from end to end [m]
    CnVec3 left, right; // unit
    int edge;
} Arc;

static Arc arc_of(const CnHull* hull, int index) {
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
static Arc arc_of_difference(const Arc* arc, const CnRelativePose* pose) {
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
static bool arcs_cross(const Arc* a, const Arc* b) {
    double left = cn_vec3_dot(b->left, a->along), right = cn_vec3_dot(b->right, a->along);
    if (!(left * right < 0.0)) {
        return false;
    }
    double other_left = cn_vec3_dot(a->left, b->along);
    double other_right = cn_vec3_dot(a->right, b->along);
    return other_left * other_right < 0.0 && left * other_right > 0.0;
}

static CnSatAxis edge_axis(const Arc* a, const Arc* b) {
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
    CnSideSearch search;
    const CnSideFunctions* functions;
    bool is_thin;     // all edges count
    int face, corner; // where the next round begins; of all edges, face is the edge
} EdgeSource;

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them.
#define THIN 0.05

// The widest registers that there are.
static const CnSideFunctions* side_functions(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &cn_side_functions_256;
    }
#endif
    return &cn_side_functions_128;
}

// By (13) the point is the centre of the ball if the hulls overlap by less than its radius, by (8)
// the first witness otherwise.
static EdgeSource edge_source(const CnHull* hull, const CnWitnesses* witnesses, double limit) {
    double most = limit + witnesses->radius;
    return (EdgeSource){
        .search = {.hull = hull,
                   .witnesses = witnesses,
                   .limit = limit,
                   .high = most > 0.0 ? most * hull->sharpest : limit,
                   .point = most > 0.0 ? witnesses->center : witnesses->points[0]},
        .functions = side_functions(),
        .is_thin = hull->sharpest < THIN || hull->columns.beyond_x == NULL,
    };
}

// Edges that are looked at together: enough that few hulls need more than one round.
#define ROUND CN_SIDES_AT_ONCE

typedef struct Round {
    Arc arcs[ROUND];
    int count;
} Round;

// Adds the edges of a high face, from a corner on; each edge is seen from the first of its faces
// that is high. False when the round is full; the next goes on there.
static bool add_edges_of_face(EdgeSource* source, int index, Round* round) {
    const CnHull* hull = source->search.hull;
    const CnHullFace* face = &hull->faces[index];
    for (; source->corner < face->count; source->corner += ROUND) {
        CnSides sides = source->functions->sides(&source->search, index, source->corner);
        if (round->count + __builtin_popcountll(sides.counting) > ROUND) {
            source->face = index;
            return false;
        }
        for (uint64_t left = sides.counting; left != 0; left &= left - 1) {
            int i = __builtin_ctzll(left);
            int side = hull->side[face->first + source->corner + i];
            const CnHullEdge* edge = &hull->edges[side];
            bool is_after = edge->left < index || edge->right < index;
            if (!(is_after && (sides.high >> i & 1) != 0)) {
                round->arcs[round->count++] = arc_of(hull, side);
            }
        }
    }
    source->corner = 0;
    return true;
}

static void add_all_edges(EdgeSource* source, Round* round) {
    const CnHull* hull = source->search.hull;
    while (source->face < hull->edge_count && round->count < ROUND) {
        round->arcs[round->count++] = arc_of(hull, source->face++);
    }
}

// The next round; empty when there are no more edges.
static void gather(EdgeSource* source, Round* round) {
    const CnHull* hull = source->search.hull;
    round->count = 0;
    if (source->is_thin) {
        add_all_edges(source, round);
        return;
    }
    while (source->face < hull->face_count) {
        int first = source->face / CN_SIDES_AT_ONCE * CN_SIDES_AT_ONCE;
        uint64_t high = source->functions->high_faces(&source->search, first);
        high &= ~UINT64_C(0) << (source->face - first);
        for (; high != 0; high &= high - 1) {
            if (!add_edges_of_face(source, first + __builtin_ctzll(high), round)) {
                return;
            }
        }
        source->face = first + CN_SIDES_AT_ONCE;
    }
}

typedef struct EdgeSearch {
    double margin, tie; // [m]
    CnSatAxis best;
    double most; // the largest separation of all: by less than tie more than that of best [m]
} EdgeSearch;

// Of equals the first is kept, by B's edge and then by A's, whatever the rounds.
static void offer(EdgeSearch* search, const CnSatAxis* axis) {
    const CnSatAxis* best = &search->best;
    bool is_first = axis->b < best->b || (axis->b == best->b && axis->a < best->a);
    if (axis->separation > search->most + search->tie ||
        (is_first && axis->separation >= search->most - search->tie)) {
        search->best = *axis;
    }
    if (search->best.a >= 0) {
        search->most = fmax(search->most, axis->separation);
    }
}

static bool try_edge_of_b(const Round* round, const Arc* b, EdgeSearch* search) {
    for (int i = 0; i < round->count; ++i) {
        const Arc* a = &round->arcs[i];
        if (arcs_cross(a, b)) {
            CnSatAxis axis = edge_axis(a, b);
            if (axis.separation > search->margin) {
                return false;
            }
            offer(search, &axis);
        }
    }
    return true;
}

// One round of A's edges with all of B's.
static bool try_round(const Round* round, EdgeSource of_b, const CnRelativePose* pose,
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

bool cn_sat_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                  const CnWitnesses* in_a, const CnWitnesses* in_b, double margin, double tie,
                  CnSatAxes* axes) {
    double faces = fmax(axes->face_a.separation, axes->face_b.separation);
    double limit = fmin(faces + tie, 0.0);
    EdgeSearch search = {margin, tie, cn_sat_no_axis, faces}; // only what is better counts
    EdgeSource of_a = edge_source(a, in_a, limit), of_b = edge_source(b, in_b, limit);
    Round round;
    for (gather(&of_a, &round); round.count > 0; gather(&of_a, &round)) {
        if (!try_round(&round, of_b, pose, &search)) {
            return false;
        }
    }
    axes->edges = search.best;
    return true;
}
