// box_rough_lanes.h - pairs of boxes that are certainly apart, side by side in single precision.
//
// docs/theory/collision/sat.md, "Certainly apart".
#pragma once

#include "collision/box/box_block.h"
#include "math/simd.h"

#include <float.h>

// Separations are off by less than this, relative to the distance of the centres and the sizes, or
// by less than FLT_MIN, below which numbers lose their digits.
#define ROUGH 1e-5f

CN_LANE_FUNCTION CnFloatLanes floats_dot(const CnFloatLanes a[3], const CnFloatLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

typedef struct RoughBoxes {
    CnFloatLanes a[3][4], b[3][4]; // axes of each box, and behind each its half edge [m]
    CnFloatLanes between[4];       // from A's centre to B's [m]; the last is of no meaning
    CnFloatLanes margin;           // [m]
    CnFloatLanes along[3];         // the same in A's axes [m]
    CnFloatLanes turn[3][3];       // from B's axes to A's
    CnFloatLanes size[3][3];       // of its entries
    CnFloatLanes slack;            // what separations may be off by [m]
} RoughBoxes;

CN_LANE_FUNCTION CnFloat4 rounded(const double row[4]) {
    return __builtin_convertvector(cn_double4_load(row), CnFloat4);
}

CN_LANE_FUNCTION void load_rough(const CnBoxPair pairs[CN_FLOAT_LANES], RoughBoxes* out) {
    CnFloat4 rows[CN_FLOAT_LANES];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < CN_FLOAT_LANES; ++i) {
            rows[i] = rounded(pairs[i].a->axes[k]);
        }
        cn_floats_transpose(rows, out->a[k]);
        for (int i = 0; i < CN_FLOAT_LANES; ++i) {
            rows[i] = rounded(pairs[i].b->axes[k]);
        }
        cn_floats_transpose(rows, out->b[k]);
    }
    for (int i = 0; i < CN_FLOAT_LANES; ++i) {
        CnDouble4 between =
            cn_double4_load(pairs[i].b->center) - cn_double4_load(pairs[i].a->center);
        rows[i] = __builtin_convertvector(between, CnFloat4);
        out->margin[i] = (float)pairs[i].margin;
    }
    cn_floats_transpose(rows, out->between);
}

CN_LANE_FUNCTION void see_roughly(RoughBoxes* boxes) {
    const CnFloatLanes* between = boxes->between;
    CnFloatLanes all = boxes->margin + cn_floats_abs(between[0]) + cn_floats_abs(between[1]) +
                       cn_floats_abs(between[2]);
    for (int i = 0; i < 3; ++i) {
        all += boxes->a[i][3] + boxes->b[i][3];
        boxes->along[i] = floats_dot(boxes->a[i], between);
        for (int j = 0; j < 3; ++j) {
            boxes->turn[i][j] = floats_dot(boxes->a[i], boxes->b[j]);
            boxes->size[i][j] = cn_floats_abs(boxes->turn[i][j]);
        }
    }
    boxes->slack = ROUGH * all + FLT_MIN;
}

// Best separation along axes of faces [m].
CN_LANE_FUNCTION CnFloatLanes part_by_faces(const RoughBoxes* boxes) {
    const CnFloatLanes(*a)[4] = boxes->a, (*b)[4] = boxes->b, (*size)[3] = boxes->size;
    CnFloatLanes best = {0.0f};
    for (int i = 0; i < 3; ++i) {
        CnFloatLanes along_b = floats_dot(b[i], boxes->between);
        CnFloatLanes of_a =
            cn_floats_abs(boxes->along[i]) -
            (a[i][3] + (b[0][3] * size[i][0] + b[1][3] * size[i][1] + b[2][3] * size[i][2]));
        CnFloatLanes of_b =
            cn_floats_abs(along_b) -
            (b[i][3] + (a[0][3] * size[0][i] + a[1][3] * size[1][i] + a[2][3] * size[2][i]));
        best = cn_floats_max(best, cn_floats_max(of_a, of_b));
    }
    return best;
}

// Best separation along cross products of edges of A, made wider by the margin on all sides, and
// of B, before the division by their lengths [m].
CN_LANE_FUNCTION CnFloatLanes part_by_edges(const RoughBoxes* boxes) {
    const CnFloatLanes(*b)[4] = boxes->b, (*size)[3] = boxes->size;
    CnFloatLanes wide[3], best = {0.0f};
    for (int i = 0; i < 3; ++i) {
        wide[i] = boxes->a[i][3] + boxes->margin;
    }
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            CnFloatLanes y = boxes->turn[i2][j], z = boxes->turn[i1][j];
            CnFloatLanes gap = cn_floats_abs(boxes->along[i2] * z - boxes->along[i1] * y) -
                               (wide[i1] * size[i2][j] + wide[i2] * size[i1][j] +
                                (b[j1][3] * size[i][j2] + b[j2][3] * size[i][j1]));
            best = cn_floats_max(best, gap);
        }
    }
    return best;
}

// One bit for each pair.
CN_LANE_FUNCTION unsigned find_apart(const CnBoxPair pairs[CN_ROUGH_BLOCK]) {
    unsigned apart = 0;
    for (int start = 0; start < CN_ROUGH_BLOCK; start += CN_FLOAT_LANES) {
        RoughBoxes boxes;
        load_rough(&pairs[start], &boxes);
        see_roughly(&boxes);
        CnFloatLanes best =
            cn_floats_max(part_by_faces(&boxes) - boxes.margin, part_by_edges(&boxes));
        apart |= cn_float_mask_bits(boxes.slack < best) << start;
    }
    return apart;
}
