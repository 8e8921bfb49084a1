// sat.c - the axes that part two convex polyhedra best: separating axis test.
#include "collision/sat.h"

#include "collision/reduce.h"
#include "collision/sat_functions.h"
#include "geometry/hull_search.h"

#include <float.h>

const CnSatAxis cn_sat_no_axis = {.separation = -INFINITY, .a = -1, .b = -1};

// Two faces that face the direction alike (a body balanced on an edge) must not take turns: the
// first that is within CN_TIE of the most.
int cn_hull_facing(const CnHull* hull, CnVec3 direction) {
    int best = 0;
    double most = -HUGE_VAL;
    for (int first = 0; first < hull->face_count; first += CN_HULL_BLOCK) {
        double facings[CN_HULL_BLOCK];
        int last = cn_hull_facings(hull, first, direction, facings), i = 0;
        if (facings[last] > most + CN_TIE) {
            most = facings[last];
            while (facings[i] < most - CN_TIE) {
                ++i;
            }
            best = first + i;
        }
    }
    return best;
}

// Some ten products and sums on the way to a height, by either of two ways.
#define HEIGHT_ROUND_OFF (32.0 * DBL_EPSILON)

static double sum_of_magnitudes(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static CnFaceSearch start_search(const CnHull* hull, const CnHull* other,
                                 const CnRelativePose* pose, double margin, double tie,
                                 double round_off) {
    CnFaceSearch search;
    search.hull = hull;
    search.other = other;
    search.pose = pose;
    search.margin = margin;
    search.tie = tie;
    search.round_off = round_off;
    search.best = -1;
    search.separation = search.most = -HUGE_VAL;
    search.witnesses.center = cn_relative_pose_place(pose, other->center);
    search.witnesses.radius = other->inner;
    search.witnesses.count = 0;
    return search;
}

bool cn_sat_search(const CnSatFunctions* functions, const CnHull* a, const CnHull* b,
                   const CnRelativePose seen[2], double margin, double tie, CnSatAxes* axes) {
    double size = sum_of_magnitudes(seen[0].offset) + sum_of_magnitudes(a->center) +
                  sum_of_magnitudes(b->center) + a->outer + b->outer;
    CnFaceSearch of_a = start_search(a, b, &seen[0], margin, tie, HEIGHT_ROUND_OFF * size);
    if (!functions->best_face(&of_a)) {
        return false;
    }
    CnFaceSearch of_b = start_search(b, a, &seen[1], margin, tie, HEIGHT_ROUND_OFF * size);
    of_b.most = of_a.most;
    if (!functions->best_face(&of_b)) {
        return false;
    }
    axes->face_a = axes->face_b = cn_sat_no_axis;
    if (of_a.best >= 0) {
        axes->face_a = (CnSatAxis){a->faces[of_a.best].normal, of_a.separation, of_a.best, -1};
    }
    if (of_b.best >= 0) {
        CnVec3 towards_b = cn_mat3_apply(&seen[0].turn, cn_vec3_negate(b->faces[of_b.best].normal));
        axes->face_b = (CnSatAxis){towards_b, of_b.separation, -1, of_b.best};
    }
    return functions->best_edges(&of_a, &of_b, axes);
}

static const CnSatFunctions* widest(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &cn_sat_functions_256;
    }
#endif
    return &cn_sat_functions_128;
}

bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose seen[2], double margin,
                  double tie, CnSatAxes* axes) {
    return cn_sat_search(widest(), a, b, seen, margin, tie, axes);
}
