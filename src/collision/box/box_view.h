// box_view.h - pairs of boxes side by side, as the two of each see each other.
//
// Which box is first is decided here. All is seen by A and by B to the same bits, so that nothing
// that asks which is first, and not which is A, knows who was called A.
#pragma once

#include "collision/box/box_block.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/reduce.h"
#include "math/simd.h"

#include <stddef.h>

typedef struct BoxLanes {
    CnLanes half[2][3];  // half edges of A, of B [m]
    CnLanes turn[3][3];  // from B's axes to A's
    CnLanes along[2][3]; // from A's centre to B's, in the axes of each [m]
    CnLanes size;        // of the smaller box [m]
    CnLanes tie;         // what counts as equal [m]
    CnLanes nothing;     // what counts as round-off [m]
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

// docs/theory/sat.md (10) for boxes; where it does not tell, the pairs are asked one by one.
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

// A length, and 0 for what is nothing: which side of a box the other is on must not hang on that.
CN_LANE_FUNCTION CnLanes without_nothing(CnLanes nothing, CnLanes length) {
    CnMask is_nothing = cn_at_most(cn_lanes_abs(length), nothing);
    return cn_select(is_nothing, cn_lanes(0.0), length);
}

CN_LANE_FUNCTION void load_boxes(const CnBoxBlock* block, int start, BoxLanes* boxes) {
    CnLanes a[NUMBERS], b[NUMBERS];
    load_numbers(&block->boxes[0][start], a);
    load_numbers(&block->boxes[1][start], b);
    see_each_other(a, b, boxes);
    boxes->size = cn_lanes_min(a[SIZE], b[SIZE]);
    boxes->tie = CN_TIE * boxes->size;
    boxes->nothing =
        cn_lanes_max(CN_NOTHING * boxes->size, CN_ROUND_OFF * cn_lanes_max(a[SIZE], b[SIZE]));
    boxes->doubt = boxes->tie + CN_NOTHING * (a[SIZE] + b[SIZE]);
    boxes->margin = cn_lanes_load(&block->margin[start]);
    boxes->reversed = find_reversed(block, start, a[SIZE], b[SIZE], boxes);
}
