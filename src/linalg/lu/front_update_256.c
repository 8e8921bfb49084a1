// front_update_256.c - updates of dense fronts, four numbers at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "linalg/lu/front_update_lanes.h"

const CnFrontFunctions cn_front_functions_256 = {update, reduce};
#endif
