// sat_128.c - the best axis of two convex polyhedra, two faces at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat/sat_search_lanes.h"

CN_LANE_TARGET bool cn_sat_search_128(const CnHull* a, const CnHull* b,
                                      const CnRelativePose seen[2], double margin, double tie,
                                      CnSatAxes* axes) {
    return search_axes(a, b, seen, margin, tie, axes);
}
