// dense_256.c - inner loops of small dense matrices and of block factors, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "linalg/blocks/block_cholesky_lanes.h"
#include "linalg/dense_lanes.h"

const CnDenseKernels cn_dense_kernels_256 = DENSE_KERNELS;
const CnCholeskyPasses cn_cholesky_passes_256 = CHOLESKY_PASSES;
#endif
