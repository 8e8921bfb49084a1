// box_axes_lanes.h - separating axes of several pairs of boxes side by side.
//
// First each box in the axes of the other, and which of them goes first. Results must not depend on
// which of the two is passed as A: A and B compute the same bits, and everything below asks which
// is first.
//
// Then the reference face, the face that separates the two most, and the incident face, the one of
// the other box that is most opposed to it. u, v and w run along the axes of the reference's box,
// p, q and r along those of the other: first the two axes after that of the face in the order x y z
// x, then its own. All of them point as the axes do, but for w, which points outward.
//
// Last the cross products of edges. docs/theory/collision/sat.md, "Two boxes". The same in plain
// scalar code: box_box_plain.c.
#pragma once

#include "collision/box/box_block.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/reduce.h"
#include "collision/sat/sat.h"
#include "math/simd.h"

#include <stddef.h>

// Each box in the axes of the other.

typedef struct BoxLanes {
    CnLanes half[2][3];  // half edges of A, of B [m]
    CnLanes turn[3][3];  // from B's axes to A's
    CnLanes along[2][3]; // from A's centre to B's, in the axes of each [m]
    CnLanes size;        // of the smaller box [m]
    CnLanes tie;         // what counts as equal [m]
    CnLanes round_off;   // what counts as round-off [m]
    CnLanes doubt;       // a separation is surely less than one that is larger by this [m]
    CnLanes margin;      // [m]
    CnMask reversed;     // the first is B
} BoxLanes;

// The numbers of a box that are loaded: centre, extent, axes, each with its half edge.
enum { CENTER = 0, SIZE = 3, AXES = 4, HALF = 7, NUMBERS = 16 };
_Static_assert(offsetof(CnPlacedPolyhedron, axes) - offsetof(CnPlacedPolyhedron, center) ==
                   AXES * sizeof(double),
               "the axes follow the centre");

CN_LANE_FUNCTION void load_numbers(const CnPlacedPolyhedron* const boxes[],
                                   CnLanes numbers[NUMBERS]) {
    for (int n = 0; n < NUMBERS; n += 2) {
        const double* from[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            from[i] = &boxes[i]->center[0] + n;
        }
        cn_lanes_gather(from, &numbers[n]);
    }
}

CN_LANE_FUNCTION CnLanes dot_lanes(const CnLanes a[3], const CnLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

CN_LANE_FUNCTION void see_each_other(const CnLanes a[NUMBERS], const CnLanes b[NUMBERS],
                                     BoxLanes* out) {
    CnLanes between[3];
    for (int x = 0; x < 3; ++x) {
        between[x] = b[CENTER + x] - a[CENTER + x];
    }
    for (int i = 0; i < 3; ++i) {
        out->half[0][i] = a[4 * i + HALF];
        out->half[1][i] = b[4 * i + HALF];
        out->along[0][i] = dot_lanes(&a[4 * i + AXES], between);
        out->along[1][i] = dot_lanes(&b[4 * i + AXES], between);
        for (int j = 0; j < 3; ++j) {
            out->turn[i][j] = dot_lanes(&a[4 * i + AXES], &b[4 * j + AXES]);
        }
    }
}

static __attribute__((noinline)) void ask_order(const CnBoxBlock* block, int start,
                                                double orders[CN_LANES]) {
    for (int i = 0; i < CN_LANES; ++i) {
        if (orders[i] == 0.0) {
            CnPlacedShape a = *block->boxes[0][start + i]->from;
            CnPlacedShape b = *block->boxes[1][start + i]->from;
            orders[i] = cn_pair_is_reversed(a, b) ? -1.0 : 1.0;
        }
    }
}

// docs/theory/collision/sat.md (10) for boxes; pairs that it does not decide are ordered one by
// one.
CN_LANE_FUNCTION CnMask find_reversed(const CnBoxBlock* block, int start, CnLanes size_a,
                                      CnLanes size_b, const BoxLanes* boxes) {
    const CnVec3 weights = cn_pair_weights();
    const CnLanes *u = boxes->along[0], *v = boxes->along[1];
    CnLanes seen =
        weights.x * (u[0] + v[0]) + weights.y * (u[1] + v[1]) + weights.z * (u[2] + v[2]);
    CnMask told = cn_less(boxes->tie, cn_lanes_abs(seen)), same = cn_equal(size_a, size_b);
    for (int i = 0; i < 3; ++i) {
        told &= cn_equal(boxes->half[0][i], boxes->half[1][i]);
    }
    CnLanes order = cn_select(same, seen, size_b - size_a);
    CnMask doubtful = cn_and_not(same, told);
    if (cn_any(doubtful)) {
        double orders[CN_LANES];
        cn_lanes_store(cn_select(doubtful, cn_lanes(0.0), order), orders);
        ask_order(block, start, orders);
        order = cn_lanes_load(orders);
    }
    return cn_is_negative(order);
}

// A length, or 0 where it is round-off: that must not decide which side of a box the other is on.
CN_LANE_FUNCTION CnLanes without_round_off(CnLanes round_off, CnLanes length) {
    CnMask is_round_off = cn_at_most(cn_lanes_abs(length), round_off);
    return cn_select(is_round_off, cn_lanes(0.0), length);
}

CN_LANE_FUNCTION void load_boxes(const CnBoxBlock* block, int start, BoxLanes* boxes) {
    CnLanes a[NUMBERS], b[NUMBERS];
    load_numbers(&block->boxes[0][start], a);
    load_numbers(&block->boxes[1][start], b);
    see_each_other(a, b, boxes);
    boxes->size = cn_lanes_min(a[SIZE], b[SIZE]);
    boxes->tie = CN_TIE_TOLERANCE * boxes->size;
    boxes->round_off = cn_lanes_max(CN_BOX_ROUND_OFF * boxes->size,
                                    CN_LARGER_BOX_ROUND_OFF * cn_lanes_max(a[SIZE], b[SIZE]));
    boxes->doubt = boxes->tie + CN_BOX_ROUND_OFF * (a[SIZE] + b[SIZE]);
    boxes->margin = cn_lanes_load(&block->margin[start]);
    boxes->reversed = find_reversed(block, start, a[SIZE], b[SIZE], boxes);
}

// The reference face and the incident one.

typedef struct BoxFrame {
    CnMask of_b;        // the reference is a face of B
    CnMask of_second;   // it is one of the second box
    CnLanes axis[2];    // of the reference face, of the incident one
    CnMask high[2];     // whether the face is at the positive end of it
    CnLanes half[2][3]; // half edges along u, v, w; along p, q, r [m]
    CnLanes turn[3][3]; // from p, q, r to u, v, w
    CnLanes between[3]; // from the centre of the reference's box to that of the other [m]
    CnLanes size, tie, round_off, doubt, margin; // as in BoxLanes
    CnLanes separation;                          // along w [m]
    CnLanes best_face;                           // of all faces, which is a tie more at most [m]
} BoxFrame;

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

// Of the faces of both boxes; that of the second is the reference if it is better by more than the
// tie.
CN_LANE_FUNCTION void find_reference(const BoxLanes* boxes, BoxFrame* frame) {
    const CnLanes *a = boxes->half[0], *b = boxes->half[1];
    CnLanes of_a[3], of_b[3], size[3][3], best[2], axis[2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            size[i][j] = cn_lanes_abs(boxes->turn[i][j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        of_a[i] = cn_lanes_abs(boxes->along[0][i]) -
                  (a[i] + (b[0] * size[i][0] + b[1] * size[i][1] + b[2] * size[i][2]));
        of_b[i] = cn_lanes_abs(boxes->along[1][i]) -
                  (b[i] + (a[0] * size[0][i] + a[1] * size[1][i] + a[2] * size[2][i]));
    }
    best_of_three(of_a, boxes->tie, &best[0], &axis[0]);
    best_of_three(of_b, boxes->tie, &best[1], &axis[1]);
    CnMask a_better = cn_less(best[1] + boxes->tie, best[0]);
    CnMask b_better = cn_less(best[0] + boxes->tie, best[1]);
    frame->of_b = b_better | cn_and_not(boxes->reversed, a_better);
    frame->of_second = frame->of_b ^ boxes->reversed;
    frame->axis[0] = cn_select(frame->of_b, axis[1], axis[0]);
    frame->separation = cn_select(frame->of_b, best[1], best[0]);
    frame->best_face = cn_lanes_max(best[0], best[1]);
}

CN_LANE_FUNCTION void pick_axes(CnLanes axis, const CnLanes of[3], CnLanes picked[3]) {
    picked[0] = cn_select_of_three(axis, of[1], of[2], of[0]);
    picked[1] = cn_select_of_three(axis, of[2], of[0], of[1]);
    picked[2] = cn_select_of_three(axis, of[0], of[1], of[2]);
}

// Leaves the columns of the turn, and the half edges of the other box, in the order x, y, z.
CN_LANE_FUNCTION void see_from_reference(const BoxLanes* boxes, BoxFrame* frame, CnLanes rows[3][3],
                                         CnLanes half[3]) {
    CnMask of_b = frame->of_b;
    CnLanes axis = frame->axis[0], own[3], between[3];
    for (int i = 0; i < 3; ++i) {
        own[i] = cn_select(of_b, boxes->half[1][i], boxes->half[0][i]);
        half[i] = cn_select(of_b, boxes->half[0][i], boxes->half[1][i]);
        between[i] = cn_select(of_b, -boxes->along[1][i], boxes->along[0][i]);
        between[i] = without_round_off(boxes->round_off, between[i]);
    }
    pick_axes(axis, own, frame->half[0]);
    pick_axes(axis, between, frame->between);
    frame->high[0] = cn_at_most(cn_lanes(0.0), frame->between[2]);
    CnLanes outward = frame->between[2];
    frame->between[2] = cn_lanes_abs(outward);
    for (int j = 0; j < 3; ++j) {
        CnLanes column[3], seen[3];
        for (int i = 0; i < 3; ++i) {
            column[i] = cn_select(of_b, boxes->turn[j][i], boxes->turn[i][j]);
        }
        pick_axes(axis, column, seen);
        rows[0][j] = seen[0];
        rows[1][j] = seen[1];
        rows[2][j] = cn_lanes_times_sign(seen[2], outward);
    }
}

// The face that faces the reference most; of equals, to within CN_TIE_TOLERANCE, the first.
CN_LANE_FUNCTION void find_incident(CnLanes rows[3][3], const CnLanes half[3], BoxFrame* frame) {
    CnLanes facing[3], most, axis;
    for (int j = 0; j < 3; ++j) {
        facing[j] = cn_lanes_abs(rows[2][j]);
    }
    best_of_three(facing, cn_lanes(CN_TIE_TOLERANCE), &most, &axis);
    frame->axis[1] = axis;
    pick_axes(axis, half, frame->half[1]);
    for (int i = 0; i < 3; ++i) {
        pick_axes(axis, rows[i], frame->turn[i]);
    }
    frame->high[1] = cn_is_negative(frame->turn[2][2]);
}

CN_LANE_FUNCTION void make_frame(const BoxLanes* boxes, BoxFrame* frame) {
    CnLanes rows[3][3], half[3];
    see_from_reference(boxes, frame, rows, half);
    find_incident(rows, half, frame);
    frame->size = boxes->size;
    frame->tie = boxes->tie;
    frame->round_off = boxes->round_off;
    frame->doubt = boxes->doubt;
    frame->margin = boxes->margin;
}

// The cross products of edges.

typedef struct BoxAxes {
    CnLanes edges;      // 3 i + j if the cross product of axis i of u v w and j of p q r is best
                        // of all, or -1: a face is
    CnLanes separation; // best of all [m]
    CnLanes scale;      // one over the length of that cross product
} BoxAxes;

// An axis along a cross product, before the division by its length l.
typedef struct CrossAxisLanes {
    CnLanes apart;  // separation times l [m]
    CnLanes square; // l^2
    CnLanes edges;  // 3 i + j, or -1: a face
} CrossAxisLanes;

// Keeps an axis if its separation is larger than that of an earlier one by more than round-off.
// Separations s / l are compared as s |s| / l^2 crosswise, which takes neither a root nor a
// division; only the best is divided.
CN_LANE_FUNCTION void keep_better(const BoxFrame* frame, const CrossAxisLanes* other,
                                  CrossAxisLanes* best) {
    CnLanes apart = other->apart - frame->round_off;
    CnMask better = cn_less(best->apart * cn_lanes_abs(best->apart) * other->square,
                            apart * cn_lanes_abs(apart) * best->square);
    best->apart = cn_select(better, other->apart, best->apart);
    best->square = cn_select(better, other->square, best->square);
    best->edges = cn_select(better, other->edges, best->edges);
}

// Makes an axis lose against any other; its square has no overflow [m].
#define FAR_WORSE 1e150

// docs/theory/collision/sat.md (4).
CN_LANE_FUNCTION CrossAxisLanes cross_axis(const BoxFrame* frame, CnLanes size[3][3], int i,
                                           int j) {
    const CnLanes *own = frame->half[0], *other = frame->half[1], *offset = frame->between;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    CnLanes y = frame->turn[i2][j], z = frame->turn[i1][j];
    CnLanes apart = cn_lanes_abs(offset[i2] * z - offset[i1] * y) -
                    (own[i1] * size[i2][j] + own[i2] * size[i1][j] +
                     (other[j1] * size[i][j2] + other[j2] * size[i][j1]));
    CnLanes square = y * y + z * z;
    CnMask parallel = cn_less(square, cn_lanes(CN_PARALLEL_TOLERANCE * CN_PARALLEL_TOLERANCE));
    return (CrossAxisLanes){apart - cn_where(parallel, FAR_WORSE), square, cn_lanes(3 * i + j)};
}

// At least so much do boxes overlap along any normal square to one axis of a box: along its other
// two are these half edges and offsets. docs/theory/collision/sat.md (17).
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

// Whether, by a cheap bound, edges along w or r may have a larger separation than the faces in some
// lane.
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
    CrossAxisLanes best = {frame->best_face, cn_lanes(1.0), cn_lanes(-1.0)};
    CrossAxisLanes first = cross_axis(frame, size, 0, 0), second = cross_axis(frame, size, 0, 1),
                   third = cross_axis(frame, size, 1, 0), fourth = cross_axis(frame, size, 1, 1);
    keep_better(frame, &second, &first);
    keep_better(frame, &fourth, &third);
    keep_better(frame, &first, &best);
    keep_better(frame, &third, &best);
    if (steep_edges_matter(frame)) {
        static const int pairs[5][2] = {{0, 2}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
        CN_UNROLLED
        for (int k = 0; k < 5; ++k) {
            CrossAxisLanes next = cross_axis(frame, size, pairs[k][0], pairs[k][1]);
            keep_better(frame, &next, &best);
        }
    }
    out->edges = best.edges;
    out->scale = 1.0 / cn_lanes_sqrt(best.square);
    out->separation = best.apart * out->scale;
}

// Where faces separate the boxes in all lanes, edges are skipped and no frame is made.
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
