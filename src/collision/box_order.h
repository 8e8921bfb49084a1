// box_order.h - pairs of boxes side by side, as the two of each see each other.
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
    CnLanes margin;      // [m]
    CnMask reversed;     // the first is B
} BoxLanes;

// The numbers of a box that are loaded: axes (row by row), half edges, centre, size.
enum { HALF = 9, CENTER = 12, SIZE = 15, NUMBERS = 16 };
_Static_assert(offsetof(CnPlacedBox, half) == HALF * sizeof(double), "half edges follow the axes");
_Static_assert(offsetof(CnPlacedBox, center) == CENTER * sizeof(double), "then comes the centre");
_Static_assert(offsetof(CnPlacedBox, size) == SIZE * sizeof(double), "then the size");

CN_LANE_FUNCTION void load_numbers(const CnPlacedBox* const boxes[], CnLanes numbers[NUMBERS]) {
    for (int n = 0; n < NUMBERS; n += CN_LANES) {
        for (int i = 0; i < CN_LANES; ++i) {
            numbers[n + i] = cn_lanes_load(&boxes[i]->axes.m[0][0] + n);
        }
        cn_lanes_transpose(&numbers[n]);
    }
}

CN_LANE_FUNCTION CnLanes dot_lanes(const CnLanes a[3], const CnLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The dot product of column k of the axes with a vector.
CN_LANE_FUNCTION CnLanes along_axis(const CnLanes numbers[NUMBERS], int k, CnLanes x, CnLanes y,
                                    CnLanes z) {
    return numbers[k] * x + numbers[3 + k] * y + numbers[6 + k] * z;
}

CN_LANE_FUNCTION void see_each_other(const CnLanes a[NUMBERS], const CnLanes b[NUMBERS],
                                     BoxLanes* out) {
    CnLanes x = b[CENTER] - a[CENTER], y = b[CENTER + 1] - a[CENTER + 1],
            z = b[CENTER + 2] - a[CENTER + 2];
    for (int i = 0; i < 3; ++i) {
        out->half[0][i] = a[HALF + i];
        out->half[1][i] = b[HALF + i];
        out->along[0][i] = along_axis(a, i, x, y, z);
        out->along[1][i] = along_axis(b, i, x, y, z);
        for (int j = 0; j < 3; ++j) {
            out->turn[i][j] = along_axis(a, i, b[j], b[3 + j], b[6 + j]);
        }
    }
}

static inline void ask_order(const CnPlacedBox* const a[CN_LANES],
                             const CnPlacedBox* const b[CN_LANES], double orders[CN_LANES]) {
    for (int i = 0; i < CN_LANES; ++i) {
        if (orders[i] == 0.0) {
            orders[i] = cn_pair_is_reversed(a[i]->placed, b[i]->placed) ? -1.0 : 1.0;
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
    CnMask told = boxes->tie < cn_lanes_abs(seen);
    for (int i = 0; i < 3; ++i) {
        told &= (boxes->half[0][i] == boxes->half[1][i]);
    }
    CnMask differ = (size_a < size_b) | (size_b < size_a);
    CnLanes order = cn_select(differ, size_b - size_a, seen);
    order = cn_select(told | differ, order, cn_lanes(0.0));
    if (cn_any(order == 0.0)) {
        double orders[CN_LANES];
        cn_lanes_store(order, orders);
        ask_order(&block->a[start], &block->b[start], orders);
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
        boxes->along[0][i] = cn_select(boxes->reversed, -v, u);
        boxes->along[1][i] = cn_select(boxes->reversed, -u, v);
    }
}

CN_LANE_FUNCTION void load_boxes(const CnBoxBlock* block, int start, BoxLanes* boxes) {
    CnLanes a[NUMBERS], b[NUMBERS];
    load_numbers(&block->a[start], a);
    load_numbers(&block->b[start], b);
    see_each_other(a, b, boxes);
    boxes->size = cn_select(a[SIZE] < b[SIZE], a[SIZE], b[SIZE]);
    boxes->tie = CN_TIE * boxes->size;
    boxes->margin = cn_lanes_load(&block->margin[start]);
    boxes->reversed = find_reversed(block, start, a[SIZE], b[SIZE], boxes);
    put_in_order(boxes);
}
