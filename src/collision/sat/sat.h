// sat.h - separating axis test of two convex polyhedra.
#pragma once

#include "collision/hull/reduce.h"
#include "geometry/shape.h"
#include "math/mat3.h"

// The pose of B in A's frame. Everything below works in A's frame, so that no precision is lost far
// from the world's origin.
typedef struct CnRelativePose {
    CnMat3 turn;   // from B's axes to A's
    CnVec3 offset; // B's origin in A's frame [m]
} CnRelativePose;

static inline CnVec3 cn_relative_pose_place(const CnRelativePose* pose, CnVec3 point) {
    return cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, point));
}

// The cross product of edges closer to parallel than this [rad] is not used as an axis: round-off
// would turn their cross product by more than 1e-10, and the sliver of the Minkowski difference
// that is skipped is only this fraction of an edge wide.
#define CN_PARALLEL_TOLERANCE 1e-6

typedef struct CnSatAxis {
    CnVec3 normal;     // unit, from A to B, in A's frame
    double separation; // of the two along it, negative when they overlap [m]
    int a, b;          // features that give it, faces or edges; -1 where there is none. Of a face
                       // the other is one of the other hull that is likely to face it
} CnSatAxis;

extern const CnSatAxis cn_sat_no_axis; // separation -INFINITY

typedef struct CnSatAxes {
    CnSatAxis face_a; // best of A's face normals: a is the face
    CnSatAxis face_b; // best of B's: b is the face. Of hulls cn_sat_no_axis when none parts the two
                      // better than A's do
    CnSatAxis edges;  // best of the cross products; cn_sat_no_axis when none parts the two better
                      // than the faces do
} CnSatAxes;

// The axis of greatest separation of each kind; of those that differ by less than tie [m] the one
// of lower index, and of edges only what is better than the faces by more. False, with axes
// unfinished, as soon as one shows more than margin. `seen`: the pose of B in A's frame, and that
// of A in B's. docs/theory/collision/sat.md.
bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose seen[2], double margin,
                  double tie, CnSatAxes* axes);

// The face whose normal is nearest to the direction.
int cn_hull_facing(const CnHull* hull, CnVec3 direction);

// The same, faster if `likely` is that face; the direction is unit. docs/theory/collision/sat.md
// (22): one that faces the direction by more than that is the only one.
static inline int cn_hull_facing_likely(const CnHull* hull, CnVec3 direction, int likely) {
    bool is_clear =
        cn_vec3_dot(hull->faces[likely].normal, direction) > hull->alike + CN_TIE_TOLERANCE;
    return is_clear ? likely : cn_hull_facing(hull, direction);
}
