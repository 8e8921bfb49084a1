// box_rough.h - which pairs of boxes are surely apart, side by side in single precision.
//
// docs/theory/sat.md, "Surely apart".
#pragma once

#include "collision/box/box_block.h"
#include "collision/box/lanes.h"

#include <float.h>

#define ROUGH_LANES (2 * CN_LANES)

typedef float Floats __attribute__((vector_size(4 * ROUGH_LANES)));
typedef int32_t FloatBits __attribute__((vector_size(4 * ROUGH_LANES)));
typedef float FloatRow __attribute__((vector_size(16)));

// Separations are off by less than this, relative to the distance of the centres and the sizes, or
// by less than FLT_MIN, below which numbers lose their digits.
#define ROUGH 1e-5f

CN_LANE_FUNCTION Floats floats_abs(Floats x) {
    return (Floats)((FloatBits)x & (INT32_MAX | (FloatBits){0}));
}

CN_LANE_FUNCTION Floats floats_dot(const Floats a[3], const Floats b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Of equal numbers the first, and x if y is none.
#if CN_LANES == 4
CN_LANE_FUNCTION Floats floats_max(Floats x, Floats y) {
    return (Floats)_mm256_max_ps((__m256)y, (__m256)x);
}

CN_LANE_FUNCTION unsigned float_answers(FloatBits mask) {
    return (unsigned)_mm256_movemask_ps((__m256)mask);
}
#else
CN_LANE_FUNCTION Floats floats_max(Floats x, Floats y) {
    FloatBits larger = x < y;
    return (Floats)(((FloatBits)y & larger) | ((FloatBits)x & ~larger));
}

CN_LANE_FUNCTION unsigned float_answers(FloatBits mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}
#endif

// Four numbers of each lane become four vectors: squares of one number change places across the
// diagonal, then squares of two.
CN_LANE_FUNCTION void gather_floats(const FloatRow rows[ROUGH_LANES], Floats to[4]) {
#if CN_LANES == 4
    Floats row[4];
    for (int i = 0; i < 4; ++i) { // not a shuffle, which gcc would not fill straight from memory
        __m256 low = _mm256_castps128_ps256((__m128)rows[i]);
        row[i] = (Floats)_mm256_insertf128_ps(low, (__m128)rows[i + 4], 1);
    }
    Floats a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
    Floats b = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
    Floats c = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
    Floats d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
    to[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    to[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    to[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    to[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    Floats a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    Floats b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    Floats c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    Floats d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    to[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    to[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    to[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    to[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
}

typedef struct RoughBoxes {
    Floats a[3][4], b[3][4]; // axes of each box, and behind each its half edge [m]
    Floats between[4];       // from A's centre to B's [m]; the last is of no meaning
    Floats margin;           // [m]
    Floats along[3];         // the same in A's axes [m]
    Floats turn[3][3];       // from B's axes to A's
    Floats size[3][3];       // of its entries
    Floats slack;            // what separations may be off by [m]
} RoughBoxes;

CN_LANE_FUNCTION void load_rough(const CnBoxPair pairs[ROUGH_LANES], RoughBoxes* out) {
    FloatRow rows[ROUGH_LANES];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < ROUGH_LANES; ++i) {
            memcpy(&rows[i], pairs[i].a->rough[k], sizeof rows[i]);
        }
        gather_floats(rows, out->a[k]);
        for (int i = 0; i < ROUGH_LANES; ++i) {
            memcpy(&rows[i], pairs[i].b->rough[k], sizeof rows[i]);
        }
        gather_floats(rows, out->b[k]);
    }
    for (int i = 0; i < ROUGH_LANES; ++i) {
        CnRow between = cn_row_load(pairs[i].b->center) - cn_row_load(pairs[i].a->center);
        rows[i] = __builtin_convertvector(between, FloatRow);
        out->margin[i] = (float)pairs[i].margin;
    }
    gather_floats(rows, out->between);
}

CN_LANE_FUNCTION void see_roughly(RoughBoxes* boxes) {
    const Floats* between = boxes->between;
    Floats all =
        boxes->margin + floats_abs(between[0]) + floats_abs(between[1]) + floats_abs(between[2]);
    for (int i = 0; i < 3; ++i) {
        all += boxes->a[i][3] + boxes->b[i][3];
        boxes->along[i] = floats_dot(boxes->a[i], between);
        for (int j = 0; j < 3; ++j) {
            boxes->turn[i][j] = floats_dot(boxes->a[i], boxes->b[j]);
            boxes->size[i][j] = floats_abs(boxes->turn[i][j]);
        }
    }
    boxes->slack = ROUGH * all + FLT_MIN;
}

// Best separation along axes of faces [m].
CN_LANE_FUNCTION Floats part_by_faces(const RoughBoxes* boxes) {
    const Floats(*a)[4] = boxes->a, (*b)[4] = boxes->b, (*size)[3] = boxes->size;
    Floats best = {0.0f};
    for (int i = 0; i < 3; ++i) {
        Floats along_b = floats_dot(b[i], boxes->between);
        Floats of_a =
            floats_abs(boxes->along[i]) -
            (a[i][3] + (b[0][3] * size[i][0] + b[1][3] * size[i][1] + b[2][3] * size[i][2]));
        Floats of_b =
            floats_abs(along_b) -
            (b[i][3] + (a[0][3] * size[0][i] + a[1][3] * size[1][i] + a[2][3] * size[2][i]));
        best = floats_max(best, floats_max(of_a, of_b));
    }
    return best;
}

// Best separation along cross products of edges of A, made wider by the margin on all sides, and
// of B, before the division by their lengths [m].
CN_LANE_FUNCTION Floats part_by_edges(const RoughBoxes* boxes) {
    const Floats(*b)[4] = boxes->b, (*size)[3] = boxes->size;
    Floats wide[3], best = {0.0f};
    for (int i = 0; i < 3; ++i) {
        wide[i] = boxes->a[i][3] + boxes->margin;
    }
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            Floats y = boxes->turn[i2][j], z = boxes->turn[i1][j];
            Floats gap = floats_abs(boxes->along[i2] * z - boxes->along[i1] * y) -
                         (wide[i1] * size[i2][j] + wide[i2] * size[i1][j] +
                          (b[j1][3] * size[i][j2] + b[j2][3] * size[i][j1]));
            best = floats_max(best, gap);
        }
    }
    return best;
}

// One bit for each pair.
CN_LANE_FUNCTION unsigned find_apart(const CnBoxPair pairs[CN_ROUGH_BLOCK]) {
    unsigned apart = 0;
    for (int start = 0; start < CN_ROUGH_BLOCK; start += ROUGH_LANES) {
        RoughBoxes boxes;
        load_rough(&pairs[start], &boxes);
        see_roughly(&boxes);
        Floats best = floats_max(part_by_faces(&boxes) - boxes.margin, part_by_edges(&boxes));
        apart |= float_answers(boxes.slack < best) << start;
    }
    return apart;
}
