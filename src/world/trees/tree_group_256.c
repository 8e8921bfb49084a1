// tree_group_256.c - joints of a tree side by side, four at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "world/trees/tree_group_lanes.h"

const CnTreeGroupPasses cn_tree_group_passes_256 = TREE_GROUP_PASSES;
#endif
