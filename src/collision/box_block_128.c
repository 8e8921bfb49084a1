// box_block_128.c - pairs of boxes two at a time, for every processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/box_lanes.h"

void cn_box_block_128(CnBoxBlock* block) {
    collide_block(block);
}
