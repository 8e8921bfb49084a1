// box_names.h - keys of the points where faces of boxes meet, pairs side by side.
//
// As cn_meeting_key() makes them, with features numbered as in cn_box_hull. Sums of whole numbers
// below 2^32 are exact in doubles.
#pragma once

#include "collision/box/box_clip.h"

// What names the features of a face, already times what a feature of its box counts in a key.
typedef struct FaceNames {
    CnLanes face;                // 2 axis + high
    CnLanes axis_bit;            // vertices: that of its axis, if they are high on it,
    CnLanes u_bit, v_bit;        // and those of the two axes after it
    CnLanes first_side, to_next; // sides: place k in the loop is first_side + k to_next
} FaceNames;

CN_LANE_FUNCTION FaceNames names_of(CnLanes axis, CnMask high, CnLanes unit) {
    CnLanes two = unit + unit, four = two + two, none = cn_lanes(0.0);
    FaceNames names = {
        .face = two * axis + cn_select(high, unit, none),
        .axis_bit = cn_select(high, cn_select_of_three(axis, unit, two, four), none),
        .u_bit = cn_select_of_three(axis, two, four, unit),
        .v_bit = cn_select_of_three(axis, four, unit, two),
        .to_next = cn_select(high, -unit, unit),
    };
    names.first_side = 4.0 * names.face + cn_select(high, unit + two, none);
    return names;
}

CN_LANE_FUNCTION CnLanes vertex_name(const FaceNames* names, bool high_u, bool high_v) {
    CnLanes name = names->axis_bit;
    name = high_u ? name + names->u_bit : name;
    return high_v ? name + names->v_bit : name;
}

CN_LANE_FUNCTION CnLanes side_name(const FaceNames* names, int place) {
    return names->first_side + names->to_next * place;
}

CN_LANE_FUNCTION void put_key(int corner, CnLanes key, BoxOutput out) {
    cn_lanes_store(key, &out.block->keys[corner][out.start]);
}

// Of the reference face and the incident one, and of vertices of either on the other.
typedef struct BoxNames {
    FaceNames own, other;
    CnLanes on_own, on_other; // what comes before the vertex
} BoxNames;

CN_LANE_FUNCTION BoxNames find_names(const BoxFrame* frame) {
    const CnLanes unit_a = cn_lanes(1 << CN_MEETING_BITS), unit_b = cn_lanes(1.0);
    const CnMask flipped = frame->of_second;
    CnLanes of_a = kind_name(CN_VERTEX_OF_A), of_b = kind_name(CN_VERTEX_OF_B);
    BoxNames names = {
        .own = names_of(frame->axis[0], frame->high[0], cn_select(flipped, unit_b, unit_a)),
        .other = names_of(frame->axis[1], frame->high[1], cn_select(flipped, unit_a, unit_b)),
    };
    names.on_own = cn_select(flipped, of_a, of_b) + names.own.face;
    names.on_other = cn_select(flipped, of_b, of_a) + names.other.face;
    return names;
}

CN_LANE_FUNCTION void name_corners(const BoxFrame* frame, const BoxFaces* faces, BoxOutput out) {
    static const int side_of_edge[4] = {LOW_V, HIGH_U, HIGH_V, LOW_U};
    const BoxNames names = find_names(frame);
    const FaceNames *own = &names.own, *other = &names.other;
    for (int i = 0; i < 4; ++i) {
        CnLanes edge = kind_name(CN_SIDES) + side_name(other, side_of_edge[i]) + own->first_side;
        CnLanes vertex = names.on_own + vertex_name(other, cn_loop_p[i] > 0, cn_loop_q[i] > 0);
        CnLanes entered = edge + own->to_next * faces->entered[i];
        put_key(CN_BEGINS + i, cn_select(faces->cut[i], entered, vertex), out);
        put_key(CN_LEAVES + i, edge + own->to_next * faces->left[i], out);
        put_key(CN_COVERED + i, names.on_other + vertex_name(own, i & 1, i & 2), out);
    }
}
