// sat_sides_128.c - edges that may part two convex polyhedra, two at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat_lanes.h"

const CnSideFunctions cn_side_functions_128 = {high_faces, sides};
