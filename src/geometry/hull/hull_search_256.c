// hull_search_256.c - searches through convex polyhedra four at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "geometry/hull/hull_search_lanes.h"

const CnHullSearch cn_hull_search_256 = SEARCH;
#endif
