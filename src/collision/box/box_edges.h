// box_edges.h - where edges of boxes cross, several pairs side by side.
#pragma once

#include "collision/box/box_axes.h"
#include "collision/hull/manifold.h"

// The directions of two edges, of the reference's box and of the other; along u, v and w.
typedef struct BoxEdges {
    CnLanes axis[2];   // which of u v w, which of p q r
    CnLanes other[3];  // unit, along the other's edge
    CnLanes normal[3]; // unit, square to both, from the reference's box to the other
} BoxEdges;

CN_LANE_FUNCTION void find_normal(const BoxFrame* frame, const BoxAxes* axes, BoxEdges* out) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes own = out->axis[0] = cn_where(cn_less(cn_lanes(2.0), axes->edges), 1.0) +
                                 cn_where(cn_less(cn_lanes(5.0), axes->edges), 1.0);
    out->axis[1] = axes->edges - 3.0 * own;
    CnLanes* b = out->other;
    for (int x = 0; x < 3; ++x) {
        const CnLanes* row = frame->turn[x];
        b[x] = cn_select_of_three(out->axis[1], row[0], row[1], row[2]);
    }
    CnLanes across[3] = {cn_select_of_three(own, none, b[2], -b[1]),
                         cn_select_of_three(own, -b[2], none, b[0]),
                         cn_select_of_three(own, b[1], -b[0], none)};
    CnLanes onward = without_nothing(frame->nothing, dot_lanes(across, frame->between));
    CnLanes scale = cn_lanes_times_sign(axes->scale, onward);
    for (int x = 0; x < 3; ++x) {
        out->normal[x] = scale * across[x];
    }
}

// The edge along an axis of a box that is outermost in a direction square to it.
typedef struct Edge {
    CnLanes middle[3]; // from the box's centre, in its axes [m]
    CnLanes half;      // [m]
    CnLanes high[3];   // 1 if it is at the positive end of an axis
} Edge;

CN_LANE_FUNCTION void outermost_edge(const CnLanes half[3], CnLanes axis,
                                     const CnLanes direction[3], Edge* edge) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes reach[3];
    for (int k = 0; k < 3; ++k) {
        CnMask far = cn_less(none, direction[k]);
        edge->high[k] = cn_where(far, 1.0);
        reach[k] = cn_select(far, half[k], -half[k]);
    }
    edge->middle[0] = cn_select_of_three(axis, none, reach[0], reach[0]);
    edge->middle[1] = cn_select_of_three(axis, reach[1], none, reach[1]);
    edge->middle[2] = cn_select_of_three(axis, reach[2], reach[2], none);
    edge->half = cn_select_of_three(axis, half[0], half[1], half[2]);
}

// As in cn_box_hull: the axis of the edge is so many after the one after that of the box's face.
CN_LANE_FUNCTION CnLanes edge_number(const Edge* edge, CnLanes axis, CnLanes of_face) {
    const CnLanes* high = edge->high;
    CnLanes next = cn_select_of_three(axis, high[1], high[2], high[0]);
    CnLanes last = cn_select_of_three(axis, high[2], high[0], high[1]);
    CnLanes number = of_face + axis + 1.0;
    number = number - cn_where(cn_less(cn_lanes(2.0), number), 3.0);
    return 4.0 * number + next + (last + last);
}

CN_LANE_FUNCTION CnLanes clamp_lanes(CnLanes x, CnLanes most) {
    return cn_lanes_min(cn_lanes_max(x, -most), most);
}

// Keys are sums of these and of features, read by cn_whole().
CN_LANE_FUNCTION CnLanes kind_name(CnMeeting kind) {
    return cn_lanes(CN_WHOLE + (double)cn_meeting_key(kind, 0, 0));
}

typedef struct BoxCrossing {
    CnLanes u, v, height; // midway between the edges; twice as high as that over the reference [m]
    CnLanes key;
    CnMask met; // false: boxes are disjoint, and other points of them are nearer
} BoxCrossing;

// docs/theory/sat.md (6): midway between where the common perpendicular meets the lines of the two
// edges. It meets the edges too, to within round-off, unless the boxes are disjoint.
CN_LANE_FUNCTION void cross_lines(const BoxFrame* frame, const BoxEdges* edges, CnLanes scale,
                                  const Edge* own, const Edge* other, BoxCrossing* out) {
    const CnLanes *b = edges->other, axis = edges->axis[0], none = cn_lanes(0.0);
    CnLanes middle[3], apart[3], point[3];
    for (int x = 0; x < 3; ++x) {
        middle[x] = frame->between[x] + dot_lanes(frame->turn[x], other->middle);
        apart[x] = middle[x] - own->middle[x];
    }
    CnLanes cosine = cn_select_of_three(axis, b[0], b[1], b[2]);
    CnLanes on_own = cn_select_of_three(axis, apart[0], apart[1], apart[2]),
            on_other = dot_lanes(apart, b);
    CnLanes s = (on_own - cosine * on_other) * scale * scale;
    CnLanes t = (cosine * on_own - on_other) * scale * scale;
    CnLanes inside_s = clamp_lanes(s, own->half), inside_t = clamp_lanes(t, other->half);
    CnLanes beside = cn_lanes_abs(s - inside_s) + cn_lanes_abs(t - inside_t);
    out->met = cn_at_most(beside, CN_EXACT * frame->size);
    CnLanes on[3] = {cn_select_of_three(axis, inside_s, none, none),
                     cn_select_of_three(axis, none, inside_s, none),
                     cn_select_of_three(axis, none, none, inside_s)};
    for (int x = 0; x < 3; ++x) {
        point[x] = (own->middle[x] + on[x]) + (middle[x] + inside_t * b[x]);
    }
    out->u = 0.5 * point[0];
    out->v = 0.5 * point[1];
    out->height = point[2] - 2.0 * frame->half[0][2];
}

CN_LANE_STAGE void cross_edges(const BoxFrame* frame, const BoxAxes* axes, const BoxEdges* edges,
                               BoxCrossing* out) {
    CnLanes inward[3];
    for (int k = 0; k < 3; ++k) {
        inward[k] = -column_along(frame->turn, k, edges->normal);
    }
    Edge own, other;
    outermost_edge(frame->half[0], edges->axis[0], edges->normal, &own);
    outermost_edge(frame->half[1], edges->axis[1], inward, &other);
    cross_lines(frame, edges, axes->scale, &own, &other, out);
    out->met |= cn_at_most(axes->separation, frame->nothing);
    own.high[2] = cn_select(frame->high[0], own.high[2], 1.0 - own.high[2]);
    CnLanes own_number = edge_number(&own, edges->axis[0], frame->axis[0]);
    CnLanes other_number = edge_number(&other, edges->axis[1], frame->axis[1]);
    CnLanes first = cn_select(frame->of_second, other_number, own_number);
    CnLanes second = cn_select(frame->of_second, own_number, other_number);
    out->key = kind_name(CN_EDGES) + (1 << CN_MEETING_BITS) * first + second;
}
