// row_128.c - rows of four blocks at a time, for every processor.
#define CN_SOFT_WIDTH 4
#define CN_LANES 2
#define CN_LANE_TARGET
#include "solvers/soft/row_lanes.h"

const CnRowKernels cn_row_kernels_128 = {sweep};
