// free_rotation_lanes.h - free turns of several bodies side by side, one in each lane.
//
// The series of free_rotation.c, number by number: each lane has the bits that cn_free_rotation()
// finds. Bodies that need another way than one series of a single part are left to it.
#include "math/lane_vectors.h"
#include "world/turning/free_rotation.h"
#include "world/turning/round_turn_lanes.h"

#include <float.h>

// As of one body in free_rotation.c.
typedef struct LaneSeries {
    CnLaneVec3 spin[CN_TURN_TERMS], shifted[CN_TURN_TERMS];
    CnLaneQuat attitude[CN_TURN_TERMS];
    CnLanes size[CN_TURN_TERMS];
    CnMask ends[CN_TURN_TERMS]; // the term is the last one of the lane
    int count;
} LaneSeries;

CN_LANE_FUNCTION CnLanes lane_size(CnLaneVec3 v) {
    return cn_lanes_abs(v.x) + cn_lanes_abs(v.y) + cn_lanes_abs(v.z);
}

CN_LANE_STAGE void lane_add_term(const CnLaneMat3* inverse, const CnLaneMat3* shifted,
                                 double length, LaneSeries* series) {
    int k = series->count++;
    CnLanes zero = cn_lanes(0.0);
    CnLaneVec3 twist = {zero, zero, zero};
    CnLaneQuat t = {zero, zero, zero, zero};
    for (int i = 0; i < k; ++i) {
        CnLaneVec3 w = series->spin[k - 1 - i];
        CnLaneVec3 c = cn_lane_cross(series->shifted[i], w);
        CnLaneQuat b = series->attitude[i];
        twist = (CnLaneVec3){twist.x + c.x, twist.y + c.y, twist.z + c.z};
        t = (CnLaneQuat){
            t.w - b.x * w.x - b.y * w.y - b.z * w.z, t.x + b.w * w.x + b.y * w.z - b.z * w.y,
            t.y + b.w * w.y + b.z * w.x - b.x * w.z, t.z + b.w * w.z + b.x * w.y - b.y * w.x};
    }
    CnLanes s = cn_lanes(0.5 * length / k);
    CnLaneQuat q = {s * t.w, s * t.x, s * t.y, s * t.z};
    series->spin[k] = cn_lane_scale(cn_lanes(length / k), cn_lane_apply(inverse, twist));
    series->shifted[k] = cn_lane_apply(shifted, series->spin[k]);
    series->attitude[k] = q;
    series->size[k] = lane_size(series->spin[k]) / lane_size(series->spin[0]) +
                      lane_size((CnLaneVec3){q.x, q.y, q.z}) + cn_lanes_abs(q.w);
}

// Terms until the series of all lanes that are wanted has ended; the lanes where it did.
CN_LANE_FUNCTION CnMask lane_expand(const CnLaneMat3* inverse, const CnLaneMat3* shifted,
                                    CnLaneVec3 spin, double length, CnMask wanted,
                                    LaneSeries* series) {
    CnLanes zero = cn_lanes(0.0);
    CnMask ended = cn_lane_bits(0);
    series->count = 1;
    series->spin[0] = spin;
    series->shifted[0] = cn_lane_apply(shifted, spin);
    series->attitude[0] = (CnLaneQuat){cn_lanes(1.0), zero, zero, zero};
    series->ends[0] = ended;
    while (series->count < CN_TURN_TERMS && cn_any(cn_and_not(wanted, ended))) {
        lane_add_term(inverse, shifted, length, series);
        int last = series->count - 1;
        CnMask is_end = cn_lane_bits(0);
        if (last > 1) {
            CnLanes two = series->size[last - 1] + series->size[last];
            is_end = cn_and_not(cn_less(two, cn_lanes(0.5 * DBL_EPSILON)), ended);
        }
        series->ends[last] = is_end;
        ended |= is_end;
    }
    return ended & wanted;
}

CN_LANE_STAGE void lane_sum(const LaneSeries* series, CnLaneVec3* spin, CnLaneQuat* turn) {
    CnLanes zero = cn_lanes(0.0), one = cn_lanes(1.0);
    CnLaneVec3 s = {zero, zero, zero};
    CnLaneQuat q = {zero, zero, zero, zero};
    for (int k = series->count - 1; k >= 0; --k) { // a lane begins with its last term
        CnMask end = series->ends[k];
        CnLaneVec3 w = series->spin[k];
        CnLaneQuat a = series->attitude[k];
        s.x = cn_select(end, w.x, w.x + s.x);
        s.y = cn_select(end, w.y, w.y + s.y);
        s.z = cn_select(end, w.z, w.z + s.z);
        q.w = cn_select(end, a.w, a.w + q.w);
        q.x = cn_select(end, a.x, a.x + q.x);
        q.y = cn_select(end, a.y, a.y + q.y);
        q.z = cn_select(end, a.z, a.z + q.z);
    }
    *spin = s;
    q = cn_lane_normalize(q);
    // The product with the identity that the scalar way begins with: zeros lose their sign.
    *turn = cn_lane_normalize((CnLaneQuat){one * q.w - zero * q.x - zero * q.y - zero * q.z,
                                           one * q.x + zero * q.w + zero * q.z - zero * q.y,
                                           one * q.y - zero * q.z + zero * q.w + zero * q.x,
                                           one * q.z + zero * q.y - zero * q.x + zero * q.w});
}

// As Rotor of free_rotation.c.
typedef struct LaneRotor {
    CnLaneMat3 inverse, shifted;
} LaneRotor;

CN_LANE_FUNCTION LaneRotor rotors_of(const CnLaneMat3* inertia, CnFreeTurn* const group[CN_LANES]) {
    const double* inverse[CN_LANES];
    LaneRotor rotor = {.shifted = *inertia};
    for (int i = 0; i < CN_LANES; ++i) {
        inverse[i] = &group[i]->inverse->m[0][0];
    }
    cn_lanes_gather_mat3(inverse, &rotor.inverse);
    CnLanes(*m)[3] = rotor.shifted.m;
    CnLanes largest = cn_lanes_max(m[0][0], cn_lanes_max(m[1][1], m[2][2]));
    for (int k = 0; k < 3; ++k) {
        m[k][k] = m[k][k] - largest;
    }
    return rotor;
}

CN_LANE_FUNCTION void write_turns(CnLaneVec3 spin, CnLaneQuat turn, unsigned bits,
                                  CnFreeTurn* const group[CN_LANES]) {
    for (int i = 0; i < CN_LANES; ++i) {
        if ((bits >> i & 1u) != 0) {
            group[i]->spin = cn_vec3(spin.x[i], spin.y[i], spin.z[i]);
            group[i]->turn = cn_quat(turn.w[i], turn.x[i], turn.y[i], turn.z[i]);
        }
    }
}

// turn_shortly() of CN_LANES bodies.
CN_LANE_FUNCTION CnLaneQuat turn_shortly(const LaneRotor* rotor, double h, CnLaneVec3* spin) {
    const CnLanes zero = cn_lanes(0.0), half = cn_lanes(0.5), twelfth = cn_lanes(1.0 / 12.0);
    CnLaneVec3 w[CN_SHORT_TERMS], shifted[CN_SHORT_TERMS];
    CnMask is_small;
    w[0] = *spin;
    CN_UNROLLED
    for (int k = 1; k < CN_SHORT_TERMS; ++k) {
        CnLaneVec3 twist = {zero, zero, zero};
        shifted[k - 1] = cn_lane_apply(&rotor->shifted, w[k - 1]);
        CN_UNROLLED
        for (int i = 0; i < k; ++i) {
            twist = cn_lane_add(twist, cn_lane_cross(shifted[i], w[k - 1 - i]));
        }
        w[k] = cn_lane_scale(cn_lanes(h / k), cn_lane_apply(&rotor->inverse, twist));
    }
    CnLaneVec3 s1 = cn_lane_scale(cn_lanes(h), w[0]), s2 = cn_lane_scale(cn_lanes(h / 2.0), w[1]);
    CnLaneVec3 c2 = cn_lane_add(cn_lane_cross(s1, w[1]), cn_lane_cross(s2, w[0]));
    CnLaneVec3 s3 = cn_lane_scale(cn_lanes(h / 3.0), cn_lane_add_scaled(w[2], half, c2));
    CnLaneVec3 c3 = cn_lane_add(cn_lane_cross(s1, w[2]), cn_lane_cross(s3, w[0]));
    CnLaneVec3 d3 = cn_lane_cross(s1, c2);
    CnLaneVec3 s4 = cn_lane_scale(
        cn_lanes(h / 4.0), cn_lane_add_scaled(cn_lane_add_scaled(w[3], half, c3), twelfth, d3));
    CnLaneVec3 c4 = cn_lane_add(cn_lane_add(cn_lane_cross(s1, w[3]), cn_lane_cross(s2, w[2])),
                                cn_lane_add(cn_lane_cross(s3, w[1]), cn_lane_cross(s4, w[0])));
    CnLaneVec3 d4 = cn_lane_add(cn_lane_cross(s1, c3), cn_lane_cross(s2, c2));
    CnLaneVec3 s5 = cn_lane_scale(
        cn_lanes(h / 5.0), cn_lane_add_scaled(cn_lane_add_scaled(w[4], half, c4), twelfth, d4));
    *spin = w[CN_SHORT_TERMS - 1];
    CN_UNROLLED
    for (int k = CN_SHORT_TERMS - 2; k >= 0; --k) {
        *spin = cn_lane_add(w[k], *spin);
    }
    return cn_lane_exp_small(cn_lane_add(s1, cn_lane_add(s2, cn_lane_add(s3, cn_lane_add(s4, s5)))),
                             &is_small);
}

// Bodies that are not round, in the lanes that are asked for: the bits of those that were done.
CN_LANE_FUNCTION unsigned turn_others(const CnLaneMat3* inertia, double h, CnLaneVec3 spin,
                                      CnMask asked, CnFreeTurn* const group[CN_LANES]) {
    LaneRotor rotor = rotors_of(inertia, group);
    LaneSeries series;
    CnLanes speed = cn_lane_length(spin);
    CnMask is_short = cn_at_most(cn_lanes(h) * speed, cn_lanes(CN_SHORT_TURN));
    unsigned are_short = cn_mask_bits(is_short & asked);
    if (are_short != 0) {
        CnLaneVec3 end = spin;
        CnLaneQuat turn = turn_shortly(&rotor, h, &end);
        write_turns(end, turn, are_short, group);
    }
    if (!cn_any(asked & ~is_short)) {
        return are_short;
    }
    CnLaneVec3 gyration =
        cn_lane_apply(&rotor.inverse, cn_lane_cross(cn_lane_apply(&rotor.shifted, spin), spin));
    CnLanes change = cn_lane_length(cn_lane_scale(cn_lanes(h), gyration));
    CnMask wanted = cn_less(cn_lanes(0.5 * DBL_EPSILON) * speed, change) &
                    cn_less(cn_lanes(h), cn_lanes(CN_TURN_OF_PART) / speed) & asked & ~is_short;
    if (!cn_any(wanted)) {
        return are_short;
    }
    CnMask done = lane_expand(&rotor.inverse, &rotor.shifted, spin, h, wanted, &series);
    CnLaneQuat turn;
    lane_sum(&series, &spin, &turn);
    unsigned bits = cn_mask_bits(done);
    write_turns(spin, turn, bits, group);
    return bits | are_short;
}

// turn_round() of those that are; those that turn far or evenly are left to be done alone.
CN_LANE_FUNCTION unsigned turn_round(const CnLaneMat3* inertia, double h, CnLaneVec3 spin,
                                     CnMask is_round, unsigned even,
                                     CnFreeTurn* const group[CN_LANES]) {
    unsigned bits = cn_mask_bits(is_round) & ~even;
    CnMask is_small;
    if (bits != 0) {
        CnLaneQuat turn = cn_lane_turn_round(inertia, h, &spin, &is_small);
        bits &= cn_mask_bits(is_small);
        write_turns(spin, turn, bits, group);
    }
    return bits;
}

// CN_LANES bodies; bits of those that were done. even: bits of those that turn evenly, which are
// done alone, like those that do not turn.
CN_LANE_FUNCTION unsigned turn_group(double h, unsigned even, CnFreeTurn* const group[CN_LANES]) {
    const double *from[CN_LANES], *moments[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &group[i]->spin.x;
        moments[i] = &group[i]->inertia->m[0][0];
    }
    CnLanes numbers[3];
    CnLaneMat3 inertia;
    cn_lanes_gather_many(from, 0, 2, numbers);
    numbers[2] = cn_lanes_gather_one(from, 2);
    cn_lanes_gather_mat3(moments, &inertia);
    CnLaneVec3 spin = cn_lane_vec3(numbers);
    CnLanes speed = cn_lane_length(spin);
    CnMask turns = cn_less(cn_lanes(0.0), speed), is_round = cn_lane_is_round(&inertia, spin);
    unsigned are_round = turn_round(&inertia, h, spin, is_round & turns, even, group);
    if (!cn_any(turns & ~is_round)) {
        return are_round;
    }
    return are_round | turn_others(&inertia, h, spin, turns & ~is_round, group);
}

CN_LANE_FUNCTION void turn_all(int count, double h, CnFreeTurn* turns) {
    for (int first = 0; first < count; first += CN_LANES) {
        CnFreeTurn* group[CN_LANES];
        int own = count - first < CN_LANES ? count - first : CN_LANES;
        unsigned even = 0;                   // these are done at once
        for (int i = 0; i < CN_LANES; ++i) { // lanes that are left over repeat the last body
            group[i] = &turns[first + (i < own ? i : own - 1)];
            even |= (unsigned)cn_turns_evenly(group[i]->inertia, group[i]->spin) << i;
        }
        bool are_even = even == (1u << CN_LANES) - 1u;
        unsigned done = h > 0.0 && !are_even ? turn_group(h, even, group) : 0;
        for (int i = 0; i < own; ++i) {
            CnFreeTurn* turn = group[i];
            if ((done >> i & 1u) == 0) {
                turn->turn = cn_free_rotation(turn->inertia, turn->inverse, h, &turn->spin);
            }
        }
    }
}
