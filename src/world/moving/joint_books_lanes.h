// joint_books_lanes.h - what joints do to energy and momentum, one joint in each lane.
//
// Impulses times cn_compact_rates() (world/trees/compact_rows.h), and cn_ledger_add_reaction() of
// ledger.c, operation by operation.
#include "math/lane_vectors.h"
#include "world/moving/moving.h"

CN_LANE_FUNCTION CnLaneVec3 point_velocity(const CnLanes v[6], CnLaneVec3 arm) {
    return cn_lane_add(cn_lane_vec3(v), cn_lane_cross(cn_lane_vec3(v + 3), arm));
}

// Of the last number of an odd count nothing is read beyond.
CN_LANE_FUNCTION void read_impulses(const CnJointWork* joints, CnLanes p[CN_MAX_ROWS]) {
    int rows = joints->row_count;
    cn_lanes_gather_many(joints->impulse, 0, 2, p);
    if (rows >= 4) {
        cn_lanes_gather_many(joints->impulse, 2, 2, p + 2);
    }
    if (rows % 2 != 0) {
        p[rows - 1] = cn_lanes_gather_one(joints->impulse, rows - 1);
    }
}

CN_LANE_STAGE void joint_work_group(const CnJointWork* joints, double* total, double* scale) {
    const double *vectors[CN_LANES], *arms[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        vectors[i] = &joints->rows[i]->vector[0].x;
        arms[i] = &joints->rows[i]->arm_a.x;
    }
    CnLanes n[16], arm[6], a[6], b[6], p[CN_MAX_ROWS]; // of n the last is a number of the arms
    cn_lanes_gather_many(vectors, 0, 10, n);
    if (joints->row_count > 3) {
        cn_lanes_gather_many(vectors, 10, 6, n + 10);
    }
    cn_lanes_gather_many(arms, 0, 6, arm);
    cn_lanes_gather_many(joints->a, 0, 6, a);
    cn_lanes_gather_many(joints->b, 0, 6, b);
    read_impulses(joints, p);
    CnLaneVec3 v =
        cn_lane_sub(point_velocity(b, cn_lane_vec3(arm + 3)), point_velocity(a, cn_lane_vec3(arm)));
    CnLaneVec3 w = cn_lane_sub(cn_lane_vec3(b + 3), cn_lane_vec3(a + 3));
    CnLanes sum = cn_lanes(0.0), size = cn_lanes(0.0);
    for (int k = 0; k < joints->row_count; ++k) {
        CnLanes work = p[k] * cn_lane_dot(cn_lane_vec3(n + 3 * k), k < joints->points ? v : w);
        sum += work;
        size += cn_lanes_abs(work);
    }
    cn_lanes_store(sum, total);
    cn_lanes_store(size, scale);
}

CN_LANE_STAGE void reaction_group(const CnReaction* reactions, int count,
                                  CnMomentumLedger* momentum) {
    const double *centers[CN_LANES], *others[CN_LANES], *wrenches[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        const CnReaction* reaction = &reactions[i < count ? i : count - 1];
        centers[i] = &reaction->center->x;
        others[i] = &reaction->other->x;
        wrenches[i] = reaction->wrench;
    }
    CnLanes c[4], o[4], g[6];
    cn_lanes_gather_many(centers, 0, 2, c);
    cn_lanes_gather_many(others, 0, 2, o);
    c[2] = cn_lanes_gather_one(centers, 2);
    o[2] = cn_lanes_gather_one(others, 2);
    cn_lanes_gather_many(wrenches, 0, 6, g);
    CnLaneVec3 center = cn_lane_vec3(c), other = cn_lane_vec3(o), impulse = cn_lane_vec3(g),
               moment = cn_lane_vec3(g + 3);
    CnLaneVec3 carried = cn_lane_add(moment, cn_lane_cross(cn_lane_sub(center, other), impulse));
    CnLaneVec3 own = cn_lane_add(moment, cn_lane_cross(center, impulse));
    CnLaneVec3 back = cn_lane_add(carried, cn_lane_cross(other, impulse));
    CnLaneVec3 left = cn_lane_sub(own, back);
    CnLanes size = cn_lane_length(impulse);
    CnLanes twice = size + size;
    CnLanes angular = (cn_lane_length(moment) + cn_lane_length(center) * size) +
                      (cn_lane_length(carried) + cn_lane_length(other) * size);
    for (int i = 0; i < count; ++i) {
        CnVec3 own_left = cn_vec3(left.x[i], left.y[i], left.z[i]);
        momentum->angular_internal = cn_vec3_add(momentum->angular_internal, own_left);
        momentum->linear_scale += twice[i];
        momentum->angular_scale += angular[i];
    }
}
