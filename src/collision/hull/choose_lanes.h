// choose_lanes.h - of more than four candidates the four that matter, several candidates at a time.
//
// The file that includes it says how many: math/simd.h.
#pragma once

#include "collision/hull/choose_line.h"
#include "collision/hull/face_points.h"

#include <float.h>

// Vectors that hold all points: as many as are looked at.
#define CHOOSE_PARTS (CN_CANDIDATES / CN_LANES)

// What each point adds to those chosen so far [m]. Functions take the number of vectors, with the
// points that pad them. Numbers that all points share are in every lane: one that has just been
// chosen comes there straight from memory.
typedef struct Gains {
    const CnFlatPoints* points;
    CnLanes scale; // one over the size [1/m]
    CnLanes step;  // less than this is nothing [m]
    CnLanes limit; // gaps up to this belong to one contact [m]
    CnLanes all[CHOOSE_PARTS];
    CnLanes left[CHOOSE_PARTS]; // choose_widest: doubled areas to the left of the base, over the
                                // size [m]
} Gains;

CN_LANE_FUNCTION CnLanes load_part(const double* numbers, int part) {
    return cn_lanes_load(numbers + part * CN_LANES);
}

CN_LANE_FUNCTION Spot spots_of_part(const CnFlatPoints* points, int part) {
    return (Spot){load_part(points->x, part), load_part(points->y, part)};
}

CN_LANE_FUNCTION Spot spot_of(const CnFlatPoints* points, int i) {
    return (Spot){cn_lanes(points->x[i]), cn_lanes(points->y[i])};
}

// Of the largest, to within a step, the first, among points with gaps up to limit; -1 when all are
// nothing.
CN_LANE_FUNCTION int first_of_largest_gains(const Gains* gains, int parts, CnLanes limit) {
    CnLanes near[CHOOSE_PARTS], most = cn_lanes(0.0);
    uint64_t found = 0;
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_near = cn_at_most(load_part(gains->points->gap, k), limit);
        near[k] = cn_keep(is_near, gains->all[k]);
        most = cn_lanes_max(most, near[k]);
    }
    most = cn_lanes_max_across(most);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_large = cn_at_most(most - gains->step, near[k]);
        found |= (uint64_t)cn_mask_bits(is_large) << (k * CN_LANES);
    }
    return most[0] > gains->step[0] ? __builtin_ctzll(found) : -1;
}

// Among points of the same contact as the deepest, if one of them adds anything, else among all.
CN_LANE_FUNCTION int choose_gain(const Gains* gains, int parts) {
    int choice = first_of_largest_gains(gains, parts, gains->limit);
    return choice >= 0 ? choice : first_of_largest_gains(gains, parts, cn_lanes(DBL_MAX));
}

// The square of the distance from a point, over the size.
CN_LANE_FUNCTION int choose_farthest(Gains* gains, int parts, Spot from) {
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        Spot spots = spots_of_part(gains->points, k);
        CnLanes dx = spots.x - from.x, dy = spots.y - from.y;
        gains->all[k] = gains->scale * (dx * dx + dy * dy);
    }
    return choose_gain(gains, parts);
}

CN_LANE_FUNCTION int choose_widest(Gains* gains, int parts, const Line* base) {
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        gains->left[k] = left_of(base, spots_of_part(gains->points, k));
        gains->all[k] = cn_lanes_abs(gains->left[k]);
    }
    return choose_gain(gains, parts);
}

// The largest triangle outside that of three points, of which two are those of the base.
CN_LANE_FUNCTION int choose_outside(Gains* gains, int parts, const Spot corners[3], CnLanes turn) {
    CnLanes scale = scale_outside(gains->scale, turn);
    Line second = line_through(corners[1], corners[2], scale);
    Line third = line_through(corners[2], corners[0], scale);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        Spot spots = spots_of_part(gains->points, k);
        CnLanes first = cn_lanes_times_sign(-gains->left[k], turn);
        CnLanes most = cn_lanes_max(first, left_of(&second, spots));
        gains->all[k] = cn_lanes_max(most, left_of(&third, spots));
    }
    return choose_gain(gains, parts);
}

CN_LANE_FUNCTION int find_deepest(const CnFlatPoints* points, int parts, Gains* gains) {
    CnLanes least = cn_lanes(HUGE_VAL);
    uint64_t found = 0;
    gains->points = points;
    gains->scale = cn_lanes(1.0 / points->size);
    gains->step = cn_lanes(CN_TIE * points->size);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        least = cn_lanes_min(least, load_part(points->gap, k));
    }
    CnLanes limit = gains->step - cn_lanes_max_across(-least);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_deep = cn_at_most(load_part(points->gap, k), limit);
        found |= (uint64_t)cn_mask_bits(is_deep) << (k * CN_LANES);
    }
    int first = found != 0 ? __builtin_ctzll(found) : 0; // none if gaps are not finite
    gains->limit = cn_lanes(points->gap[first]) + CN_ONE_CONTACT * points->size;
    return first;
}

CN_LANE_FUNCTION uint64_t choose_of(const CnFlatPoints* points, int parts) {
    Gains gains;
    Spot corners[3];
    int first = find_deepest(points, parts, &gains);
    uint64_t chosen = UINT64_C(1) << first;
    corners[0] = spot_of(points, first);
    int second = choose_farthest(&gains, parts, corners[0]);
    if (second < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << second;
    corners[1] = spot_of(points, second);
    Line base = line_through(corners[0], corners[1], gains.scale);
    int third = choose_widest(&gains, parts, &base);
    if (third < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << third;
    corners[2] = spot_of(points, third);
    int fourth = choose_outside(&gains, parts, corners, left_of(&base, corners[2]));
    return fourth < 0 ? chosen : chosen | UINT64_C(1) << fourth;
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

// Few points mostly: then loops have no ends to be surprised by, and registers hold all gains.
CN_LANE_FUNCTION uint64_t choose_points(const CnFlatPoints* points) {
    if (points->count <= 8) {
        return choose_of(points, 8 / CN_LANES);
    }
    return points->count <= 12 ? choose_of(points, 12 / CN_LANES) : choose_of_many(points);
}

static CN_LANE_TARGET uint64_t choose(const CnFlatPoints* points) {
    return choose_points(points);
}

// Of five points or more, with those that pad them, there are the twelve that few points take.
static CN_LANE_TARGET uint64_t choose_along(const CnFacePoints* points, const CnVec3 axes[2],
                                            double size) {
    double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS];
    CnVec3 right = axes[0], ahead = axes[1];
    for (int k = 0; k < points->count || k < 12; k += CN_LANES) {
        CnLanes px = cn_lanes_load(points->x + k), py = cn_lanes_load(points->y + k);
        CnLanes pz = cn_lanes_load(points->z + k);
        cn_lanes_store(right.x * px + right.y * py + right.z * pz, x + k);
        cn_lanes_store(ahead.x * px + ahead.y * py + ahead.z * pz, y + k);
    }
    return choose_points(&(CnFlatPoints){x, y, points->gap, points->count, size});
}
