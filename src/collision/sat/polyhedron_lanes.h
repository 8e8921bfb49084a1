// polyhedron_lanes.h - relative poses of polyhedra, four numbers at a time.
//
// Rows hold the coordinates of a vector, or a quaternion as w, x, y, z. The fourth number of a
// vector is undefined. Operations and their order are those of cairn/math.h.
#pragma once

#include "collision/sat/polyhedron.h"
#include "math/simd.h"

#include <stddef.h>

CN_LANE_FUNCTION CnDouble4 row_of(const CnQuat* q) {
    CnDouble4 row;
    memcpy(&row, q, sizeof row);
    return row;
}

CN_LANE_FUNCTION CnDouble4 with_signs(CnDouble4 row, CnDouble4 signs) {
    return (CnDouble4)((CnInt4)row ^ (CnInt4)signs);
}

#define NEXT(row) __builtin_shufflevector(row, row, 1, 2, 0, 3)     // y z x
#define PREVIOUS(row) __builtin_shufflevector(row, row, 2, 0, 1, 3) // z x y

CN_LANE_FUNCTION CnDouble4 row_cross(CnDouble4 a, CnDouble4 b) {
    return NEXT(a) * PREVIOUS(b) - PREVIOUS(a) * NEXT(b);
}

// conj(a) b
CN_LANE_FUNCTION CnDouble4 turn_between(const CnQuat* a, CnDouble4 b) {
    const CnDouble4 sign_x = {0.0, -0.0, 0.0, -0.0}, sign_y = {0.0, -0.0, -0.0, 0.0};
    const CnDouble4 sign_z = {0.0, 0.0, -0.0, -0.0};
    return a->w * b + a->x * with_signs(__builtin_shufflevector(b, b, 1, 0, 3, 2), sign_x) +
           a->y * with_signs(__builtin_shufflevector(b, b, 2, 3, 0, 1), sign_y) +
           a->z * with_signs(__builtin_shufflevector(b, b, 3, 2, 1, 0), sign_z);
}

// Three rows of a matrix. Below its diagonal, then beyond the end, it has m10 m21 m02, above it
// m20 m01 m12, as columns 0, 1 and 2 have them.
CN_LANE_FUNCTION void weave(CnDouble4 diagonal, CnDouble4 below, CnDouble4 above,
                            CnDouble4 rows[3]) {
    CnDouble4 first = __builtin_shufflevector(diagonal, above, 0, 5, 2, 3);
    CnDouble4 second = __builtin_shufflevector(diagonal, below, 4, 1, 2, 3);
    CnDouble4 third = __builtin_shufflevector(diagonal, above, 4, 1, 2, 3);
    rows[0] = __builtin_shufflevector(first, below, 0, 1, 6, 3);
    rows[1] = __builtin_shufflevector(second, above, 0, 1, 6, 3);
    rows[2] = __builtin_shufflevector(third, below, 0, 5, 2, 3);
}

// The matrix of a rotation, as cn_mat3_from_quat() has it, and its transpose.
CN_LANE_FUNCTION void rows_of_turn(CnDouble4 q, CnDouble4 rows[3], CnDouble4 columns[3]) {
    CnDouble4 twice = 2.0 * q, squares = twice * q;
    CnDouble4 products = __builtin_shufflevector(twice, twice, 2, 1, 1, 0) *
                         __builtin_shufflevector(q, q, 3, 3, 2, 0); // y z, x z, x y
    CnDouble4 turns = twice[0] * __builtin_shufflevector(q, q, 1, 2, 3, 0);
    CnDouble4 diagonal = 1.0 - (__builtin_shufflevector(squares, squares, 2, 1, 1, 0) +
                                __builtin_shufflevector(squares, squares, 3, 3, 2, 0));
    CnDouble4 plus = products + turns, minus = products - turns; // m21 m02 m10, m12 m20 m01
    weave(diagonal, PREVIOUS(plus), NEXT(minus), rows);
    weave(diagonal, PREVIOUS(minus), NEXT(plus), columns);
}

CN_LANE_FUNCTION CnDouble4 unrotate(const CnQuat* q, CnDouble4 v) {
    CnDouble4 quaternion = row_of(q);
    CnDouble4 axis = -__builtin_shufflevector(quaternion, quaternion, 1, 2, 3, 0);
    CnDouble4 t = 2.0 * row_cross(axis, v);
    return v + q->w * t + row_cross(axis, t);
}

_Static_assert(offsetof(CnRelativePose, offset) == 9 * sizeof(double) &&
                   sizeof(CnRelativePose) == 12 * sizeof(double),
               "rows and the offset follow each other");

// Each store writes one number too many, which the next store overwrites; the last must not.
CN_LANE_FUNCTION void store_pose(const CnDouble4 rows[3], CnDouble4 offset, CnRelativePose* pose) {
    CnDouble2 half = __builtin_shufflevector(offset, offset, 0, 1);
    for (int i = 0; i < 3; ++i) {
        cn_double4_store(rows[i], pose->turn.m[i]);
    }
    memcpy(&pose->offset, &half, sizeof half);
    pose->offset.z = offset[2];
}

CN_LANE_FUNCTION void see(CnPolyhedronPose a, CnPolyhedronPose b, CnRelativePose seen[2]) {
    CnDouble4 rows[3], columns[3];
    rows_of_turn(turn_between(a.rotation, row_of(b.rotation)), rows, columns);
    CnDouble4 across = cn_double4_load(b.center) - cn_double4_load(a.center);
    CnDouble4 offset = unrotate(a.rotation, across);
    CnDouble4 back = -(offset[0] * rows[0] + offset[1] * rows[1] + offset[2] * rows[2]);
    store_pose(rows, offset, &seen[0]);
    store_pose(columns, back, &seen[1]);
}
