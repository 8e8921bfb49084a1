// dense_128.c - inner loops of small dense matrices, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "linalg/dense_lanes.h"

const CnDenseKernels cn_dense_kernels_128 = DENSE_KERNELS;
