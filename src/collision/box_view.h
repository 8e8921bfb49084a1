// box_view.h - pairs of boxes side by side, as the two of each see each other.
//
// Which box is first is decided here, so that nothing after this knows who was called A.
#pragma once

#include "collision/box_block.h"
#include "collision/lanes.h"
#include "collision/pair_order.h"
#include "collision/reduce.h"

#include <stddef.h>

typedef struct BoxLanes {
    CnLanes half[2][3];  // half edges [m]
    CnLanes turn[3][3];  // from the second box's axes to the first's
    CnLanes along[2][3]; // from the first's centre to the second's, in the axes of each [m]
    CnLanes size;        // of the smaller box [m]
    CnLanes tie;         // what counts as equal [m]
    CnLanes nothing;     // what counts as round-off [m]
    CnLanes margin;      // [m]
    CnMask reversed;     // the first is B
} BoxLanes;

// The numbers of a box that are loaded: centre, extent, axes, each with its half edge.
enum { CENTER = 0, SIZE = 3, AXES = 4, HALF = 7, NUMBERS = 16 };
_Static_assert(offsetof(CnPlacedBox, axes) - offsetof(CnPlacedBox, center) == AXES * sizeof(double),
               "the axes follow the centre");

CN_LANE_FUNCTION void load_numbers(const CnPlacedBox* const boxes[], CnLanes numbers[NUMBERS]) {
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
            CnPlacedShape a = *block->boxes[0][start + i]->shape;
            CnPlacedShape b = *block->boxes[1][start + i]->shape;
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
    CnMask told = cn_less(boxes->tie, cn_lanes_abs(seen));
    for (int i = 0; i < 3; ++i) {
        told &= cn_equal(boxes->half[0][i], boxes->half[1][i]);
    }
    CnMask differ = cn_less(size_a, size_b) | cn_less(size_b, size_a);
    CnLanes order = cn_select(differ, size_b - size_a, seen);
    order = cn_select(told | differ, order, cn_lanes(0.0));
    if (cn_any(cn_equal(order, cn_lanes(0.0)))) {
        double orders[CN_LANES];
        cn_lanes_store(order, orders);
        ask_order(block, start, orders);
        order = cn_lanes_load(orders);
    }
    return cn_is_negative(order);
}

CN_LANE_FUNCTION void swap_where(CnMask where, CnLanes* a, CnLanes* b) {
    CnLanes kept = *a;
    *a = cn_select(where, *b, *a);
    *b = cn_select(where, kept, *b);
}

CN_LANE_FUNCTION void put_in_order(BoxLanes* boxes) {
    for (int i = 0; i < 3; ++i) {
        swap_where(boxes->reversed, &boxes->half[0][i], &boxes->half[1][i]);
        swap_where(boxes->reversed, &boxes->turn[i][(i + 1) % 3], &boxes->turn[(i + 1) % 3][i]);
        CnLanes u = boxes->along[0][i], v = boxes->along[1][i];
        boxes->along[0][i] = cn_select(boxes->reversed, 0.0 - v, u); // no zero is negative
        boxes->along[1][i] = cn_select(boxes->reversed, 0.0 - u, v);
    }
}

// A length, and 0 for what is nothing: which side of a box the other is on must not hang on that.
CN_LANE_FUNCTION CnLanes without_nothing(const BoxLanes* boxes, CnLanes length) {
    CnMask is_nothing = cn_at_most(cn_lanes_abs(length), boxes->nothing);
    return cn_select(is_nothing, cn_lanes(0.0), length);
}

CN_LANE_FUNCTION void load_boxes(const CnBoxBlock* block, int start, BoxLanes* boxes) {
    CnLanes a[NUMBERS], b[NUMBERS];
    load_numbers(&block->boxes[0][start], a);
    load_numbers(&block->boxes[1][start], b);
    see_each_other(a, b, boxes);
    boxes->size = cn_lanes_min(a[SIZE], b[SIZE]);
    boxes->tie = CN_TIE * boxes->size;
    boxes->nothing = CN_NOTHING * boxes->size;
    boxes->margin = cn_lanes_load(&block->margin[start]);
    for (int i = 0; i < 3; ++i) {
        boxes->along[0][i] = without_nothing(boxes, boxes->along[0][i]);
        boxes->along[1][i] = without_nothing(boxes, boxes->along[1][i]);
    }
    boxes->reversed = find_reversed(block, start, a[SIZE], b[SIZE], boxes);
    put_in_order(boxes);
}
