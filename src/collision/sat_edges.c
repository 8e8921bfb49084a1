// sat_edges.c - the pair of edges whose cross product parts two convex polyhedra best.
#include "collision/sat_edges.h"

#include "geometry/hull_search.h"

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

// Edges of one hull that may part the two by more than limit <= 0, one by one. docs/theory/sat.md
// (8): those of which no witness, a point of the other hull, is that deep under both faces, and
// (13): nor the ball inside the other hull.
typedef struct EdgeSource {
    const CnHull* hull;
    const CnWitnesses* witnesses;
    double limit;     // [m]
    double high;      // a face that the point is more than this above is high: of an edge that
    bool is_center;   // counts one is. The point is the ball's centre, or the first witness [m]
    bool is_thin;     // all edges count
    int face, corner; // where the next round begins
} EdgeSource;

// Of a hull with an edge whose faces turn by more than 174 degrees, a triangle with its front and
// back the sharpest, normals say too little about what is between them.
#define THIN 0.05

// By (13) the point is the centre of the ball if the hulls overlap by less than its radius, by (8)
// the first witness otherwise.
static EdgeSource edge_source(const CnHull* hull, const CnWitnesses* witnesses, double limit) {
    double most = limit + witnesses->radius;
    double high = most > 0.0 ? most * hull->sharpest : limit;
    bool is_thin = hull->sharpest < THIN;
    return (EdgeSource){
        .hull = hull,
        .witnesses = witnesses,
        .limit = limit,
        .high = is_thin ? -HUGE_VAL : high,
        .is_center = most > 0.0,
        .is_thin = is_thin,
    };
}

static double height_above(const EdgeSource* source, int face, CnVec3 point) {
    const CnHullFace* plane = &source->hull->faces[face];
    return cn_vec3_dot(plane->normal, point) - plane->offset;
}

static bool is_under_both(const EdgeSource* source, int left, int right, CnVec3 point) {
    return height_above(source, left, point) <= source->limit &&
           height_above(source, right, point) <= source->limit;
}

// (13): no direction of the arc has the ball higher than it is above a face, or than its centre is
// away from the edge if the arc has the direction from there to the centre.
static bool ball_beats(const EdgeSource* source, int left_face, int right_face) {
    CnVec3 center = source->witnesses->center;
    double most = source->limit + source->witnesses->radius;
    double left = height_above(source, left_face, center);
    double right = height_above(source, right_face, center);
    if (left > most || right > most) {
        return false;
    }
    const CnHullFace* faces = source->hull->faces;
    double cosine = cn_vec3_dot(faces[left_face].normal, faces[right_face].normal);
    if (right <= cosine * left || left <= cosine * right) {
        return true;
    }
    double square = left * left + right * right - 2.0 * cosine * left * right;
    return most > 0.0 && square <= most * most * (1.0 - cosine * cosine);
}

// All but the first witness; and an edge is seen from the first of its faces that is high.
static bool counts(const EdgeSource* source, int face, int beyond) {
    const CnWitnesses* witnesses = source->witnesses;
    CnVec3 point = source->is_center ? witnesses->center : witnesses->points[0];
    if (beyond < face && height_above(source, beyond, point) > source->high) {
        return false;
    }
    if (source->is_thin) {
        return true;
    }
    for (int i = 1; i < witnesses->count; ++i) {
        if (is_under_both(source, face, beyond, witnesses->points[i])) {
            return false;
        }
    }
    return !ball_beats(source, face, beyond);
}

// Edges that are looked at together: enough that few hulls need more than one round.
#define ROUND 64

typedef struct Round {
    Arc arcs[ROUND];
    int count;
} Round;

// Adds the edges of a high face, from a corner on, until the round is full. Returns where it ended.
static int add_edges_of_face(const EdgeSource* source, int index, int corner, Round* round) {
    const CnHull* hull = source->hull;
    const CnHullFace* face = &hull->faces[index];
    CnVec3 first = source->witnesses->points[0];
    bool is_under = !source->is_thin && height_above(source, index, first) <= source->limit;
    for (; corner < face->count && round->count < ROUND; ++corner) {
        int side = hull->side[face->first + corner];
        const CnHullEdge* edge = &hull->edges[side];
        int beyond = edge->left == index ? edge->right : edge->left;
        bool is_beaten = is_under && height_above(source, beyond, first) <= source->limit;
        if (!is_beaten && counts(source, index, beyond)) {
            round->arcs[round->count++] = arc_of(hull, side);
        }
    }
    return corner;
}

// The next round; empty when there are no more edges.
static void gather(EdgeSource* source, Round* round) {
    const CnHull* hull = source->hull;
    const CnWitnesses* witnesses = source->witnesses;
    CnVec3 point = source->is_center ? witnesses->center : witnesses->points[0];
    int face = source->face, corner = source->corner;
    round->count = 0;
    while (face < hull->face_count && round->count < ROUND) {
        int first = face / CN_HULL_BLOCK * CN_HULL_BLOCK;
        int end =
            first + CN_HULL_BLOCK < hull->face_count ? first + CN_HULL_BLOCK : hull->face_count;
        double heights[CN_HULL_BLOCK];
        cn_hull_heights(hull, first, point, heights);
        for (; face < end; ++face, corner = 0) {
            if (heights[face - first] > source->high) {
                corner = add_edges_of_face(source, face, corner, round);
                if (round->count == ROUND) {
                    break;
                }
            }
        }
    }
    source->face = face;
    source->corner = corner;
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
