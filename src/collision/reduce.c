// reduce.c - of many candidates for contact points, the four that matter.
#include "collision/reduce.h"

#include <string.h>

typedef struct Selection {
    const CnCandidates* from;
    double size; // [m]
    int chosen[CN_MANIFOLD_POINTS];
    int count;
} Selection;

static CnVec3 position(const Selection* selection, int chosen) {
    return selection->from->points[selection->chosen[chosen]].point;
}

// Twice the area of the triangle (a, b, p) seen against the normal: positive when p is to the left
// of a -> b [m^2].
static double area(CnVec3 normal, CnVec3 a, CnVec3 b, CnVec3 p) {
    return cn_vec3_dot(normal, cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(p, a)));
}

// What p adds to the first point: its distance; to two: the area of the triangle; to three: that
// of the largest triangle outside. Areas are divided by the size, to compare lengths [m].
static double gain(const Selection* selection, const CnManifoldPoint* p) {
    CnVec3 first = position(selection, 0);
    if (selection->count == 1) {
        return cn_vec3_length(cn_vec3_sub(p->point, first));
    }
    CnVec3 second = position(selection, 1);
    double beside = area(p->normal, first, second, p->point) / selection->size;
    if (selection->count == 2) {
        return fabs(beside);
    }
    CnVec3 third = position(selection, 2);
    double turn = copysign(1.0, area(p->normal, first, second, third));
    double after = area(p->normal, second, third, p->point) / selection->size;
    double before = area(p->normal, third, first, p->point) / selection->size;
    return fmax(-turn * beside, fmax(-turn * after, -turn * before));
}

// Adds the candidate of largest gain among those with a gap of at most limit; false when none adds
// anything that can be told from round-off.
static bool choose(Selection* selection, double limit) {
    double step = CN_TIE * selection->size;
    double best = 0.0;
    int choice = -1;

    for (int i = 0; i < selection->from->count; ++i) {
        const CnManifoldPoint* p = &selection->from->points[i];
        double more = p->gap <= limit ? gain(selection, p) : 0.0;
        if (more > best + step) {
            best = more;
            choice = i;
        }
    }
    if (choice >= 0) {
        selection->chosen[selection->count++] = choice;
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
        selection.chosen[selection.count++] = first;
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

void cn_candidates_add(CnCandidates* candidates, CnManifoldPoint point) {
    if (candidates->count == CN_CANDIDATES) {
        CnManifoldPoint kept[CN_MANIFOLD_POINTS];
        candidates->count = cn_candidates_reduce(candidates, kept);
        memcpy(candidates->points, kept, (size_t)candidates->count * sizeof kept[0]);
    }
    candidates->points[candidates->count++] = point;
}
