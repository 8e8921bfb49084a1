// hull_search_128.c - searches through convex polyhedra two entries at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "geometry/hull/hull_search_lanes.h"

const CnHullSearch cn_hull_search_128 = SEARCH;
