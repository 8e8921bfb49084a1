// box_choose.h - of more than four candidates the four that matter, pairs of boxes side by side.
//
// What cn_choose_four() does for one contact, step by step. A candidate that is none has a gap of
// HUGE_VAL.
#pragma once

#include "collision/box/box_deepest.h"
#include "collision/hull/choose_line.h"

#include <float.h>

// Candidates of these lanes, and what each adds to those chosen so far [m].
typedef struct Gains {
    BoxOutput from;
    CnLanes scale; // one over the size [1/m]
    CnLanes step;  // less than this is nothing [m]
    CnLanes limit; // gaps up to this belong to one contact [m]
    CnLanes all[CN_BOX_CANDIDATES];
} Gains;

typedef struct Choice {
    Spot at;     // undefined where there is none, and so is:
    CnLanes bit; // which candidate
    CnMask exists;
} Choice;

CN_LANE_FUNCTION Spot candidate(const Gains* gains, int k) {
    return (Spot){cn_lanes_load(&gains->from.block->u[k][gains->from.start]),
                  cn_lanes_load(&gains->from.block->v[k][gains->from.start])};
}

CN_LANE_FUNCTION CnLanes candidate_gap(const Gains* gains, int k) {
    return cn_lanes_load(&gains->from.block->gap[k][gains->from.start]);
}

CN_LANE_FUNCTION void take_candidate(const Gains* gains, int k, CnMask where, Choice* choice) {
    Spot at = candidate(gains, k);
    choice->at.x = cn_select(where, at.x, choice->at.x);
    choice->at.y = cn_select(where, at.y, choice->at.y);
    choice->bit = cn_select(where, (CnLanes)cn_lane_bits(1 << k), choice->bit);
}

// Of the largest gains, to within a step, the first, among candidates with gaps up to limit.
CN_LANE_FUNCTION Choice first_of_largest(const Gains* gains, CnLanes limit) {
    CnLanes near[CN_BOX_CANDIDATES], largest = cn_lanes(0.0);
    Choice choice = {.at = {largest, largest}, .bit = largest};
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        near[k] = cn_keep(cn_at_most(candidate_gap(gains, k), limit), gains->all[k]);
        largest = cn_lanes_max(largest, near[k]);
    }
    choice.exists = cn_less(gains->step, largest);
    CnLanes least = largest - gains->step;
    CN_UNROLLED
    for (int k = CN_BOX_CANDIDATES - 1; k >= 0; --k) {
        take_candidate(gains, k, cn_at_most(least, near[k]), &choice);
    }
    return choice;
}

// Among candidates of the same contact as the deepest, if one of them adds anything, else among
// all.
CN_LANE_FUNCTION Choice choose(const Gains* gains) {
    Choice choice = first_of_largest(gains, gains->limit);
    if (cn_mask_bits(choice.exists) != (1u << CN_LANES) - 1) {
        Choice any = first_of_largest(gains, cn_lanes(DBL_MAX));
        choice.at.x = cn_select(choice.exists, choice.at.x, any.at.x);
        choice.at.y = cn_select(choice.exists, choice.at.y, any.at.y);
        choice.bit = cn_select(choice.exists, choice.bit, any.bit);
        choice.exists |= any.exists;
    }
    return choice;
}

CN_LANE_FUNCTION Choice find_deepest(BoxOutput from, CnLanes size, Gains* gains) {
    CnLanes least = cn_lanes(HUGE_VAL), none = cn_lanes(0.0);
    Choice choice = {.at = {none, none}, .bit = none};
    gains->from = from;
    gains->scale = 1.0 / size;
    gains->step = CN_TIE * size;
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        least = cn_lanes_min(least, candidate_gap(gains, k));
    }
    CnLanes limit = least + gains->step, gap = least;
    CN_UNROLLED
    for (int k = CN_BOX_CANDIDATES - 1; k >= 0; --k) {
        CnMask where = cn_at_most(candidate_gap(gains, k), limit);
        take_candidate(gains, k, where, &choice);
        gap = cn_select(where, candidate_gap(gains, k), gap);
    }
    gains->limit = gap + CN_ONE_CONTACT * size;
    return choice;
}

// The square of the distance from a point, over the size.
CN_LANE_FUNCTION Choice choose_farthest(Gains* gains, Spot from) {
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        Spot at = candidate(gains, k);
        CnLanes dx = at.x - from.x, dy = at.y - from.y;
        gains->all[k] = gains->scale * (dx * dx + dy * dy);
    }
    return choose(gains);
}

CN_LANE_FUNCTION Choice choose_widest(Gains* gains, const Line* base) {
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        gains->all[k] = cn_lanes_abs(left_of(base, candidate(gains, k)));
    }
    return choose(gains);
}

// The largest triangle outside that of three points.
CN_LANE_FUNCTION Choice choose_outside(Gains* gains, const Choice corners[3], CnLanes turn) {
    CnLanes scale = scale_outside(gains->scale, turn);
    Line sides[3];
    for (int i = 0; i < 3; ++i) {
        sides[i] = line_through(corners[i].at, corners[(i + 1) % 3].at, scale);
    }
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        Spot at = candidate(gains, k);
        CnLanes most = cn_lanes_max(left_of(&sides[0], at), left_of(&sides[1], at));
        gains->all[k] = cn_lanes_max(most, left_of(&sides[2], at));
    }
    return choose(gains);
}

// Leaves the bits of those that are chosen.
CN_LANE_STAGE void choose_four(CnBoxBlock* block, int start) {
    const BoxOutput from = {block, start};
    Gains gains;
    Choice corners[3];
    corners[0] = find_deepest(from, cn_lanes_load(&block->size[start]), &gains);
    corners[1] = choose_farthest(&gains, corners[0].at);
    Line base = line_through(corners[0].at, corners[1].at, gains.scale);
    corners[2] = choose_widest(&gains, &base);
    CnLanes turn = left_of(&base, corners[2].at);
    Choice fourth = choose_outside(&gains, corners, turn);
    CnMask second = corners[1].exists, third = second & corners[2].exists;
    CnLaneBits chosen = (CnLaneBits)corners[0].bit | (CnLaneBits)cn_keep(second, corners[1].bit) |
                        (CnLaneBits)cn_keep(third, corners[2].bit) |
                        (CnLaneBits)cn_keep(third & fourth.exists, fourth.bit);
    memcpy(&block->kept[start], &chosen, sizeof chosen);
}
