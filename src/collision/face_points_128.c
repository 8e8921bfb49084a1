// face_points_128.c - contact points of faces two at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/choose_lanes.h"
#include "collision/cut_lanes.h"

const CnFaceFunctions cn_face_functions_128 = {cut, choose, choose_along};
