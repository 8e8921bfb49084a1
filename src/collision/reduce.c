// reduce.c - of many candidates for contact points, the four that matter.
#include "collision/reduce.h"

#include <string.h>

// A line through two chosen points. A point p to the left of it, seen against the normal, makes a
// triangle with them whose doubled area, over the size of the shape, is across . (p - from) [m].
typedef struct Side {
    CnVec3 from;   // [m]
    CnVec3 across; // [-]
} Side;

typedef struct Selection {
    const CnCandidates* from;
    double size; // [m]
    int chosen[CN_MANIFOLD_POINTS];
    Side sides[3]; // of two points: the line through them; of three: those that have them inside
    int count;
} Selection;

static CnVec3 position(const Selection* selection, int chosen) {
    return selection->from->points[selection->chosen[chosen]].point;
}

static Side make_side(const Selection* selection, int first, int second, double sign) {
    CnVec3 from = position(selection, first);
    CnVec3 normal = selection->from->points[0].normal;
    CnVec3 across = cn_vec3_cross(normal, cn_vec3_sub(position(selection, second), from));
    return (Side){from, cn_vec3_scale(sign / selection->size, across)};
}

static double beyond(const Side* side, CnVec3 point) {
    return cn_vec3_dot(side->across, cn_vec3_sub(point, side->from));
}

// What p adds to the first point: its distance; to two: the area of the triangle; to three: that
// of the largest triangle outside. Areas are divided by the size, to compare lengths [m].
static double gain(const Selection* selection, CnVec3 p) {
    if (selection->count == 1) {
        return cn_vec3_length(cn_vec3_sub(p, position(selection, 0)));
    }
    double most = beyond(&selection->sides[0], p);
    if (selection->count == 2) {
        return fabs(most);
    }
    double second = beyond(&selection->sides[1], p), third = beyond(&selection->sides[2], p);
    most = second > most ? second : most;
    return third > most ? third : most;
}

// Outside the triangle is to the right of its sides when its points turn left.
static void take(Selection* selection, int choice) {
    selection->chosen[selection->count++] = choice;
    if (selection->count == 2) {
        selection->sides[0] = make_side(selection, 0, 1, 1.0);
    } else if (selection->count == 3) {
        double turn = copysign(1.0, beyond(&selection->sides[0], position(selection, 2)));
        for (int i = 0; i < 3; ++i) {
            selection->sides[i] = make_side(selection, i, (i + 1) % 3, -turn);
        }
    }
}

// Adds the candidate of largest gain among those with a gap of at most limit; false when none adds
// anything that can be told from round-off.
static bool choose(Selection* selection, double limit) {
    double step = CN_TIE * selection->size;
    double best = 0.0;
    int choice = -1;

    for (int i = 0; i < selection->from->count; ++i) {
        const CnManifoldPoint* p = &selection->from->points[i];
        double more = p->gap <= limit ? gain(selection, p->point) : 0.0;
        if (more > best + step) {
            best = more;
            choice = i;
        }
    }
    if (choice >= 0) {
        take(selection, choice);
    }
    return choice >= 0;
}

static int deepest(const CnCandidates* candidates, double size) {
    int choice = 0;
    for (int i = 1; i < candidates->count; ++i) {
        if (candidates->points[i].gap < candidates->points[choice].gap - CN_TIE * size) {
            choice = i;
        }
    }
    return choice;
}

static bool is_chosen(const Selection* selection, int candidate) {
    for (int i = 0; i < selection->count; ++i) {
        if (selection->chosen[i] == candidate) {
            return true;
        }
    }
    return false;
}

int cn_candidates_reduce(const CnCandidates* candidates,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    double size = candidates->size;
    Selection selection = {.from = candidates, .size = size};
    int count = 0;

    if (candidates->count > CN_MANIFOLD_POINTS) {
        int first = deepest(candidates, size);
        double near = candidates->points[first].gap + CN_ONE_CONTACT * size;
        take(&selection, first);
        while (selection.count < CN_MANIFOLD_POINTS &&
               (choose(&selection, near) || choose(&selection, INFINITY))) {
        }
    }
    for (int i = 0; i < candidates->count; ++i) {
        if (candidates->count <= CN_MANIFOLD_POINTS || is_chosen(&selection, i)) {
            points[count++] = candidates->points[i];
        }
    }
    return count;
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
