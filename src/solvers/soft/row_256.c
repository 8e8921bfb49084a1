// row_256.c - rows of eight blocks at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_SOFT_WIDTH 8
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "solvers/soft/row_lanes.h"

const CnRowKernels cn_row_kernels_256 = {sweep};
#endif
