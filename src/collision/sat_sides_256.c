// sat_sides_256.c - edges that may part two convex polyhedra, four at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/sat_lanes.h"

const CnSideFunctions cn_side_functions_256 = {high_faces, sides};
#endif
