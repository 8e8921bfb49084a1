// choose_lanes.h - of more than four candidates the four that matter, several candidates at a time.
//
// The file that includes it says how many: math/lanes.h.
#pragma once

#include "collision/face_points.h"
#include "collision/lanes.h"

#include <float.h>

// Vectors that hold all points: as many as are looked at.
#define CHOOSE_PARTS (CN_CANDIDATES / CN_LANES)

// What each point adds to those chosen so far [m]. Functions take the number of vectors, with the
// points that pad them.
typedef struct Gains {
    const CnFlatPoints* points;
    double scale; // one over the size [1/m]
    double step;  // less than this is nothing [m]
    double limit; // gaps up to this belong to one contact [m]
    CnLanes all[CHOOSE_PARTS];
    CnLanes left[CHOOSE_PARTS]; // choose_widest: doubled areas to the left of the base, over the
                                // size [m]
} Gains;

CN_LANE_FUNCTION CnLanes load_part(const double* numbers, int part) {
    return cn_lanes_load(numbers + part * CN_LANES);
}

// Of all lanes in every lane.
CN_LANE_FUNCTION CnLanes largest_of_all(CnLanes x) {
#if CN_LANES == 4
    x = cn_lanes_max(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
    return cn_lanes_max(x, __builtin_shufflevector(x, x, 1, 0, 3, 2));
#else
    return cn_lanes_max(x, __builtin_shufflevector(x, x, 1, 0));
#endif
}

// Of the largest, to within a step, the first, among points with gaps up to limit; -1 when all are
// nothing.
CN_LANE_FUNCTION int first_of_largest_gains(const Gains* gains, int parts, double limit) {
    CnLanes near[CHOOSE_PARTS], most = cn_lanes(0.0);
    uint64_t found = 0;
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_near = cn_at_most(load_part(gains->points->gap, k), cn_lanes(limit));
        near[k] = cn_keep(is_near, gains->all[k]);
        most = cn_lanes_max(most, near[k]);
    }
    most = largest_of_all(most);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_large = cn_at_most(most - gains->step, near[k]);
        found |= (uint64_t)cn_mask_answers(is_large) << (k * CN_LANES);
    }
    return most[0] > gains->step ? __builtin_ctzll(found) : -1;
}

// Among points of the same contact as the deepest, if one of them adds anything, else among all.
CN_LANE_FUNCTION int choose_gain(const Gains* gains, int parts) {
    int choice = first_of_largest_gains(gains, parts, gains->limit);
    return choice >= 0 ? choice : first_of_largest_gains(gains, parts, DBL_MAX);
}

// The square of the distance from a point, over the size.
CN_LANE_FUNCTION int choose_farthest(Gains* gains, int parts, int from) {
    const double *x = gains->points->x, *y = gains->points->y;
    CnLanes from_x = cn_lanes(x[from]), from_y = cn_lanes(y[from]);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnLanes dx = load_part(x, k) - from_x, dy = load_part(y, k) - from_y;
        gains->all[k] = gains->scale * (dx * dx + dy * dy);
    }
    return choose_gain(gains, parts);
}

// A line through two points. The doubled area of its triangle with a point to its left, over the
// size, is a x + b y + c [m].
typedef struct Line {
    double a, b, c;
} Line;

CN_LANE_FUNCTION Line line_through(const CnFlatPoints* points, int from, int to, double scale) {
    double a = scale * (points->y[from] - points->y[to]);
    double b = scale * (points->x[to] - points->x[from]);
    return (Line){a, b, -a * points->x[from] - b * points->y[from]};
}

CN_LANE_FUNCTION CnLanes left_of(const Line* line, const CnFlatPoints* points, int part) {
    return line->a * load_part(points->x, part) + line->b * load_part(points->y, part) + line->c;
}

CN_LANE_FUNCTION int choose_widest(Gains* gains, int parts, const Line* base) {
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        gains->left[k] = left_of(base, gains->points, k);
        gains->all[k] = cn_lanes_abs(gains->left[k]);
    }
    return choose_gain(gains, parts);
}

// The largest triangle outside that of three points, of which two are those of the base. Outside is
// to the right of its sides when they turn left.
CN_LANE_FUNCTION int choose_outside(Gains* gains, int parts, const int corners[3], double turn) {
    const CnFlatPoints* points = gains->points;
    double right = copysign(gains->scale, -turn);
    Line second = line_through(points, corners[1], corners[2], right);
    Line third = line_through(points, corners[2], corners[0], right);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnLanes first = cn_lanes_turn(gains->left[k], cn_lanes(-turn));
        CnLanes most = cn_lanes_max(first, left_of(&second, points, k));
        gains->all[k] = cn_lanes_max(most, left_of(&third, points, k));
    }
    return choose_gain(gains, parts);
}

CN_LANE_FUNCTION int find_deepest(const CnFlatPoints* points, int parts, Gains* gains) {
    CnLanes least = cn_lanes(HUGE_VAL);
    uint64_t found = 0;
    gains->points = points;
    gains->scale = 1.0 / points->size;
    gains->step = CN_TIE * points->size;
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        least = cn_lanes_min(least, load_part(points->gap, k));
    }
    CnLanes limit = gains->step - largest_of_all(-least);
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnMask is_deep = cn_at_most(load_part(points->gap, k), limit);
        found |= (uint64_t)cn_mask_answers(is_deep) << (k * CN_LANES);
    }
    int first = found != 0 ? __builtin_ctzll(found) : 0; // none if gaps are not finite
    gains->limit = points->gap[first] + CN_ONE_CONTACT * points->size;
    return first;
}

CN_LANE_FUNCTION uint64_t choose_of(const CnFlatPoints* points, int parts) {
    Gains gains;
    int corners[3];
    corners[0] = find_deepest(points, parts, &gains);
    uint64_t chosen = UINT64_C(1) << corners[0];
    corners[1] = choose_farthest(&gains, parts, corners[0]);
    if (corners[1] < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << corners[1];
    Line base = line_through(points, corners[0], corners[1], gains.scale);
    corners[2] = choose_widest(&gains, parts, &base);
    if (corners[2] < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << corners[2];
    double turn = base.a * points->x[corners[2]] + base.b * points->y[corners[2]] + base.c;
    int fourth = choose_outside(&gains, parts, corners, turn);
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
