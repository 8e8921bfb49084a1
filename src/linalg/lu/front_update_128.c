// front_update_128.c - updates of dense fronts, two numbers at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "linalg/lu/front_update_lanes.h"

const CnFrontFunctions cn_front_functions_128 = {update, reduce};
