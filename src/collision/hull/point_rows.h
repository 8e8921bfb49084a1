// point_rows.h - points of two faces, written as rows and kept as columns.
//
// One after the other they come as rows. Columns are what four are chosen from, and are written
// four points at a time: a processor waits before it reads together what was written apart.
#pragma once

#include "collision/hull/face_points.h"
#include "math/simd.h"

// Points of two faces of at most CN_CUT_CORNERS corners: where edges cross, and the corners.
#define CUT_POINTS (4 * CN_CUT_CORNERS)

typedef struct PointRows {
    const CnFacePair* pair;
    CnFacePoints* points;
    CnDouble4 scale; // turns x, y, height and height into x, y, z and gap
    CnDouble4 rows[CUT_POINTS + 4];
    size_t count;
} PointRows;

CN_LANE_FUNCTION void start_rows(const CnFacePair* pair, CnFacePoints* points, PointRows* rows) {
    rows->pair = pair;
    rows->points = points;
    rows->scale = (CnDouble4){1.0, 1.0, 0.5, pair->lean};
    rows->count = 0;
}

// docs/theory/sat.md (5). What is beyond the margin is overwritten by the next.
CN_LANE_FUNCTION void put_point(PointRows* rows, CnDouble4 at, uint32_t key) {
    CnDouble4 point = at * rows->scale;
    size_t i = rows->count;
    rows->rows[i] = point;
    rows->points->feature[i] = key;
    rows->count = i + (point[3] <= rows->pair->margin);
}

// Four points become parts of four columns. Returns the gaps.
CN_LANE_FUNCTION CnDouble4 put_columns(const CnDouble4 rows[4], int i, CnFacePoints* points) {
    CnDouble4 a = __builtin_shufflevector(rows[0], rows[2], 0, 1, 4, 5);
    CnDouble4 b = __builtin_shufflevector(rows[1], rows[3], 0, 1, 4, 5);
    CnDouble4 c = __builtin_shufflevector(rows[0], rows[2], 2, 3, 6, 7);
    CnDouble4 d = __builtin_shufflevector(rows[1], rows[3], 2, 3, 6, 7);
    CnDouble4 gap = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    cn_double4_store(__builtin_shufflevector(a, b, 0, 4, 2, 6), points->x + i);
    cn_double4_store(__builtin_shufflevector(a, b, 1, 5, 3, 7), points->y + i);
    cn_double4_store(__builtin_shufflevector(c, d, 0, 4, 2, 6), points->z + i);
    cn_double4_store(gap, points->gap + i);
    return gap;
}

CN_LANE_FUNCTION void pad_columns(CnFacePoints* points, int from) {
    CN_UNROLLED
    for (int i = from; i < from + CN_FLAT_PAD; i += 4) {
        cn_double4_store(cn_double4(0.0), points->x + i);
        cn_double4_store(cn_double4(0.0), points->y + i);
        cn_double4_store(cn_double4(0.0), points->z + i);
        cn_double4_store(cn_double4(HUGE_VAL), points->gap + i);
    }
}

CN_LANE_FUNCTION double least_of_row(CnDouble4 row) {
    row = cn_double4_min(row, __builtin_shufflevector(row, row, 2, 3, 0, 1));
    return cn_double4_min(row, __builtin_shufflevector(row, row, 1, 0, 3, 2))[0];
}

CN_LANE_FUNCTION void finish_rows(PointRows* rows) {
    const CnDouble4 none = {0.0, 0.0, 0.0, HUGE_VAL};
    CnDouble4 least = cn_double4(HUGE_VAL);
    int count = (int)rows->count, i = 0;
    for (int k = 0; k < 4; ++k) {
        rows->rows[count + k] = none;
    }
    for (; i < count; i += 4) {
        least = cn_double4_min(least, put_columns(&rows->rows[i], i, rows->points));
    }
    pad_columns(rows->points, i);
    rows->points->count = count;
    rows->points->least = least_of_row(least);
}
