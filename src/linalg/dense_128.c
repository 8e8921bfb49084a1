// dense_128.c - inner loops of small dense matrices and of block factors, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "linalg/blocks/block_cholesky_lanes.h"
#include "linalg/dense_lanes.h"

const CnDenseKernels cn_dense_kernels_128 = DENSE_KERNELS;
const CnCholeskyPasses cn_cholesky_passes_128 = CHOLESKY_PASSES;
