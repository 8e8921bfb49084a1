// contact_visit_256.c - contacts four at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "solvers/sweep/contact_visit_lanes.h"

const CnGroupFunctions cn_group_functions_256 = {visit, extrapolate};
#endif
