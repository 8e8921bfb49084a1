// sat_128.c - the best axis of two convex polyhedra, two faces at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat_search_lanes.h"

CnSatSearch* const cn_sat_search_128 = search_axes;
