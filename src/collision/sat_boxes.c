// sat_boxes.c - the fifteen axes of two boxes in closed form.
#include "collision/sat.h"

// What both boxes reach along a unit direction against how far their centres are apart: keeps the
// better of two axes, turned from A to B. False when it shows more than margin.
static bool offer(CnSatAxis candidate, double along, double reach, double margin, CnSatAxis* best) {
    candidate.separation = fabs(along) - reach;
    if (candidate.separation > best->separation) {
        candidate.normal = cn_vec3_scale(copysign(1.0, along), candidate.normal);
        *best = candidate;
    }
    return !(candidate.separation > margin);
}

// The sizes of two boxes as arrays, and B's pose in A's frame.
typedef struct Boxes {
    double a[3], b[3]; // half edges [m]
    double offset[3];  // [m]
    const double (*turn)[3];
} Boxes;

static bool offer_faces_of_a(const Boxes* boxes, double margin, CnSatAxis* best) {
    static const CnVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    bool close = true;
    for (int i = 0; i < 3 && close; ++i) {
        const double* row = boxes->turn[i];
        double reach = boxes->a[i] + boxes->b[0] * fabs(row[0]) + boxes->b[1] * fabs(row[1]) +
                       boxes->b[2] * fabs(row[2]);
        CnSatAxis axis = {.normal = axes[i], .a = i, .b = -1};
        close = offer(axis, boxes->offset[i], reach, margin, best);
    }
    return close;
}

static bool offer_faces_of_b(const Boxes* boxes, double margin, CnSatAxis* best) {
    bool close = true;
    for (int j = 0; j < 3 && close; ++j) {
        double x = boxes->turn[0][j], y = boxes->turn[1][j], z = boxes->turn[2][j];
        double along = boxes->offset[0] * x + boxes->offset[1] * y + boxes->offset[2] * z;
        double reach =
            boxes->b[j] + boxes->a[0] * fabs(x) + boxes->a[1] * fabs(y) + boxes->a[2] * fabs(z);
        CnSatAxis axis = {.normal = {x, y, z}, .a = -1, .b = j};
        close = offer(axis, along, reach, margin, best);
    }
    return close;
}

// docs/theory/sat.md (4): the cross product of axis i of A with axis j of B.
static bool offer_edges(const Boxes* boxes, int i, int j, double margin, CnSatAxis* best) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double y = -boxes->turn[i2][j], z = boxes->turn[i1][j]; // along axes i1 and i2 of A
    double length = sqrt(y * y + z * z);
    if (!(length > CN_PARALLEL)) {
        return true;
    }
    double along = boxes->offset[i1] * y + boxes->offset[i2] * z;
    double reach = boxes->a[i1] * fabs(y) + boxes->a[i2] * fabs(z) +
                   boxes->b[j1] * fabs(boxes->turn[i][j2]) +
                   boxes->b[j2] * fabs(boxes->turn[i][j1]);
    double normal[3] = {0.0, 0.0, 0.0};
    normal[i1] = y / length;
    normal[i2] = z / length;
    CnSatAxis axis = {.normal = {normal[0], normal[1], normal[2]}, .a = i, .b = j};
    return offer(axis, along / length, reach / length, margin, best);
}

bool cn_sat_boxes(CnVec3 half_a, CnVec3 half_b, const CnRelativePose* pose, double margin,
                  CnSatAxes* axes) {
    static const CnSatAxis none = {.separation = -INFINITY, .a = -1, .b = -1};
    Boxes boxes = {
        .a = {half_a.x, half_a.y, half_a.z},
        .b = {half_b.x, half_b.y, half_b.z},
        .offset = {pose->offset.x, pose->offset.y, pose->offset.z},
        .turn = pose->turn.m,
    };
    *axes = (CnSatAxes){none, none, none};
    bool close = offer_faces_of_a(&boxes, margin, &axes->face_a) &&
                 offer_faces_of_b(&boxes, margin, &axes->face_b);
    for (int i = 0; i < 9 && close; ++i) {
        close = offer_edges(&boxes, i / 3, i % 3, margin, &axes->edges);
    }
    return close;
}

static double coordinate(CnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Of the four edges of a box along one of its axes, the farthest out along the normal.
static int outermost_edge(const CnHull* box, int axis, CnVec3 normal) {
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < box->edge_count; ++i) {
        CnVec3 from = box->vertices[box->edges[i].from];
        CnVec3 to = box->vertices[box->edges[i].to];
        double height = cn_vec3_dot(normal, from);
        if (coordinate(from, axis) != coordinate(to, axis) && (best < 0 || height > most)) {
            most = height;
            best = i;
        }
    }
    return best;
}

void cn_sat_boxes_name(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                       CnSatAxes* axes) {
    CnVec3 out_of_b = cn_mat3_apply_transposed(&pose->turn, cn_vec3_negate(axes->face_b.normal));
    axes->face_a.a = cn_hull_facing(a, axes->face_a.normal);
    axes->face_b.b = cn_hull_facing(b, out_of_b);
    if (axes->edges.a >= 0) {
        out_of_b = cn_mat3_apply_transposed(&pose->turn, cn_vec3_negate(axes->edges.normal));
        axes->edges.a = outermost_edge(a, axes->edges.a, axes->edges.normal);
        axes->edges.b = outermost_edge(b, axes->edges.b, out_of_b);
    }
}
