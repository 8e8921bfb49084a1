// polyhedron.h - boxes and convex hulls, prepared once for all their pairs.
#pragma once

#include "collision/sat/sat.h"
#include "math/simd.h"

#include <stddef.h>

// A box or a hull somewhere in the world: made once per step.
typedef struct CnPlacedPolyhedron {
    double center[4];  // origin of the shape, and behind it the extent [m]
    double axes[3][4]; // its own in the world; behind each, of a box the half edge along it [m], of
                       // a hull a coordinate of cn_pair_weights() as it carries them
    const CnShape* shape;
    const CnPlacedShape* from; // for its rotation
} CnPlacedPolyhedron;

// The shape must live as long.
void cn_polyhedron_place(const CnPlacedShape* shape, CnPlacedPolyhedron* placed);

static inline const CnQuat* cn_polyhedron_rotation(const CnPlacedPolyhedron* placed) {
    return &placed->from->pose.rotation;
}

static inline CnVec3 cn_polyhedron_center(const CnPlacedPolyhedron* placed) {
    return cn_vec3(placed->center[0], placed->center[1], placed->center[2]);
}

static inline double cn_polyhedron_extent(const CnPlacedPolyhedron* placed) {
    return placed->center[3];
}

// Of a hull only: docs/theory/collision/sat.md (10).
static inline CnVec3 cn_polyhedron_weights(const CnPlacedPolyhedron* placed) {
    return cn_vec3(placed->axes[0][3], placed->axes[1][3], placed->axes[2][3]);
}

// The hull of a box or convex shape; that of a box is made in storage.
static inline const CnHull* cn_polyhedron_hull(const CnShape* shape, CnBoxHull* storage) {
    return shape->type == CN_SHAPE_BOX ? cn_box_hull(shape->half_size, storage) : shape->hull;
}

// Where a polyhedron is. Both are read four numbers at a time.
typedef struct CnPolyhedronPose {
    const double* center; // three coordinates and an undefined number [m]
    const CnQuat* rotation;
} CnPolyhedronPose;

static inline CnPolyhedronPose cn_polyhedron_pose(const CnPlacedPolyhedron* placed) {
    return (CnPolyhedronPose){placed->center, cn_polyhedron_rotation(placed)};
}

// The pose of B in A's frame, and that of A in B's. One text (polyhedron_lanes.h) for two widths of
// registers; the same bits.
void cn_relative_poses_128(CnPolyhedronPose a, CnPolyhedronPose b, CnRelativePose seen[2]);
void cn_relative_poses_256(CnPolyhedronPose a, CnPolyhedronPose b,
                           CnRelativePose seen[2]); // takes AVX2

_Static_assert(offsetof(CnTransform, rotation) == 3 * sizeof(double) &&
                   sizeof(CnQuat) == 4 * sizeof(double),
               "a number follows the position");

static inline void cn_relative_poses(const CnTransform* a, const CnTransform* b,
                                     CnRelativePose seen[2]) {
    CnPolyhedronPose sight_a = {&a->position.x, &a->rotation},
                     sight_b = {&b->position.x, &b->rotation};
    CN_WIDEST(cn_relative_poses)(sight_a, sight_b, seen);
}
