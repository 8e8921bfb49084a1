// sat.c - separating axis test of two convex polyhedra.
#include "collision/sat/sat.h"

#include "collision/hull/reduce.h"
#include "collision/sat/sat_functions.h"
#include "geometry/hull/hull_search.h"
#include "math/simd.h"

const CnSatAxis cn_sat_no_axis = {.separation = -INFINITY, .a = -1, .b = -1};

// Where two faces are equally near to the direction (a body balanced on an edge) the choice must
// not alternate from step to step: take the first within CN_TIE_TOLERANCE of the most.
int cn_hull_facing(const CnHull* hull, CnVec3 direction) {
    return cn_hull_first_facing(hull, direction, CN_TIE_TOLERANCE);
}

bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose seen[2], double margin,
                  double tie, CnSatAxes* axes) {
    return CN_WIDEST(cn_sat_search)(a, b, seen, margin, tie, axes);
}
