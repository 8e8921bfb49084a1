// sat_edges.c - the pair of edges whose cross product parts two convex polyhedra best.
#include "collision/sat_edges.h"

// An edge and the arc between the normals of its faces on the Gauss map, all in A's frame.
typedef struct Arc {
    CnVec3 start;       // [m]
    CnVec3 along;       // the edge, from end to end [m]
    CnVec3 left, right; // unit
    int edge;
} Arc;

static Arc arc_of_a(const CnHull* hull, int index) {
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

// Of -B: its normals are turned round, its edges are not.
static Arc arc_of_b(const CnHull* hull, int index, const CnRelativePose* pose) {
    Arc arc = arc_of_a(hull, index);
    return (Arc){
        .start = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, arc.start)),
        .along = cn_mat3_apply(&pose->turn, arc.along),
        .left = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc.left)),
        .right = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc.right)),
        .edge = index,
    };
}

static CnSatAxis edge_axis(const Arc* a, const Arc* b) {
    CnVec3 across = cn_vec3_cross(a->along, b->along);
    double length = cn_vec3_length(across);
    if (!(length > CN_PARALLEL * cn_vec3_length(a->along) * cn_vec3_length(b->along))) {
        return cn_sat_no_axis;
    }
    // The axis lies on both arcs; their four ends say which way is out.
    CnVec3 out = cn_vec3_add(cn_vec3_add(a->left, a->right), cn_vec3_add(b->left, b->right));
    CnVec3 normal = cn_vec3_scale(copysign(1.0 / length, cn_vec3_dot(across, out)), across);
    return (CnSatAxis){
        .normal = normal,
        .separation = cn_vec3_dot(normal, cn_vec3_sub(b->start, a->start)),
        .a = a->edge,
        .b = b->edge,
    };
}

// docs/theory/sat.md (8): no axis of the edge's arc can part the hulls by more than limit <= 0 when
// a point of the other hull is that deep under both its faces.
static bool is_beaten(const CnHull* hull, int index, const CnWitnesses* witnesses, double limit) {
    const CnHullEdge* edge = &hull->edges[index];
    const CnHullFace *left = &hull->faces[edge->left], *right = &hull->faces[edge->right];
    for (int i = 0; i < witnesses->count; ++i) {
        CnVec3 point = witnesses->points[i];
        if (cn_vec3_dot(left->normal, point) - left->offset <= limit &&
            cn_vec3_dot(right->normal, point) - right->offset <= limit) {
            return true;
        }
    }
    return false;
}

// Edges of A that are looked at together: enough that few hulls need more than one round. One array
// for each coordinate, so that several arcs are tested at once.
#define ROUND 64

typedef struct Round {
    double along[3][ROUND], left[3][ROUND], right[3][ROUND];
    int edges[ROUND]; // in increasing order
    int count;
} Round;

static void put(double columns[3][ROUND], int i, CnVec3 v) {
    columns[0][i] = v.x;
    columns[1][i] = v.y;
    columns[2][i] = v.z;
}

// The next edges of A that no witness has beaten, from edge `next` on; returns where to go on.
static int gather(const CnHull* a, int next, const CnWitnesses* witnesses, double limit,
                  Round* round) {
    round->count = 0;
    for (; next < a->edge_count && round->count < ROUND; ++next) {
        if (is_beaten(a, next, witnesses, limit)) {
            continue;
        }
        Arc arc = arc_of_a(a, next);
        put(round->along, round->count, arc.along);
        put(round->left, round->count, arc.left);
        put(round->right, round->count, arc.right);
        round->edges[round->count++] = next;
    }
    return next;
}

// docs/theory/sat.md (3): each arc's ends lie on either side of the other's plane, in the same half
// of the sphere. Negative where the arcs cross.
static void cross_arcs(const Round* round, const Arc* b, double crossing[ROUND]) {
    for (int i = 0; i < round->count; ++i) {
        double x = round->along[0][i], y = round->along[1][i], z = round->along[2][i];
        double left = b->left.x * x + b->left.y * y + b->left.z * z;
        double right = b->right.x * x + b->right.y * y + b->right.z * z;
        double other_left = round->left[0][i] * b->along.x + round->left[1][i] * b->along.y +
                            round->left[2][i] * b->along.z;
        double other_right = round->right[0][i] * b->along.x + round->right[1][i] * b->along.y +
                             round->right[2][i] * b->along.z;
        double sides = left * right, other_sides = other_left * other_right;
        double half = -left * other_right;
        double worst = sides > other_sides ? sides : other_sides;
        crossing[i] = worst > half ? worst : half;
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

static bool try_edge_of_b(const CnHull* a, const Round* round, const Arc* arc_b,
                          EdgeSearch* search) {
    double crossing[ROUND];
    cross_arcs(round, arc_b, crossing);
    for (int i = 0; i < round->count; ++i) {
        if (!(crossing[i] < 0.0)) {
            continue;
        }
        Arc arc_a = arc_of_a(a, round->edges[i]);
        CnSatAxis axis = edge_axis(&arc_a, arc_b);
        if (axis.separation > search->margin) {
            return false;
        }
        offer(search, &axis);
    }
    return true;
}

bool cn_sat_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                  const CnWitnesses* in_a, const CnWitnesses* in_b, double margin, double tie,
                  CnSatAxes* axes) {
    double faces = fmax(axes->face_a.separation, axes->face_b.separation);
    double limit = fmin(faces, 0.0);
    EdgeSearch search = {margin, tie, cn_sat_no_axis, faces}; // only what is better counts
    Round round;

    for (int next = 0; next < a->edge_count;) {
        next = gather(a, next, in_a, limit, &round);
        for (int j = 0; j < b->edge_count && round.count > 0; ++j) {
            if (is_beaten(b, j, in_b, limit)) {
                continue;
            }
            Arc arc_b = arc_of_b(b, j, pose);
            if (!try_edge_of_b(a, &round, &arc_b, &search)) {
                return false;
            }
        }
    }
    axes->edges = search.best;
    return true;
}
