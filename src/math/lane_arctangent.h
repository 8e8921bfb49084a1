// lane_arctangent.h - angles from their sines and cosines, one in each lane.
//
// cn_atan2() of arctangent.c operation by operation, with the same bits. For kernels that have
// defined CN_LANES: see simd.h.
#pragma once

#include "math/simd.h"
#include "math/trig_constants.h"

typedef struct CnLaneDouble2 {
    CnLanes high, low;
} CnLaneDouble2;

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_quick_sum(CnLanes a, CnLanes b) {
    CnLanes sum = a + b;
    return (CnLaneDouble2){sum, b - (sum - a)};
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_split(CnLanes a) {
    CnLanes scaled = cn_lanes(0x1p27 + 1.0) * a;
    CnLanes high = scaled - (scaled - a);
    return (CnLaneDouble2){high, a - high};
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_product(CnLanes a, CnLanes b) {
    CnLanes product = a * b;
    CnLaneDouble2 x = cn_lane_double2_split(a), y = cn_lane_double2_split(b);
    CnLanes error = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (CnLaneDouble2){product, error};
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_add(CnLaneDouble2 a, CnLaneDouble2 b) {
    CnLanes sum = a.high + b.high, seen = sum - a.high;
    CnLanes low = (a.high - (sum - seen)) + (b.high - seen);
    return cn_lane_quick_sum(sum, low + (a.low + b.low));
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_scale(CnLanes s, CnLanes a) {
    CnLaneDouble2 product = cn_lane_double2_product(s, a);
    return cn_lane_quick_sum(product.high, product.low);
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_divide(CnLaneDouble2 a, CnLaneDouble2 b) {
    CnLanes quotient = a.high / b.high;
    CnLaneDouble2 product = cn_lane_double2_product(quotient, b.high);
    CnLanes rest = ((a.high - product.high) - product.low) + (a.low - quotient * b.low);
    return cn_lane_quick_sum(quotient, rest / b.high);
}

CN_LANE_FUNCTION CnLaneDouble2 cn_lane_double2_from(CnDoubleDouble from, CnMask where,
                                                    CnLaneDouble2 angle) {
    CnLaneDouble2 whole = {cn_lanes(from.high), cn_lanes(from.low)};
    CnLaneDouble2 rest = cn_lane_double2_add(whole, (CnLaneDouble2){-angle.high, -angle.low});
    return (CnLaneDouble2){cn_select(where, rest.high, angle.high),
                           cn_select(where, rest.low, angle.low)};
}

// atan(y / x) for 2^-30 x <= y <= x: first_octant() of arctangent.c.
CN_LANE_FUNCTION CnLaneDouble2 cn_lane_first_octant(CnLanes y, CnLanes x) {
    static const double series[] = {1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0,
                                    -1.0 / 7.0, 1.0 / 5.0,   -1.0 / 3.0};
    CnLanes place = cn_lanes(8.0) * (y / x) + cn_lanes(0.5), zero = cn_lanes(0.0);
    double share[CN_LANES], high[CN_LANES], low[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        double own = place[i];
        int eighths = own >= 0.0 && own < 9.0 ? (int)own : 0; // of lanes that do not count: any
        share[i] = eighths / 8.0;
        high[i] = arctangent_of_eighths[eighths].high;
        low[i] = arctangent_of_eighths[eighths].low;
    }
    CnLanes c = cn_lanes_load(share);
    CnLaneDouble2 nearest = {cn_lanes_load(high), cn_lanes_load(low)};
    CnLaneDouble2 t = cn_lane_double2_divide(
        cn_lane_double2_add((CnLaneDouble2){y, zero}, cn_lane_double2_scale(-c, x)),
        cn_lane_double2_add((CnLaneDouble2){x, zero}, cn_lane_double2_scale(c, y)));
    CnLanes z = t.high * t.high, sum = cn_lanes(-1.0 / 15.0);
    CN_UNROLLED
    for (int i = 0; i < 6; ++i) {
        sum = sum * z + cn_lanes(series[i]);
    }
    t.low = t.low + t.high * z * sum;
    return cn_lane_double2_add(nearest, t);
}

// The angles of the points (x, y). Lanes of other numbers than those of the mask are left to
// cn_atan2(): next to an axis, very large or very small, or not finite.
CN_LANE_FUNCTION CnMask cn_lane_atan2(CnLanes y, CnLanes x, CnLanes* angle) {
    CnLanes across = cn_lanes_abs(x), up = cn_lanes_abs(y);
    CnMask is_steep = cn_less(across, up);
    CnLanes less = cn_select(is_steep, across, up), more = cn_select(is_steep, up, across);
    CnLaneDouble2 found = cn_lane_first_octant(less, more);
    found = cn_lane_double2_from(half_pi_double_double, is_steep, found);
    found = cn_lane_double2_from(pi_double_double, cn_is_negative(x), found);
    *angle = cn_lanes_times_sign(found.high + found.low, y);
    return cn_at_most(cn_lanes(0x1p-30) * more, less) & cn_at_most(more, cn_lanes(0x1p500)) &
           cn_at_most(cn_lanes(0x1p-500), more);
}
