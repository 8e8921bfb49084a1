// reduce.c - of many candidates for contact points, the four that matter.
#include "collision/reduce.h"

#include <string.h>

// What each point adds to those chosen so far [m].
typedef struct Gains {
    const CnFlatPoints* points;
    double scale; // one over the size [1/m]
    double step;  // less than this is nothing [m]
    double limit; // gaps up to this belong to one contact [m]
    bool is_one;  // all do
    double all[CN_CANDIDATES];
} Gains;

// Of the largest, to within step, the first; -1 when all are nothing.
static int first_of_largest(const double* gain, int count, double step) {
    double even = 0.0, odd = 0.0; // two chains, so that one need not wait for the other
    int first = 0;
    for (int i = 0; i + 1 < count; i += 2) {
        even = gain[i] > even ? gain[i] : even;
        odd = gain[i + 1] > odd ? gain[i + 1] : odd;
    }
    even = gain[count - 1] > even ? gain[count - 1] : even;
    double largest = odd > even ? odd : even;
    if (!(largest > step)) {
        return -1;
    }
    while (gain[first] < largest - step) {
        ++first;
    }
    return first;
}

// Among points of the same contact as the deepest, if one of them adds anything, else among all.
static int choose(const Gains* gains) {
    const CnFlatPoints* points = gains->points;
    double near[CN_CANDIDATES];
    if (gains->is_one) {
        return first_of_largest(gains->all, points->count, gains->step);
    }
    for (int i = 0; i < points->count; ++i) {
        near[i] = points->gap[i] <= gains->limit ? gains->all[i] : 0.0;
    }
    int choice = first_of_largest(near, points->count, gains->step);
    return choice >= 0 ? choice : first_of_largest(gains->all, points->count, gains->step);
}

// The square of the distance from a point, over the size.
static int choose_farthest(Gains* gains, int from) {
    const CnFlatPoints* points = gains->points;
    const double *x = points->x, *y = points->y;
    double scale = gains->scale;
    for (int i = 0; i < points->count; ++i) {
        double dx = x[i] - x[from], dy = y[i] - y[from];
        gains->all[i] = scale * (dx * dx + dy * dy);
    }
    return choose(gains);
}

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

static double left_of(const Line* line, double x, double y) {
    return line->a * x + line->b * y + line->c;
}

static int choose_widest(Gains* gains, const Line* base) {
    const CnFlatPoints* points = gains->points;
    for (int i = 0; i < points->count; ++i) {
        gains->all[i] = fabs(left_of(base, points->x[i], points->y[i]));
    }
    return choose(gains);
}

// The largest triangle outside that of three points. Outside is to the right of its sides when they
// turn left.
static int choose_outside(Gains* gains, int first, int second, int third, double turn) {
    const CnFlatPoints* points = gains->points;
    double right = -turn * gains->scale;
    Line sides[3] = {line_through(points, first, second, right),
                     line_through(points, second, third, right),
                     line_through(points, third, first, right)};
    for (int i = 0; i < points->count; ++i) {
        double x = points->x[i], y = points->y[i];
        double one = left_of(&sides[0], x, y), two = left_of(&sides[1], x, y),
               three = left_of(&sides[2], x, y);
        double most = one > two ? one : two;
        gains->all[i] = three > most ? three : most;
    }
    return choose(gains);
}

static int find_deepest(const CnFlatPoints* points, Gains* gains) {
    const double* gap = points->gap;
    double least = gap[0], most = gap[0];
    int first = 0;
    for (int i = 1; i < points->count; ++i) {
        least = gap[i] < least ? gap[i] : least;
        most = gap[i] > most ? gap[i] : most;
    }
    gains->points = points;
    gains->scale = 1.0 / points->size;
    gains->step = CN_TIE * points->size;
    while (gap[first] > least + gains->step) {
        ++first;
    }
    gains->limit = gap[first] + CN_ONE_CONTACT * points->size;
    gains->is_one = most <= gains->limit;
    return first;
}

uint64_t cn_choose_four(const CnFlatPoints* points) {
    Gains gains;
    int first = find_deepest(points, &gains);
    uint64_t chosen = UINT64_C(1) << first;
    int second = choose_farthest(&gains, first);
    if (second < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << second;
    Line base = line_through(points, first, second, gains.scale);
    int third = choose_widest(&gains, &base);
    if (third < 0) {
        return chosen;
    }
    chosen |= UINT64_C(1) << third;
    double turn = copysign(1.0, left_of(&base, points->x[third], points->y[third]));
    int fourth = choose_outside(&gains, first, second, third, turn);
    return fourth < 0 ? chosen : chosen | UINT64_C(1) << fourth;
}

static void flatten(const CnCandidates* candidates, CnFlatPoints* flat) {
    CnVec3 first, second;
    cn_tangent_basis(candidates->points[0].normal, &first, &second);
    flat->count = candidates->count;
    flat->size = candidates->size;
    for (int i = 0; i < candidates->count; ++i) {
        const CnManifoldPoint* point = &candidates->points[i];
        CnVec3 way = cn_vec3_sub(point->point, candidates->points[0].point);
        flat->x[i] = cn_vec3_dot(first, way);
        flat->y[i] = cn_vec3_dot(second, way);
        flat->gap[i] = point->gap;
    }
}

int cn_candidates_reduce(const CnCandidates* candidates,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    int count = candidates->count;
    uint64_t chosen = ~UINT64_C(0);
    if (count > CN_MANIFOLD_POINTS) {
        CnFlatPoints flat;
        flatten(candidates, &flat);
        chosen = cn_choose_four(&flat);
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if ((chosen >> i & 1) != 0) {
            points[kept++] = candidates->points[i];
        }
    }
    return kept;
}

void cn_candidates_start(CnCandidates* candidates, double size) {
    candidates->count = 0; // the points, 4 KB, stay as they are
    candidates->size = size;
}

void cn_candidates_make_room(CnCandidates* candidates) {
    CnManifoldPoint kept[CN_MANIFOLD_POINTS];
    candidates->count = cn_candidates_reduce(candidates, kept);
    memcpy(candidates->points, kept, (size_t)candidates->count * sizeof kept[0]);
}
