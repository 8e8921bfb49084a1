// linkage_128.c - factor and solve of a tree of bodies, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "solvers/tree/linkage_passes.h"

const CnLinkagePasses cn_linkage_passes_128 = LINKAGE_PASSES;
