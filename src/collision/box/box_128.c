// box_128.c - pairs of boxes two at a time, for every processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/box/box_contact_lanes.h"
#include "collision/box/box_rough_lanes.h"

void cn_box_block_128(CnBoxBlock* block, CnBoxBlock* waiting) {
    collide_block(block, waiting);
}

void cn_box_flush_128(CnBoxBlock* waiting) {
    flush_block(waiting);
}

unsigned cn_boxes_apart_128(const CnBoxPair pairs[CN_ROUGH_BLOCK]) {
    return find_apart(pairs);
}
