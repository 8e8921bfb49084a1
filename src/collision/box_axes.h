// box_axes.h - the fifteen axes of several pairs of boxes side by side.
#pragma once

#include "collision/box_view.h"
#include "collision/reduce.h"
#include "collision/sat.h"

typedef struct BoxAxes {
    CnLanes face[2];      // best separation along axes of the first box, of the second [m]
    CnLanes face_axis[2]; // which
    CnMask of_second;     // its face stands for the faces: better by more than the tie
    CnLanes best_face;    // separation of that [m]
    CnLanes edges;        // 3 i + j if the cross product of axes i and j is best of all, or -1
    CnLanes separation;   // best of all [m]
} BoxAxes;

// The first of the largest, to within the tie.
CN_LANE_FUNCTION void best_of_three(const CnLanes separation[3], CnLanes tie, CnLanes* best,
                                    CnLanes* axis) {
    CnMask second = cn_less(separation[0] + tie, separation[1]);
    *best = cn_select(second, separation[1], separation[0]);
    *axis = cn_where(second, 1.0);
    CnMask third = cn_less(*best + tie, separation[2]);
    *best = cn_select(third, separation[2], *best);
    *axis = cn_select(third, cn_lanes(2.0), *axis);
}

CN_LANE_FUNCTION void face_axes(const BoxLanes* boxes, CnLanes size[3][3], BoxAxes* out) {
    const CnLanes *a = boxes->half[0], *b = boxes->half[1];
    CnLanes of_a[3], of_b[3];
    for (int i = 0; i < 3; ++i) {
        of_a[i] = cn_lanes_abs(boxes->along[0][i]) -
                  (a[i] + (b[0] * size[i][0] + b[1] * size[i][1] + b[2] * size[i][2]));
        of_b[i] = cn_lanes_abs(boxes->along[1][i]) -
                  (b[i] + (a[0] * size[0][i] + a[1] * size[1][i] + a[2] * size[2][i]));
    }
    best_of_three(of_a, boxes->tie, &out->face[0], &out->face_axis[0]);
    best_of_three(of_b, boxes->tie, &out->face[1], &out->face_axis[1]);
    out->of_second = cn_less(out->face[0] + boxes->tie, out->face[1]);
    out->best_face = cn_select(out->of_second, out->face[1], out->face[0]);
    out->edges = cn_lanes(-1.0);
    out->separation = cn_lanes_max(out->face[0], out->face[1]);
}

// An axis along a cross product, before the division by its length l.
typedef struct CrossAxis {
    CnLanes apart;  // separation times l [m]
    CnLanes square; // l^2
    CnLanes edges;  // 3 i + j, or -1: a face
} CrossAxis;

// Whether an axis parts better than one that comes before it in the list, by more than what is
// nothing. Separations s / l are compared as s |s| / l^2 crosswise, which takes neither a root nor
// a division; only the best is divided.
CN_LANE_FUNCTION void keep_better(const BoxLanes* boxes, const CrossAxis* other, CrossAxis* best) {
    CnLanes apart = other->apart - boxes->nothing;
    CnMask better = cn_less(best->apart * cn_lanes_abs(best->apart) * other->square,
                            apart * cn_lanes_abs(apart) * best->square);
    best->apart = cn_select(better, other->apart, best->apart);
    best->square = cn_select(better, other->square, best->square);
    best->edges = cn_select(better, other->edges, best->edges);
}

// Makes an axis lose against any other; its square has no overflow [m].
#define FAR_WORSE 1e150

// docs/theory/sat.md (4).
CN_LANE_FUNCTION CrossAxis cross_axis(const BoxLanes* boxes, CnLanes size[3][3], int i, int j) {
    const CnLanes *a = boxes->half[0], *b = boxes->half[1], *offset = boxes->along[0];
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    CnLanes y = boxes->turn[i2][j], z = boxes->turn[i1][j];
    CnLanes apart =
        cn_lanes_abs(offset[i2] * z - offset[i1] * y) -
        (a[i1] * size[i2][j] + a[i2] * size[i1][j] + (b[j1] * size[i][j2] + b[j2] * size[i][j1]));
    CnLanes square = y * y + z * z;
    CnMask parallel = cn_less(square, cn_lanes(CN_PARALLEL * CN_PARALLEL));
    return (CrossAxis){apart - cn_where(parallel, FAR_WORSE), square, cn_lanes(3 * i + j)};
}

CN_LANE_FUNCTION CrossAxis best_of_row(const BoxLanes* boxes, CnLanes size[3][3], int i) {
    CrossAxis best = cross_axis(boxes, size, i, 0), next = cross_axis(boxes, size, i, 1),
              last = cross_axis(boxes, size, i, 2);
    keep_better(boxes, &next, &best);
    keep_better(boxes, &last, &best);
    return best;
}

CN_LANE_FUNCTION void edge_axes(const BoxLanes* boxes, CnLanes size[3][3], BoxAxes* out) {
    CrossAxis best = {out->separation, cn_lanes(1.0), cn_lanes(-1.0)};
    CrossAxis x = best_of_row(boxes, size, 0), y = best_of_row(boxes, size, 1),
              z = best_of_row(boxes, size, 2);
    keep_better(boxes, &z, &y);
    keep_better(boxes, &x, &best);
    keep_better(boxes, &y, &best);
    out->edges = best.edges;
    out->separation = best.apart / cn_lanes_sqrt(best.square);
}

// Edges are left out when faces part all.
CN_LANE_STAGE void find_axes(const CnBoxBlock* block, int start, BoxLanes* boxes, BoxAxes* out) {
    load_boxes(block, start, boxes);
    CnLanes size[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            size[i][j] = cn_lanes_abs(boxes->turn[i][j]);
        }
    }
    face_axes(boxes, size, out);
    if (cn_any(cn_at_most(out->separation, boxes->margin))) {
        edge_axes(boxes, size, out);
    }
}
