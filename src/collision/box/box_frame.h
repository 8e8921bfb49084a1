// box_frame.h - pairs of boxes side by side, each seen from the face that parts it best.
//
// That face is the reference; the face of the other box that is most opposed to it is the incident
// one. u, v and w run along the axes of the reference's box, p, q and r along those of the other:
// first the two axes after that of the face in the order x y z x, then its own. All of them point
// as the axes do, but for w, which points outward. docs/theory/sat.md, "Two boxes".
#pragma once

#include "collision/box/box_view.h"

typedef struct BoxFrame {
    CnMask of_b;        // the reference is a face of B
    CnMask of_second;   // it is one of the second box
    CnLanes axis[2];    // of the reference face, of the incident one
    CnMask high[2];     // whether the face is at the positive end of it
    CnLanes half[2][3]; // half edges along u, v, w; along p, q, r [m]
    CnLanes turn[3][3]; // from p, q, r to u, v, w
    CnLanes between[3]; // from the centre of the reference's box to that of the other [m]
    CnLanes size, tie, nothing, doubt, margin; // as in BoxLanes
    CnLanes separation;                        // along w [m]
    CnLanes best_face;                         // of all faces, which is a tie more at most [m]
} BoxFrame;

// The first of the largest, to within the tie.
CN_LANE_FUNCTION void best_of_three(const CnLanes separation[3], CnLanes tie, CnLanes* best,
                                    CnLanes* axis) {
    CnMask second = cn_less(separation[0] + tie, separation[1]);
    *best = cn_select(second, separation[1], separation[0]);
    *axis = cn_where(second, 1.0);
    CnMask third = cn_less(*best + tie, separation[2]);
    *best = cn_select(third, separation[2], *best);
    *axis = cn_select(third, cn_lanes(2.0), *axis);
}

// Of the faces of both boxes; that of the second is the reference if it is better by more than the
// tie.
CN_LANE_FUNCTION void find_reference(const BoxLanes* boxes, BoxFrame* frame) {
    const CnLanes *a = boxes->half[0], *b = boxes->half[1];
    CnLanes of_a[3], of_b[3], size[3][3], best[2], axis[2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            size[i][j] = cn_lanes_abs(boxes->turn[i][j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        of_a[i] = cn_lanes_abs(boxes->along[0][i]) -
                  (a[i] + (b[0] * size[i][0] + b[1] * size[i][1] + b[2] * size[i][2]));
        of_b[i] = cn_lanes_abs(boxes->along[1][i]) -
                  (b[i] + (a[0] * size[0][i] + a[1] * size[1][i] + a[2] * size[2][i]));
    }
    best_of_three(of_a, boxes->tie, &best[0], &axis[0]);
    best_of_three(of_b, boxes->tie, &best[1], &axis[1]);
    CnMask a_better = cn_less(best[1] + boxes->tie, best[0]);
    CnMask b_better = cn_less(best[0] + boxes->tie, best[1]);
    frame->of_b = b_better | cn_and_not(boxes->reversed, a_better);
    frame->of_second = frame->of_b ^ boxes->reversed;
    frame->axis[0] = cn_select(frame->of_b, axis[1], axis[0]);
    frame->separation = cn_select(frame->of_b, best[1], best[0]);
    frame->best_face = cn_lanes_max(best[0], best[1]);
}

CN_LANE_FUNCTION void pick_axes(CnLanes axis, const CnLanes of[3], CnLanes picked[3]) {
    picked[0] = cn_select_of_three(axis, of[1], of[2], of[0]);
    picked[1] = cn_select_of_three(axis, of[2], of[0], of[1]);
    picked[2] = cn_select_of_three(axis, of[0], of[1], of[2]);
}

// Leaves the columns of the turn, and the half edges of the other box, in the order x, y, z.
CN_LANE_FUNCTION void see_from_reference(const BoxLanes* boxes, BoxFrame* frame, CnLanes rows[3][3],
                                         CnLanes half[3]) {
    CnMask of_b = frame->of_b;
    CnLanes axis = frame->axis[0], own[3], between[3];
    for (int i = 0; i < 3; ++i) {
        own[i] = cn_select(of_b, boxes->half[1][i], boxes->half[0][i]);
        half[i] = cn_select(of_b, boxes->half[0][i], boxes->half[1][i]);
        between[i] = cn_select(of_b, -boxes->along[1][i], boxes->along[0][i]);
        between[i] = without_nothing(boxes->nothing, between[i]);
    }
    pick_axes(axis, own, frame->half[0]);
    pick_axes(axis, between, frame->between);
    frame->high[0] = cn_at_most(cn_lanes(0.0), frame->between[2]);
    CnLanes outward = frame->between[2];
    frame->between[2] = cn_lanes_abs(outward);
    for (int j = 0; j < 3; ++j) {
        CnLanes column[3], seen[3];
        for (int i = 0; i < 3; ++i) {
            column[i] = cn_select(of_b, boxes->turn[j][i], boxes->turn[i][j]);
        }
        pick_axes(axis, column, seen);
        rows[0][j] = seen[0];
        rows[1][j] = seen[1];
        rows[2][j] = cn_lanes_times_sign(seen[2], outward);
    }
}

// The face that faces the reference most; of equals, to within CN_TIE, the first.
CN_LANE_FUNCTION void find_incident(CnLanes rows[3][3], const CnLanes half[3], BoxFrame* frame) {
    CnLanes facing[3], most, axis;
    for (int j = 0; j < 3; ++j) {
        facing[j] = cn_lanes_abs(rows[2][j]);
    }
    best_of_three(facing, cn_lanes(CN_TIE), &most, &axis);
    frame->axis[1] = axis;
    pick_axes(axis, half, frame->half[1]);
    for (int i = 0; i < 3; ++i) {
        pick_axes(axis, rows[i], frame->turn[i]);
    }
    frame->high[1] = cn_is_negative(frame->turn[2][2]);
}

CN_LANE_FUNCTION void make_frame(const BoxLanes* boxes, BoxFrame* frame) {
    CnLanes rows[3][3], half[3];
    see_from_reference(boxes, frame, rows, half);
    find_incident(rows, half, frame);
    frame->size = boxes->size;
    frame->tie = boxes->tie;
    frame->nothing = boxes->nothing;
    frame->doubt = boxes->doubt;
    frame->margin = boxes->margin;
}
