// choose_lanes.h - of more than four candidates for contact points the four that matter.
//
// docs/theory/collision/sat.md, "Four points". One algorithm for two layouts, chosen by `shared`, a
// constant where functions are called: either all lanes belong to one contact, and a vector holds
// CN_LANES of its candidates (hulls, and anything given to cn_choose_four()); or each lane has a
// contact of its own, and a vector holds one candidate of each (boxes). Padding has a gap of
// HUGE_VAL.
#pragma once

#include "collision/hull/reduce.h"
#include "math/simd.h"

#include <float.h>

// Vectors of candidates at most.
#define CHOOSE_PARTS (CN_CANDIDATES / CN_LANES)

typedef struct Spot {
    CnLanes x, y; // [m]
} Spot;

// A line through two points. The doubled area of its triangle with a point to its left, over the
// size, is a x + b y + c [m].
typedef struct LineLanes {
    CnLanes a, b, c;
} LineLanes;

CN_LANE_FUNCTION LineLanes line_through(Spot from, Spot to, CnLanes scale) {
    CnLanes a = scale * (from.y - to.y), b = scale * (to.x - from.x);
    return (LineLanes){a, b, -a * from.x - b * from.y};
}

CN_LANE_FUNCTION CnLanes left_of(const LineLanes* line, Spot spot) {
    return line->a * spot.x + line->b * spot.y + line->c;
}

// Vector k of candidates is at x + k stride, y + k stride and gap + k stride.
typedef struct Candidates {
    const double *x, *y, *gap; // [m]
    int parts, stride;
    CnLanes size; // of the smaller shape [m]
} Candidates;

// What each candidate adds to those chosen so far [m].
typedef struct Gains {
    const Candidates* from;
    CnLanes scale; // one over the size [1/m]
    CnLanes step;  // what adds less than this adds nothing [m]
    CnLanes limit; // gaps up to this belong to one contact [m]
    CnLanes all[CHOOSE_PARTS];
    CnLanes left[CHOOSE_PARTS]; // choose_widest: doubled areas to the left of the base, over the
                                // size [m]
} Gains;

typedef struct Choice {
    Spot at;         // undefined where there is none, and so is:
    CnLaneBits bits; // one for the candidate
    CnMask exists;
} Choice;

CN_LANE_FUNCTION CnLanes load_part(const Candidates* from, const double* numbers, int k) {
    return cn_lanes_load(numbers + k * from->stride);
}

CN_LANE_FUNCTION Spot spots_of_part(const Candidates* from, int k) {
    return (Spot){load_part(from, from->x, k), load_part(from, from->y, k)};
}

// The largest number of each contact.
CN_LANE_FUNCTION CnLanes largest_of(CnLanes x, bool shared) {
    return shared ? cn_lanes_max_across(x) : x;
}

// The first candidate of each contact whose number is at least so much. One is.
CN_LANE_FUNCTION Choice first_at_least(const Candidates* from, const CnLanes* numbers,
                                       CnLanes least, bool shared) {
    if (shared) {
        uint64_t found = 0;
        CN_UNROLLED
        for (int k = 0; k < from->parts; ++k) {
            found |= (uint64_t)cn_mask_bits(cn_at_most(least, numbers[k])) << (k * CN_LANES);
        }
        int i = found != 0 ? __builtin_ctzll(found) : 0; // none if numbers are not finite
        return (Choice){.at = {cn_lanes(from->x[i]), cn_lanes(from->y[i])},
                        .bits = cn_lane_bits((int64_t)(UINT64_C(1) << i))};
    }
    CnLanes none = cn_lanes(0.0);
    Choice choice = {.at = {none, none}, .bits = cn_lane_bits(0)};
    CN_UNROLLED
    for (int k = from->parts - 1; k >= 0; --k) {
        CnMask here = cn_at_most(least, numbers[k]);
        Spot at = spots_of_part(from, k);
        choice.at.x = cn_select(here, at.x, choice.at.x);
        choice.at.y = cn_select(here, at.y, choice.at.y);
        choice.bits =
            (CnLaneBits)cn_select(here, (CnLanes)cn_lane_bits(1 << k), (CnLanes)choice.bits);
    }
    return choice;
}

// Of the largest gains, to within a step, the first, among candidates with gaps up to limit.
CN_LANE_FUNCTION Choice first_of_largest_gains(const Gains* gains, CnLanes limit, bool shared) {
    const Candidates* from = gains->from;
    CnLanes near[CHOOSE_PARTS], most = cn_lanes(0.0);
    CN_UNROLLED
    for (int k = 0; k < from->parts; ++k) {
        near[k] = cn_keep(cn_at_most(load_part(from, from->gap, k), limit), gains->all[k]);
        most = cn_lanes_max(most, near[k]);
    }
    most = largest_of(most, shared);
    Choice choice = first_at_least(from, near, most - gains->step, shared);
    choice.exists = cn_less(gains->step, most);
    return choice;
}

// Among candidates of the same contact as the deepest, if one of them adds anything, else among
// all.
CN_LANE_FUNCTION Choice choose_gain(const Gains* gains, bool shared) {
    Choice choice = first_of_largest_gains(gains, gains->limit, shared);
    if (cn_mask_bits(choice.exists) != (1u << CN_LANES) - 1) {
        Choice any = first_of_largest_gains(gains, cn_lanes(DBL_MAX), shared);
        choice.at.x = cn_select(choice.exists, choice.at.x, any.at.x);
        choice.at.y = cn_select(choice.exists, choice.at.y, any.at.y);
        choice.bits = (choice.bits & choice.exists) | (any.bits & ~choice.exists);
        choice.exists |= any.exists;
    }
    return choice;
}

CN_LANE_FUNCTION Choice choose_deepest(const Candidates* from, Gains* gains, bool shared) {
    CnLanes depths[CHOOSE_PARTS], most = cn_lanes(-HUGE_VAL);
    gains->from = from;
    gains->scale = 1.0 / from->size;
    gains->step = CN_TIE_TOLERANCE * from->size;
    CN_UNROLLED
    for (int k = 0; k < from->parts; ++k) {
        depths[k] = -load_part(from, from->gap, k);
        most = cn_lanes_max(most, depths[k]);
    }
    most = largest_of(most, shared);
    Choice choice = first_at_least(from, depths, most - gains->step, shared);
    CnLanes gap = -most;
    CN_UNROLLED
    for (int k = from->parts - 1; k >= 0 && !shared; --k) {
        gap = cn_select(cn_at_most(most - gains->step, depths[k]), -depths[k], gap);
    }
    gap = shared ? cn_lanes(from->gap[__builtin_ctzll((uint64_t)choice.bits[0])]) : gap;
    gains->limit = gap + CN_SAME_CONTACT_GAP * from->size;
    return choice;
}

// The square of the distance from a point, over the size.
CN_LANE_FUNCTION Choice choose_farthest(Gains* gains, Spot from, bool shared) {
    CN_UNROLLED
    for (int k = 0; k < gains->from->parts; ++k) {
        Spot spots = spots_of_part(gains->from, k);
        CnLanes dx = spots.x - from.x, dy = spots.y - from.y;
        gains->all[k] = gains->scale * (dx * dx + dy * dy);
    }
    return choose_gain(gains, shared);
}

CN_LANE_FUNCTION Choice choose_widest(Gains* gains, const LineLanes* base, bool shared) {
    CN_UNROLLED
    for (int k = 0; k < gains->from->parts; ++k) {
        gains->left[k] = left_of(base, spots_of_part(gains->from, k));
        gains->all[k] = cn_lanes_abs(gains->left[k]);
    }
    return choose_gain(gains, shared);
}

// The largest triangle outside that of three points, of which two are those of the base. `turn` is
// how far the third is to its left: outside is to the right of the sides if they turn left.
CN_LANE_FUNCTION Choice choose_outside(Gains* gains, const Choice corners[3], CnLanes turn,
                                       bool shared) {
    CnLanes scale = cn_lanes_times_sign(-gains->scale, turn);
    LineLanes second = line_through(corners[1].at, corners[2].at, scale);
    LineLanes third = line_through(corners[2].at, corners[0].at, scale);
    CN_UNROLLED
    for (int k = 0; k < gains->from->parts; ++k) {
        Spot spots = spots_of_part(gains->from, k);
        CnLanes first = cn_lanes_times_sign(-gains->left[k], turn);
        CnLanes most = cn_lanes_max(first, left_of(&second, spots));
        gains->all[k] = cn_lanes_max(most, left_of(&third, spots));
    }
    return choose_gain(gains, shared);
}

// One bit for each candidate that is chosen. Of lanes that share a contact all have the same.
CN_LANE_FUNCTION CnLaneBits choose_four(const Candidates* from, bool shared) {
    Gains gains;
    Choice corners[3];
    corners[0] = choose_deepest(from, &gains, shared);
    CnLaneBits chosen = corners[0].bits;
    corners[1] = choose_farthest(&gains, corners[0].at, shared);
    CnMask goes_on = corners[1].exists;
    if (!cn_any(goes_on)) {
        return chosen;
    }
    chosen |= corners[1].bits & goes_on;
    LineLanes base = line_through(corners[0].at, corners[1].at, gains.scale);
    corners[2] = choose_widest(&gains, &base, shared);
    goes_on &= corners[2].exists;
    if (!cn_any(goes_on)) {
        return chosen;
    }
    chosen |= corners[2].bits & goes_on;
    Choice fourth = choose_outside(&gains, corners, left_of(&base, corners[2].at), shared);
    return chosen | (fourth.bits & goes_on & fourth.exists);
}

CN_LANE_FUNCTION uint64_t choose_of(const CnFlatPoints* points, int parts) {
    Candidates from = {points->x, points->y, points->gap, parts, CN_LANES, cn_lanes(points->size)};
    return (uint64_t)choose_four(&from, true)[0];
}

// As many as there can be.
CN_LANE_STAGE uint64_t choose_of_many(const CnFlatPoints* points) {
    double x[CN_CANDIDATES], y[CN_CANDIDATES], gap[CN_CANDIDATES];
    for (int i = 0; i < CN_CANDIDATES; ++i) {
        bool is_point = i < points->count;
        x[i] = is_point ? points->x[i] : 0.0;
        y[i] = is_point ? points->y[i] : 0.0;
        gap[i] = is_point ? points->gap[i] : HUGE_VAL;
    }
    return choose_of(&(CnFlatPoints){x, y, gap, CN_CANDIDATES, points->size}, CHOOSE_PARTS);
}

// Mostly there are few points: then loops have constant length, and registers hold all gains.
CN_LANE_FUNCTION uint64_t choose_points(const CnFlatPoints* points) {
    if (points->count <= 8) {
        return choose_of(points, 8 / CN_LANES);
    }
    return points->count <= 12 ? choose_of(points, 12 / CN_LANES) : choose_of_many(points);
}
