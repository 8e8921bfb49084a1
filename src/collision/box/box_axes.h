// box_axes.h - the fifteen axes of several pairs of boxes side by side.
#pragma once

#include "collision/box/box_frame.h"
#include "collision/sat/sat.h"

typedef struct BoxAxes {
    CnLanes edges;      // 3 i + j if the cross product of axis i of u v w and j of p q r is best
                        // of all, or -1: a face is
    CnLanes separation; // best of all [m]
    CnLanes scale;      // one over the length of that cross product
} BoxAxes;

// An axis along a cross product, before the division by its length l.
typedef struct CrossAxis {
    CnLanes apart;  // separation times l [m]
    CnLanes square; // l^2
    CnLanes edges;  // 3 i + j, or -1: a face
} CrossAxis;

// Whether an axis parts better than one that comes before it in the list, by more than what is
// nothing. Separations s / l are compared as s |s| / l^2 crosswise, which takes neither a root nor
// a division; only the best is divided.
CN_LANE_FUNCTION void keep_better(const BoxFrame* frame, const CrossAxis* other, CrossAxis* best) {
    CnLanes apart = other->apart - frame->nothing;
    CnMask better = cn_less(best->apart * cn_lanes_abs(best->apart) * other->square,
                            apart * cn_lanes_abs(apart) * best->square);
    best->apart = cn_select(better, other->apart, best->apart);
    best->square = cn_select(better, other->square, best->square);
    best->edges = cn_select(better, other->edges, best->edges);
}

// Makes an axis lose against any other; its square has no overflow [m].
#define FAR_WORSE 1e150

// docs/theory/sat.md (4).
CN_LANE_FUNCTION CrossAxis cross_axis(const BoxFrame* frame, CnLanes size[3][3], int i, int j) {
    const CnLanes *own = frame->half[0], *other = frame->half[1], *offset = frame->between;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    CnLanes y = frame->turn[i2][j], z = frame->turn[i1][j];
    CnLanes apart = cn_lanes_abs(offset[i2] * z - offset[i1] * y) -
                    (own[i1] * size[i2][j] + own[i2] * size[i1][j] +
                     (other[j1] * size[i][j2] + other[j2] * size[i][j1]));
    CnLanes square = y * y + z * z;
    CnMask parallel = cn_less(square, cn_lanes(CN_PARALLEL * CN_PARALLEL));
    return (CrossAxis){apart - cn_where(parallel, FAR_WORSE), square, cn_lanes(3 * i + j)};
}

// At least so much do boxes overlap along any normal square to one axis of a box: along its other
// two are these half edges and offsets. docs/theory/sat.md (17).
CN_LANE_FUNCTION CnLanes overlap_beside(const CnLanes half[3], CnLanes offset_0, CnLanes offset_1,
                                        const CnLanes other[3]) {
    CnLanes inside =
        cn_lanes_min(half[0] - cn_lanes_abs(offset_0), half[1] - cn_lanes_abs(offset_1));
    return inside + cn_lanes_min(inside, cn_lanes(0.0)) +
           cn_lanes_min(cn_lanes_min(other[0], other[1]), other[2]);
}

CN_LANE_FUNCTION CnLanes column_along(const CnLanes turn[3][3], int k, const CnLanes v[3]) {
    return turn[0][k] * v[0] + turn[1][k] * v[1] + turn[2][k] * v[2];
}

// Whether edges along w or r may part some pair better than its faces do, as far as is seen with
// few operations.
CN_LANE_FUNCTION bool steep_edges_matter(const BoxFrame* frame) {
    CnLanes on_p = column_along(frame->turn, 0, frame->between);
    CnLanes on_q = column_along(frame->turn, 1, frame->between);
    CnLanes own =
        overlap_beside(frame->half[0], frame->between[0], frame->between[1], frame->half[1]);
    CnLanes other = overlap_beside(frame->half[1], on_p, on_q, frame->half[0]);
    CnLanes most = frame->doubt - cn_lanes_min(own, other);
    return cn_any(cn_at_most(frame->best_face, cn_lanes_min(frame->margin, most)));
}

// Edges along the faces, u or v with p or q; those along w or r only if they matter.
CN_LANE_FUNCTION void edge_axes(const BoxFrame* frame, BoxAxes* out) {
    CnLanes size[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            size[i][j] = cn_lanes_abs(frame->turn[i][j]);
        }
    }
    CrossAxis best = {frame->best_face, cn_lanes(1.0), cn_lanes(-1.0)};
    CrossAxis first = cross_axis(frame, size, 0, 0), second = cross_axis(frame, size, 0, 1),
              third = cross_axis(frame, size, 1, 0), fourth = cross_axis(frame, size, 1, 1);
    keep_better(frame, &second, &first);
    keep_better(frame, &fourth, &third);
    keep_better(frame, &first, &best);
    keep_better(frame, &third, &best);
    if (steep_edges_matter(frame)) {
        static const int pairs[5][2] = {{0, 2}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
        CN_UNROLLED
        for (int k = 0; k < 5; ++k) {
            CrossAxis next = cross_axis(frame, size, pairs[k][0], pairs[k][1]);
            keep_better(frame, &next, &best);
        }
    }
    out->edges = best.edges;
    out->scale = 1.0 / cn_lanes_sqrt(best.square);
    out->separation = best.apart * out->scale;
}

// Edges are left out when faces part all, and no frame is made.
CN_LANE_STAGE void find_axes(const CnBoxBlock* block, int start, BoxFrame* frame, BoxAxes* out) {
    BoxLanes boxes;
    load_boxes(block, start, &boxes);
    find_reference(&boxes, frame);
    out->separation = frame->best_face;
    if (cn_any(cn_at_most(frame->best_face, boxes.margin))) {
        make_frame(&boxes, frame);
        edge_axes(frame, out);
    }
}
