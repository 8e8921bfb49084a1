// round_turn_lanes.h - free turns of bodies that are round about their axis z, one in each lane.
//
// cn_is_round() and turn_round() of free_rotation.c, operation by operation.
#pragma once

#include "math/lane_vectors.h"

CN_LANE_FUNCTION CnMask cn_lane_is_round(const CnLaneMat3* inertia, CnLaneVec3 spin) {
    const CnLanes(*m)[3] = inertia->m;
    CnLanes zero = cn_lanes(0.0), finite = zero * spin.x + zero * spin.y + zero * spin.z;
    return cn_equal(m[0][0], m[1][1]) & cn_equal(m[0][1], zero) & cn_equal(m[0][2], zero) &
           cn_equal(m[1][0], zero) & cn_equal(m[1][2], zero) & cn_equal(m[2][0], zero) &
           cn_equal(m[2][1], zero) & cn_equal(finite, zero);
}

// In *is_small the lanes in which neither of both turns is too long for cn_lane_exp_small().
CN_LANE_FUNCTION CnLaneQuat cn_lane_turn_round(const CnLaneMat3* inertia, double h,
                                               CnLaneVec3* spin, CnMask* is_small) {
    CnLanes zero = cn_lanes(0.0), time = cn_lanes(h);
    CnLanes share = inertia->m[2][2] / inertia->m[0][0];
    CnLanes back = time * ((cn_lanes(1.0) - share) * spin->z);
    CnLaneVec3 momentum = {spin->x, spin->y, share * spin->z};
    CnMask is_short;
    CnLaneQuat own = cn_lane_exp_small((CnLaneVec3){zero, zero, back}, &is_short);
    CnLaneQuat precession = cn_lane_exp_small(cn_lane_scale(time, momentum), is_small);
    *is_small = *is_small & is_short;
    *spin = cn_lane_unrotate(own, *spin);
    return cn_lane_multiply(precession, own);
}
