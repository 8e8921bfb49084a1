// sat_boxes.c - the fifteen axes of two boxes in closed form.
//
// Faces and edges are numbered as in box_hull.c: face 2 k + (at +axis k), edge 4 k + (second
// coordinate > 0) + 2 (third coordinate > 0), second and third after k in the order x y z x.
#include "collision/sat.h"

typedef struct Boxes {
    double a[3], b[3];       // half edges [m]
    double offset[3];        // of B's centre, in A's frame [m]
    const double (*turn)[3]; // from B's axes to A's
    double magnitude[3][3];  // of the entries of turn
} Boxes;

// Of one kind of axes the best: which, how far the centres are apart along it, and what is left of
// that when both boxes' reach is taken off.
typedef struct Best {
    int axis;
    double along, separation; // [m]
} Best;

// The first of the largest.
static Best best_of(const double along[3], const double separation[3]) {
    int best = separation[1] > separation[0] ? 1 : 0;
    best = separation[2] > separation[best] ? 2 : best;
    return (Best){best, along[best], separation[best]};
}

static Best best_face_of_a(const Boxes* boxes) {
    double separation[3];
    for (int i = 0; i < 3; ++i) {
        const double* row = boxes->magnitude[i];
        separation[i] = fabs(boxes->offset[i]) - (boxes->a[i] + boxes->b[0] * row[0] +
                                                  boxes->b[1] * row[1] + boxes->b[2] * row[2]);
    }
    return best_of(boxes->offset, separation);
}

static Best best_face_of_b(const Boxes* boxes) {
    double along[3], separation[3];
    for (int j = 0; j < 3; ++j) {
        along[j] = boxes->offset[0] * boxes->turn[0][j] + boxes->offset[1] * boxes->turn[1][j] +
                   boxes->offset[2] * boxes->turn[2][j];
        separation[j] = fabs(along[j]) - (boxes->b[j] + boxes->a[0] * boxes->magnitude[0][j] +
                                          boxes->a[1] * boxes->magnitude[1][j] +
                                          boxes->a[2] * boxes->magnitude[2][j]);
    }
    return best_of(along, separation);
}

// docs/theory/sat.md (4) for the cross products of axis i of A, followed by i1 and i2, with the
// axes of B, before they are divided by their lengths. Those are at most 1, so what is negative
// only becomes more so, and most axes are beaten by the faces without a root being drawn.
static inline bool offer_edges(const Boxes* boxes, int i, int i1, int i2, double margin,
                               Best* best) {
    const double* a = boxes->a;
    const double* b = boxes->b;
    double along[3], separation[3];
    for (int j = 0; j < 3; ++j) {
        int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        along[j] = boxes->offset[i2] * boxes->turn[i1][j] - boxes->offset[i1] * boxes->turn[i2][j];
        separation[j] =
            fabs(along[j]) - (a[i1] * boxes->magnitude[i2][j] + a[i2] * boxes->magnitude[i1][j] +
                              b[j1] * boxes->magnitude[i][j2] + b[j2] * boxes->magnitude[i][j1]);
    }
    for (int j = 0; j < 3; ++j) {
        if (separation[j] < 0.0 && separation[j] <= best->separation) {
            continue;
        }
        double y = boxes->turn[i2][j], z = boxes->turn[i1][j];
        double length = sqrt(y * y + z * z);
        if (length > CN_PARALLEL && separation[j] / length > best->separation) {
            *best = (Best){3 * i + j, along[j], separation[j] / length};
        }
    }
    return !(best->separation > margin);
}

// docs/theory/sat.md (4) in full: the outermost edges along the axis are where it says.
static CnSatAxis edges_axis(const Boxes* boxes, const Best* best) {
    int i = best->axis / 3, j = best->axis % 3;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double y = -boxes->turn[i2][j], z = boxes->turn[i1][j]; // along axes i1 and i2 of A
    double scale = copysign(1.0 / sqrt(y * y + z * z), best->along);
    double normal[3] = {0.0, 0.0, 0.0};
    normal[i1] = scale * y;
    normal[i2] = scale * z;
    double in_b[3]; // the same in B's axes
    for (int k = 0; k < 3; ++k) {
        in_b[k] = boxes->turn[i1][k] * normal[i1] + boxes->turn[i2][k] * normal[i2];
    }
    return (CnSatAxis){
        .normal = {normal[0], normal[1], normal[2]},
        .separation = best->separation,
        .a = 4 * i + (normal[i1] > 0.0) + 2 * (normal[i2] > 0.0),
        .b = 4 * j + (in_b[j1] < 0.0) + 2 * (in_b[j2] < 0.0),
    };
}

static CnSatAxis face_axis_of_a(const Best* best) {
    double normal[3] = {0.0, 0.0, 0.0};
    normal[best->axis] = copysign(1.0, best->along);
    return (CnSatAxis){
        .normal = {normal[0], normal[1], normal[2]},
        .separation = best->separation,
        .a = 2 * best->axis + !signbit(best->along),
        .b = -1,
    };
}

// The normal points from A to B, into B.
static CnSatAxis face_axis_of_b(const Boxes* boxes, const Best* best) {
    double sign = copysign(1.0, best->along);
    int j = best->axis;
    return (CnSatAxis){
        .normal = {sign * boxes->turn[0][j], sign * boxes->turn[1][j], sign * boxes->turn[2][j]},
        .separation = best->separation,
        .a = -1,
        .b = 2 * j + (signbit(best->along) != 0),
    };
}

bool cn_sat_boxes(CnVec3 half_a, CnVec3 half_b, const CnRelativePose* pose, double margin,
                  CnSatAxes* axes) {
    Boxes boxes = {
        .a = {half_a.x, half_a.y, half_a.z},
        .b = {half_b.x, half_b.y, half_b.z},
        .offset = {pose->offset.x, pose->offset.y, pose->offset.z},
        .turn = pose->turn.m,
    };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            boxes.magnitude[i][j] = fabs(pose->turn.m[i][j]);
        }
    }
    Best face_a = best_face_of_a(&boxes);
    if (face_a.separation > margin) {
        return false;
    }
    Best face_b = best_face_of_b(&boxes);
    if (face_b.separation > margin) {
        return false;
    }
    Best edges = {.axis = -1, .separation = fmax(face_a.separation, face_b.separation)};
    if (!offer_edges(&boxes, 0, 1, 2, margin, &edges) ||
        !offer_edges(&boxes, 1, 2, 0, margin, &edges) ||
        !offer_edges(&boxes, 2, 0, 1, margin, &edges)) {
        return false;
    }
    axes->face_a = face_axis_of_a(&face_a);
    axes->face_b = face_axis_of_b(&boxes, &face_b);
    axes->edges = edges.axis >= 0 ? edges_axis(&boxes, &edges) : cn_sat_no_axis;
    return true;
}
