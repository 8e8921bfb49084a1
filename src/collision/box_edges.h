// box_edges.h - where edges of boxes cross, several pairs side by side.
#pragma once

#include "collision/box_axes.h"
#include "collision/manifold.h"

// All in the first box's frame.
typedef struct BoxEdges {
    CnLanes normal[3]; // unit, from the first box to the second
    CnLanes point[3];  // midway between the edges [m]
    CnLanes lean;      // cosine of the normal's angle with that of the better face
    CnLanes key;
    CnMask met; // false: boxes are disjoint, and other points of them are nearer
} BoxEdges;

typedef struct Edge {
    CnLanes middle[3]; // from the box's centre, in its axes [m]
    CnLanes half;      // [m]
    CnLanes number;    // as in cn_box_hull
} Edge;

// The edge along an axis of a box that is outermost in a direction square to it.
CN_LANE_FUNCTION void outermost_edge(const CnLanes half[3], CnLanes axis,
                                     const CnLanes direction[3], Edge* edge) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes high[3], reach[3];
    for (int k = 0; k < 3; ++k) {
        CnMask far = cn_less(none, direction[k]);
        high[k] = cn_where(far, 1.0);
        reach[k] = cn_select(far, half[k], -half[k]);
    }
    edge->middle[0] = cn_pick(axis, none, reach[0], reach[0]);
    edge->middle[1] = cn_pick(axis, reach[1], none, reach[1]);
    edge->middle[2] = cn_pick(axis, reach[2], reach[2], none);
    edge->half = cn_pick(axis, half[0], half[1], half[2]);
    CnLanes next = cn_pick(axis, high[1], high[2], high[0]);
    CnLanes last = cn_pick(axis, high[2], high[0], high[1]);
    edge->number = 4.0 * axis + next + (last + last);
}

CN_LANE_FUNCTION CnLanes clamp_lanes(CnLanes x, CnLanes most) {
    return cn_lanes_min(cn_lanes_max(x, -most), most);
}

CN_LANE_FUNCTION CnLanes column_along(const CnLanes turn[3][3], int k, const CnLanes v[3]) {
    return turn[0][k] * v[0] + turn[1][k] * v[1] + turn[2][k] * v[2];
}

// docs/theory/sat.md (6): midway between where the common perpendicular meets the lines of the two
// edges; b is the direction of the second's. It meets the edges too, to within round-off, unless
// the boxes are disjoint.
CN_LANE_FUNCTION void cross_lines(const BoxLanes* boxes, const Edge* of_a, const Edge* of_b,
                                  CnLanes axis_a, const CnLanes b[3], CnLanes square,
                                  BoxEdges* out) {
    CnLanes middle_b[3], apart[3];
    for (int x = 0; x < 3; ++x) {
        middle_b[x] = boxes->along[0][x] + dot_lanes(boxes->turn[x], of_b->middle);
        apart[x] = middle_b[x] - of_a->middle[x];
    }
    CnLanes cosine = cn_pick(axis_a, b[0], b[1], b[2]);
    CnLanes on_a = cn_pick(axis_a, apart[0], apart[1], apart[2]), on_b = dot_lanes(apart, b);
    CnLanes s = (on_a - cosine * on_b) / square, t = (cosine * on_a - on_b) / square;
    CnLanes inside_s = clamp_lanes(s, of_a->half), inside_t = clamp_lanes(t, of_b->half);
    CnLanes beside = cn_lanes_abs(s - inside_s) + cn_lanes_abs(t - inside_t);
    out->met = cn_at_most(beside, CN_EXACT * boxes->size);
    const CnLanes none = cn_lanes(0.0);
    CnLanes on[3] = {cn_pick(axis_a, inside_s, none, none), cn_pick(axis_a, none, inside_s, none),
                     cn_pick(axis_a, none, none, inside_s)};
    for (int x = 0; x < 3; ++x) {
        out->point[x] = 0.5 * ((of_a->middle[x] + on[x]) + (middle_b[x] + inside_t * b[x]));
    }
}

// Of a normal, given in a box's axes, with the face of that box which is towards the other.
CN_LANE_FUNCTION CnLanes cosine_with_face(CnLanes axis, const CnLanes normal[3],
                                          const CnLanes along[3]) {
    return cn_pick(axis, cn_lanes_turn(normal[0], along[0]), cn_lanes_turn(normal[1], along[1]),
                   cn_lanes_turn(normal[2], along[2]));
}

CN_LANE_STAGE void cross_edges(const BoxLanes* boxes, const BoxAxes* axes, BoxEdges* out) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes axis_a = cn_where(cn_less(cn_lanes(2.0), axes->edges), 1.0) +
                     cn_where(cn_less(cn_lanes(5.0), axes->edges), 1.0);
    CnLanes axis_b = axes->edges - 3.0 * axis_a;
    CnLanes b[3], seen_by_b[3], outward_b[3];
    for (int x = 0; x < 3; ++x) {
        b[x] = cn_pick(axis_b, boxes->turn[x][0], boxes->turn[x][1], boxes->turn[x][2]);
    }
    CnLanes across[3] = {cn_pick(axis_a, none, b[2], -b[1]), cn_pick(axis_a, -b[2], none, b[0]),
                         cn_pick(axis_a, b[1], -b[0], none)};
    CnLanes square = dot_lanes(across, across);
    CnLanes scale = cn_lanes_turn(1.0 / cn_lanes_sqrt(square),
                                  without_nothing(boxes, dot_lanes(across, boxes->along[0])));
    for (int x = 0; x < 3; ++x) {
        out->normal[x] = scale * across[x];
    }
    for (int k = 0; k < 3; ++k) {
        seen_by_b[k] = column_along(boxes->turn, k, out->normal);
        outward_b[k] = -seen_by_b[k];
    }
    Edge of_a, of_b;
    outermost_edge(boxes->half[0], axis_a, out->normal, &of_a);
    outermost_edge(boxes->half[1], axis_b, outward_b, &of_b);
    cross_lines(boxes, &of_a, &of_b, axis_a, b, square, out);
    out->met |= cn_at_most(axes->separation, boxes->nothing);
    CnLanes on_first = cosine_with_face(axes->face_axis[0], out->normal, boxes->along[0]);
    CnLanes on_second = cosine_with_face(axes->face_axis[1], seen_by_b, boxes->along[1]);
    out->lean = cn_select(axes->of_second, on_second, on_first);
    out->key =
        (double)cn_meeting_key(CN_EDGES, 0, 0) + (1 << CN_MEETING_BITS) * of_a.number + of_b.number;
}
