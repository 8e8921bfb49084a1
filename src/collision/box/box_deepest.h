// box_deepest.h - the deepest point of boxes that no corner over a face is, pairs side by side.
//
// docs/theory/sat.md, "The deepest point": where no corner over the face has the gap that the axis
// promises, the crossing of the edges has it, or the lowest vertex, unless the boxes are disjoint.
#pragma once

#include "collision/box/box_names.h"

CN_LANE_FUNCTION void put_deepest(const BoxCrossing* point, BoxOutput out) {
    cn_lanes_store(point->u, &out.block->u[CN_DEEPEST][out.start]);
    cn_lanes_store(point->v, &out.block->v[CN_DEEPEST][out.start]);
    cn_lanes_store(point->height, &out.block->height[CN_DEEPEST][out.start]);
    cn_lanes_store(point->key, &out.block->keys[CN_DEEPEST][out.start]);
}

// The vertex of the other box that is lowest over the reference face, or deepest under it.
CN_LANE_FUNCTION void find_lowest(const BoxFrame* frame, BoxCrossing* out) {
    CnLanes at[3];
    CnMask high[3];
    for (int k = 0; k < 3; ++k) {
        high[k] = cn_is_negative(frame->turn[2][k]);
        at[k] = cn_select(high[k], frame->half[1][k], -frame->half[1][k]);
    }
    BoxNames names = find_names(frame);
    out->u = frame->between[0] + dot_lanes(frame->turn[0], at);
    out->v = frame->between[1] + dot_lanes(frame->turn[1], at);
    out->height = frame->separation;
    out->key = names.on_own + names.other.axis_bit + cn_keep(high[0], names.other.u_bit) +
               cn_keep(high[1], names.other.v_bit);
}

CN_LANE_STAGE void find_deepest_points(const BoxFrame* frame, const BoxAxes* axes,
                                       const BoxEdges* edges, CnMask crossed, BoxOutput out) {
    BoxCrossing deepest;
    find_lowest(frame, &deepest);
    if (cn_any(crossed)) {
        BoxCrossing crossing;
        cross_edges(frame, axes, edges, &crossing);
        deepest.u = cn_select(crossed, crossing.u, deepest.u);
        deepest.v = cn_select(crossed, crossing.v, deepest.v);
        deepest.height = cn_select(crossed, crossing.height, deepest.height);
        deepest.key = cn_select(crossed, crossing.key, deepest.key);
    }
    put_deepest(&deepest, out);
}
