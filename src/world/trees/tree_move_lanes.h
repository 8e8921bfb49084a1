// tree_move_lanes.h - bodies moved by twists side by side, one in each lane.
//
// cn_tree_displace_one() number by number, each lane with its bits.
#pragma once

#include "math/lane_vectors.h"
#include "world/trees/tree_move.h"

#include <stddef.h>

// A state in doubles: what is read of it, with a number that is not used, and its end.
#define POSE_NUMBERS 8
#define TURNING (offsetof(CnBodyState, angular_velocity) / sizeof(double))

// turn_by() of small turns; square: of half the angle.
CN_LANE_FUNCTION CnLaneQuat turn_by(CnLaneVec3 turn, CnLanes square) {
    CnLanes sine = 0.5 - square * (0x1p-1 / 6.0 - square * (0x1p-1 / 120.0));
    return (CnLaneQuat){1.0 - square * (0.5 - square / 24.0), sine * turn.x, sine * turn.y,
                        sine * turn.z};
}

CN_LANE_FUNCTION CnLaneVec3 gather_vec3(const double* const from[CN_LANES]) {
    CnLanes xy[2];
    cn_lanes_gather_many(from, 0, 2, xy);
    return (CnLaneVec3){xy[0], xy[1], cn_lanes_gather_one(from, 2)};
}

// False: some turn too far, and none has moved.
CN_LANE_STAGE bool displace_some(const CnTreeMove* const moves[CN_LANES]) {
    const double *spin[CN_LANES], *twist[CN_LANES];
    double* state[CN_LANES];
    CnLanes d[6], pose[POSE_NUMBERS];
    for (int i = 0; i < CN_LANES; ++i) {
        state[i] = &moves[i]->state->center.x;
        spin[i] = &moves[i]->spin->x;
        twist[i] = moves[i]->twist;
    }
    cn_lanes_gather_many(twist, 0, 6, d);
    CnLaneVec3 turn = cn_lane_vec3(d + 3);
    CnLanes square = 0.25 * cn_lane_dot(turn, turn);
    if (cn_mask_bits(cn_less(square, cn_lanes(CN_SMALL_HALF_TURN))) != (1u << CN_LANES) - 1u) {
        return false;
    }
    cn_lanes_gather_many((const double* const*)state, 0, POSE_NUMBERS, pose);
    CnLaneVec3 center = cn_lane_add(cn_lane_vec3(pose), cn_lane_vec3(d));
    CnLaneQuat rotation =
        cn_lane_normalize(cn_lane_multiply(turn_by(turn, square), cn_lane_quat(pose + 3)));
    CnLaneVec3 turning = cn_lane_rotate(rotation, gather_vec3(spin));
    const CnLanes moved[7] = {center.x,   center.y,   center.z,  rotation.w,
                              rotation.x, rotation.y, rotation.z};
    cn_lanes_scatter_many(moved, 7, state, 0);
    cn_lanes_scatter_many(&turning.x, 3, state, TURNING);
    return true;
}

CN_LANE_FUNCTION unsigned displace_all(int count, const CnTreeMove* moves) {
    unsigned left = 0;
    for (int first = 0; first < count; first += CN_LANES) {
        const CnTreeMove* group[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) { // lanes that are left over repeat the last body
            group[i] = &moves[first + i < count ? first + i : count - 1];
        }
        left |= displace_some(group) ? 0u : ((1u << CN_LANES) - 1u) << first;
    }
    return left & ((1u << count) - 1u);
}
