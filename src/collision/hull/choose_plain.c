// choose_plain.c - of many candidates the four that matter, in plain scalar code.
//
// The reference for choose_lanes.h. docs/theory/collision/sat.md, "Four points".
#include "collision/hull/reduce.h"

#include <float.h>

// What is chosen so far, and how points are compared.
typedef struct FourPointSearch {
    const CnFlatPoints* points;
    double scale;                // one over the size [1/m]
    double step;                 // what adds less than this adds nothing [m]
    double limit;                // gaps up to this belong to one contact [m]
    double gains[CN_CANDIDATES]; // what each point adds to those chosen so far [m]
} FourPointSearch;

// A line through two points. The doubled area of its triangle with a point to its left, over the
// size, is a x + b y + c [m].
typedef struct Line {
    double a, b, c;
} Line;

static Line line_through(const CnFlatPoints* points, int from, int to, double scale) {
    double a = scale * (points->y[from] - points->y[to]);
    double b = scale * (points->x[to] - points->x[from]);
    return (Line){a, b, -a * points->x[from] - b * points->y[from]};
}

static double left_of(const Line* line, const CnFlatPoints* points, int i) {
    return line->a * points->x[i] + line->b * points->y[i] + line->c;
}

// Of the largest gains, to within a step, the first, among points with gaps up to limit; -1 if none
// adds anything.
static int first_of_largest(const FourPointSearch* search, double limit) {
    double most = 0.0;
    for (int i = 0; i < search->points->count; ++i) {
        if (search->points->gap[i] <= limit && search->gains[i] > most) {
            most = search->gains[i];
        }
    }
    for (int i = 0; most > search->step && i < search->points->count; ++i) {
        if (search->points->gap[i] <= limit && search->gains[i] >= most - search->step) {
            return i;
        }
    }
    return -1;
}

// Among points of the same contact as the deepest, if one of them adds anything, else among all.
static int choose(const FourPointSearch* search) {
    int i = first_of_largest(search, search->limit);
    return i >= 0 ? i : first_of_largest(search, DBL_MAX);
}

static int choose_deepest(FourPointSearch* search) {
    const CnFlatPoints* points = search->points;
    double least = HUGE_VAL;
    int first = 0;
    for (int i = 0; i < points->count; ++i) {
        least = points->gap[i] < least ? points->gap[i] : least;
    }
    while (first < points->count - 1 && !(points->gap[first] <= least + search->step)) {
        ++first;
    }
    search->limit = points->gap[first] + CN_SAME_CONTACT_GAP * points->size;
    return first;
}

// The square of the distance from the first, over the size.
static int choose_farthest(FourPointSearch* search, int first) {
    const CnFlatPoints* points = search->points;
    for (int i = 0; i < points->count; ++i) {
        double dx = points->x[i] - points->x[first], dy = points->y[i] - points->y[first];
        search->gains[i] = search->scale * (dx * dx + dy * dy);
    }
    return choose(search);
}

// The largest triangle with the first two.
static int choose_widest(FourPointSearch* search, const Line* base) {
    for (int i = 0; i < search->points->count; ++i) {
        search->gains[i] = fabs(left_of(base, search->points, i));
    }
    return choose(search);
}

// The largest triangle outside that of the first three.
static int choose_outside(FourPointSearch* search, const int corners[3], double turn) {
    double scale = signbit(turn) ? search->scale : -search->scale;
    Line sides[3];
    for (int k = 0; k < 3; ++k) {
        sides[k] = line_through(search->points, corners[k], corners[(k + 1) % 3], scale);
    }
    for (int i = 0; i < search->points->count; ++i) {
        double most = left_of(&sides[0], search->points, i);
        for (int k = 1; k < 3; ++k) {
            double left = left_of(&sides[k], search->points, i);
            most = left > most ? left : most;
        }
        search->gains[i] = most;
    }
    return choose(search);
}

uint64_t cn_choose_four_plain(const CnFlatPoints* points) {
    FourPointSearch search = {
        .points = points, .scale = 1.0 / points->size, .step = CN_TIE_TOLERANCE * points->size};
    int corners[3];
    corners[0] = choose_deepest(&search);
    uint64_t chosen = UINT64_C(1) << corners[0];
    corners[1] = choose_farthest(&search, corners[0]);
    if (corners[1] < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << corners[1];
    Line base = line_through(points, corners[0], corners[1], search.scale);
    corners[2] = choose_widest(&search, &base);
    if (corners[2] < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << corners[2];
    int fourth = choose_outside(&search, corners, left_of(&base, points, corners[2]));
    return fourth < 0 ? chosen : chosen | UINT64_C(1) << fourth;
}
