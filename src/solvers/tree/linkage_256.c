// linkage_256.c - factor and solve of a tree of bodies, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "solvers/tree/linkage_passes.h"

const CnLinkagePasses cn_linkage_passes_256 = LINKAGE_PASSES;
#endif
