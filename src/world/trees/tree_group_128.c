// tree_group_128.c - joints of a tree side by side, two at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "world/trees/tree_group_lanes.h"

const CnTreeGroupPasses cn_tree_group_passes_128 = TREE_GROUP_PASSES;
