// sat_256.c - the best axis of two convex polyhedra, four faces at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/sat/sat_search_lanes.h"

CN_LANE_TARGET bool cn_sat_search_256(const CnHull* a, const CnHull* b,
                                      const CnRelativePose seen[2], double margin, double tie,
                                      CnSatAxes* axes) {
    return search_axes(a, b, seen, margin, tie, axes);
}
#endif
