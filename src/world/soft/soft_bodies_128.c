// soft_bodies_128.c - bodies to rows of floats and back, two at a time.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "world/soft/soft_bodies_lanes.h"

const CnSoftBodyLanes cn_soft_body_lanes_128 = {CN_LANES, load_lanes, store_lanes};
