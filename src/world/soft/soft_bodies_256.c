// soft_bodies_256.c - bodies to rows of floats and back, four at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "world/soft/soft_bodies_lanes.h"

const CnSoftBodyLanes cn_soft_body_lanes_256 = {CN_LANES, load_lanes, store_lanes};
#endif
